package livetest

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/loosejson"
)

// pending is a permission request or a form that waits.
type pending struct {
	id, session string
	form        bool
	about       map[string]any
	verdict     chan verdict // takes one
}

// verdict is how a request was settled.
type verdict struct {
	allowed bool
	message string         // of a rejection
	answer  map[string]any // of a form
}

func (s *Server) waiting(session string, form bool) []any {
	out := []any{}
	for _, p := range s.pending {
		if p.session == session && p.form == form {
			out = append(out, p.about)
		}
	}
	return out
}

func (s *Server) find(session, id string, form bool) *pending {
	for _, p := range s.pending {
		if p.id == id && p.session == session && p.form == form {
			return p
		}
	}
	return nil
}

func (s *Server) settle(p *pending, v verdict) {
	s.pending = slices.DeleteFunc(s.pending, func(o *pending) bool { return o == p })
	p.verdict <- v
}

// reply answers a permission request. A rejection takes the other requests of the
// session with it, and those have no message (source read 2026-11-30).
func (s *Server) reply(session, id, decision, message string) answer {
	p := s.find(session, id, false)
	if p == nil {
		return refuse(http.StatusNotFound, "PermissionNotFoundError", "Permission request not found: "+id, "requestID", id)
	}
	s.replied(p, decision)
	s.settle(p, verdict{allowed: decision != "reject", message: message})
	if decision == "always" {
		for _, pattern := range p.about["save"].([]string) {
			s.saved = append(s.saved, Rule{p.about["action"].(string), pattern, "allow"})
		}
	}
	if decision == "reject" {
		for _, other := range slices.Clone(s.pending) {
			if other.session == session && !other.form {
				s.replied(other, "reject")
				s.settle(other, verdict{})
			}
		}
	}
	return done
}

func (s *Server) replied(p *pending, reply string) {
	s.briefly("permission.replied", true, map[string]any{"sessionID": p.session, "requestID": p.id, "reply": reply})
}

func (s *Server) missingForm(session, id string) (*pending, answer) {
	if p := s.find(session, id, true); p != nil {
		return p, answer{}
	}
	if s.settled[id] {
		return nil, refuse(http.StatusConflict, "FormAlreadySettledError", "Form already settled: "+id, "id", id)
	}
	return nil, refuse(http.StatusNotFound, "FormNotFoundError", "Form not found: "+id, "id", id)
}

func (s *Server) replyForm(session string, op Operation) answer {
	p, missing := s.missingForm(session, op.text("formID"))
	if p == nil {
		return missing
	}
	given, err := loosejson.Parse(op.Input["answer"])
	if err != nil {
		return refuse(http.StatusBadRequest, "InvalidRequestError", err.Error())
	}
	fields, _ := p.about["fields"].([]Field)
	if problem := checkAnswer(fields, given); problem != "" {
		return refuse(http.StatusBadRequest, "FormInvalidAnswerError", problem, "id", p.id)
	}
	answers := map[string]any{}
	for _, name := range given.Names() {
		if answers[name] = given.Get(name).Texts(); given.Get(name).IsText() {
			answers[name] = given.Get(name).Text()
		}
	}
	s.briefly("form.replied", true, map[string]any{"id": p.id, "sessionID": session, "answer": answers})
	s.settled[p.id] = true
	s.settle(p, verdict{allowed: true, answer: answers})
	return done
}

// checkAnswer holds an answer against a form's fields: a text, or a list where
// several can be chosen; an option's value, unless others are taken.
func checkAnswer(fields []Field, given loosejson.Value) string {
	for _, name := range given.Names() {
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Key == name })
		if at < 0 {
			return fmt.Sprintf("there is no field %q", name)
		}
		f, v := fields[at], given.Get(name)
		texts := v.Texts()
		if f.Type != "multiselect" {
			if !v.IsText() {
				return fmt.Sprintf("%q takes a text", name)
			}
			texts = []string{v.Text()}
		} else if !v.IsList() {
			return fmt.Sprintf("%q takes a list", name)
		}
		for _, text := range texts {
			offered := slices.ContainsFunc(f.Options, func(o Option) bool { return o.Value == text })
			if len(f.Options) > 0 && !offered && !f.Custom {
				return fmt.Sprintf("%q doesn't offer %q", name, text)
			}
		}
	}
	return ""
}

func (s *Server) cancelForm(session, id string) answer {
	p, missing := s.missingForm(session, id)
	if p == nil {
		return missing
	}
	s.dropForm(p)
	return done
}

func (s *Server) dropForm(p *pending) {
	s.briefly("form.cancelled", true, map[string]any{"id": p.id, "sessionID": p.session})
	s.settled[p.id] = true
	s.settle(p, verdict{})
}

// Settle answers a request as another client would. It reports whether it waited.
func (s *Server) Settle(id, decision string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pending {
		if p.id != id {
			continue
		}
		switch {
		case !p.form:
			s.reply(p.session, id, decision, "")
		case decision == "cancel":
			s.dropForm(p)
		default:
			s.replyForm(p.session, Operation{Input: map[string]jsontext.Value{
				"formID": encode(id), "answer": jsontext.Value(decision),
			}})
		}
		return true
	}
	return false
}

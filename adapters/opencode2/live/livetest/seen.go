package livetest

import (
	"slices"
	"strings"
)

// Ran lists the commands and changes that happened, in order.
func (s *Server) Ran() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ran)
}

// Calls lists what the server was asked, the event stream included.
func (s *Server) Calls() []Operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Told is what the server was told to change, in short: "create", "update",
// "prompt", "note", "once per_1", "reject+ per_1" with a message, "reject
// per_1" without, "answer frm_1", "cancel frm_1", "interrupt ses_1".
func (s *Server) Told() []string {
	var out []string
	for _, op := range s.Calls() {
		if !op.Write {
			continue
		}
		out = append(out, op.told())
	}
	return out
}

func (o Operation) told() string {
	switch o.Name {
	case "session.permission.reply":
		word := o.text("decision")
		if o.text("message") != "" {
			word += "+"
		}
		return word + " " + o.text("requestID")
	case "session.form.reply":
		return "answer " + o.text("formID")
	case "session.form.cancel":
		return "cancel " + o.text("formID")
	case "session.synthetic":
		return "note"
	case "session.interrupt":
		return "interrupt " + o.text("sessionID")
	}
	_, word, _ := strings.Cut(o.Name, ".")
	return word
}

// Rules are a session's.
func (s *Server) Rules(id string) []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.sessions[id]; one != nil {
		return slices.Clone(one.rules)
	}
	return nil
}

// Waiting are the ids of the requests that wait, of all sessions.
func (s *Server) Waiting() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, p := range s.pending {
		out = append(out, p.id)
	}
	return out
}

// Running reports whether anything runs.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns) > 0
}

// Saved are the grants that were saved for the project.
func (s *Server) Saved() []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.saved)
}

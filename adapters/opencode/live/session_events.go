package live

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
)

// event takes one event of the directory, of whatever session.
func (r *run) event(e Event) {
	switch e.Type {
	case EventAsked, EventQuestionAsked:
		r.asked(e.Properties)
	case EventReplied:
		var p RepliedEvent
		if e.Decode(&p) == nil {
			r.heardOf(p.RequestID, p.Reply)
			if p.Reply == ReplyAlways {
				r.note(allowedAlways)
			}
		}
	case EventQuestionReplied, EventQuestionRejected:
		var p RepliedEvent
		if e.Decode(&p) == nil {
			r.heardOf(p.RequestID, map[string]string{EventQuestionReplied: "with text", EventQuestionRejected: ReplyReject}[e.Type])
		}
	case EventSessionCreated:
		r.created(e)
	case EventSessionUpdated:
		r.changed(e)
	case EventSessionError, EventSessionStatus:
		r.trouble(e)
	case EventIdle:
		var p IdleEvent
		if e.Decode(&p) == nil && p.SessionID == r.root && r.prompted {
			r.async(func(ctx context.Context) func() { return r.look(ctx, true) })
		}
	case EventMessageUpdated, EventPartUpdated, EventPartDelta:
		r.progress(e)
	}
}

func (r *run) created(e Event) {
	var p struct {
		Info Session `json:"info"`
	}
	if e.Decode(&p) == nil && r.family[p.Info.ParentID] {
		r.family[p.Info.ID] = true
	}
}

// allowedAlways is what an "always" of somebody else's comes to (measured on
// 1.18.33, 2026-11-30): nothing lists it, and only a restart takes it back.
const allowedAlways = "another client answered always: until the OpenCode server is restarted, every session of this folder is allowed it unasked, also where its rules deny it"

// changed looks whether the session still has the rules that we gave it last. A run
// that is under way keeps those that it began with, but the next prompt of
// anybody's, which can follow on it at once, has the new ones (measured on
// 1.18.33, 2026-11-30).
func (r *run) changed(e Event) {
	var p struct {
		Info Session `json:"info"`
	}
	if e.Decode(&p) != nil || p.Info.ID != r.root {
		return
	}
	r.d.mu.Lock()
	rules := r.d.rules
	r.d.mu.Unlock()
	if differs(p.Info.Permission, rules) == "" {
		return
	}
	r.async(func(ctx context.Context) func() {
		r.d.applying.Lock() // we may be giving it others ourselves
		defer r.d.applying.Unlock()
		s, err := r.d.c.Session(ctx, r.root) // the event may be older than the rules
		if err != nil {
			return nil // the stream breaks, too
		}
		r.d.mu.Lock()
		rules := r.d.rules
		r.d.mu.Unlock()
		why := differs(s.Permission, rules)
		if why == "" {
			return nil
		}
		return func() {
			r.end(broker.Failed, (&broker.NotEnforced{Session: r.root, Reason: "another client changed them: " + why}).Error())
		}
	})
}

// trouble takes what a session says of its failures and retries.
func (r *run) trouble(e Event) {
	var p struct {
		SessionID string          `json:"sessionID"`
		Error     json.RawMessage `json:"error"`
		Status    Status          `json:"status"`
	}
	if e.Decode(&p) != nil || p.SessionID != r.root {
		return
	}
	switch {
	case e.Type == EventSessionError && r.err == "":
		r.err = errorText(p.Error)
	case e.Type == EventSessionStatus && p.Status.Type == StatusRetry:
		r.note("the model is tried again: " + p.Status.Message)
	}
}

// part is how far a part of a message has been shown.
type part struct {
	kind  string
	shown int // bytes of its text
	said  string
}

// progress shows the agent's text and its tool calls. Of children the calls
// alone are shown: their text comes back as a call's output.
func (r *run) progress(e Event) {
	var p struct {
		SessionID string      `json:"sessionID"`
		Info      MessageInfo `json:"info"`
		Part      timedPart   `json:"part"`
		PartID    string      `json:"partID"`
		Field     string      `json:"field"`
		Delta     string      `json:"delta"`
	}
	if e.Decode(&p) != nil {
		return
	}
	switch e.Type {
	case EventMessageUpdated:
		r.roles[p.Info.ID] = p.Info.Role
	case EventPartDelta:
		if at := r.parts[p.PartID]; at != nil && at.kind == "text" && p.Field == "text" {
			at.shown += len(p.Delta)
			r.person.Saw(broker.Sight{Kind: broker.SawText, Session: p.SessionID, Text: p.Delta})
		}
	case EventPartUpdated:
		r.updated(p.Part)
	}
}

// timedPart is a Part with the time that its text was complete.
type timedPart struct {
	Part
	Time struct {
		End float64 `json:"end"`
	} `json:"time"`
}

func (r *run) updated(p timedPart) {
	if !r.family[p.SessionID] {
		return
	}
	at := r.parts[p.ID]
	switch {
	case p.Type == "tool":
		if at == nil {
			at = &part{kind: p.Type}
			r.parts[p.ID] = at
		}
		r.tool(at, p.Part)
	case p.Type == "text" && p.SessionID == r.root && r.roles[p.MessageID] == "assistant":
		if at == nil {
			at = &part{kind: p.Type}
			r.parts[p.ID] = at
		}
		if len(p.Text) > at.shown {
			r.person.Saw(broker.Sight{Kind: broker.SawText, Session: p.SessionID, Text: p.Text[at.shown:]})
			at.shown = len(p.Text)
		}
		if p.Time.End > 0 && at.said == "" {
			at.said = "end"
			r.person.Saw(broker.Sight{Kind: broker.SawTextEnd, Session: p.SessionID})
		}
	}
}

// tool shows a call when it starts and when it ends, each once.
func (r *run) tool(at *part, p Part) {
	if at.said == p.State.Status || at.said == CallCompleted || at.said == CallFailed {
		return
	}
	s := broker.Sight{Session: p.SessionID, Tool: p.Tool, Text: inputText(p.State.Input)}
	switch p.State.Status {
	case CallRunning:
		s.Kind = broker.SawToolStart
	case CallCompleted:
		s.Kind, s.Detail = broker.SawToolEnd, p.State.Output
	case CallFailed:
		s.Kind, s.Detail = broker.SawToolFailed, p.State.Error
	default:
		return
	}
	at.said = p.State.Status
	r.person.Saw(s)
}

// inputText says what a call is about.
func inputText(input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil {
		return string(input)
	}
	for _, name := range []string{"command", "filePath", "url", "query", "pattern", "path", "description", "name"} {
		if text, ok := fields[name].(string); ok && strings.TrimSpace(text) != "" {
			return text
		}
	}
	if _, asks := fields["questions"]; asks || len(fields) == 0 {
		return "" // the questions come as a request
	}
	return string(input)
}

package live

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modegate/modegate/adapters/broker"
)

// resting looks whether the run ended while the stream was away.
func (r *run) resting() {
	r.async(func(ctx context.Context) func() {
		status, err := r.d.c.Statuses(ctx)
		if err != nil {
			return nil // the stream breaks again, or the next event tells
		}
		if is := status[r.root].Type; is == "" || is == StatusIdle {
			return r.look(ctx, false)
		}
		return nil
	})
}

// look reads the session's messages and says how its run ended, in the loop.
// Without sure, a run without an answer may not have begun, and is looked at
// again.
func (r *run) look(ctx context.Context, sure bool) func() {
	messages, err := r.d.c.Messages(ctx, r.root)
	if err != nil {
		messages, err = r.d.c.Messages(ctx, r.root)
	}
	if err != nil {
		return func() { r.rest(broker.Failed, "the session can't be read: "+err.Error()) }
	}
	return func() {
		last, began := r.last(messages)
		switch {
		case last == nil && r.err != "":
			r.rest(broker.Failed, r.err)
		case last == nil && sure && began:
			r.rest(broker.Failed, "the run ended without an answer of the agent")
		case last == nil && sure:
			// An idle event of before the prompt.
		case last == nil:
			r.again()
		case last.Info.Error != nil && string(last.Info.Error) != "null":
			r.rest(broker.Failed, errorText(last.Info.Error))
		case last.Info.Finish == "" && !sure:
			r.again()
		case last.brokenOff():
			r.rest(broker.Failed, "the run was broken off: the OpenCode server was restarted")
		case last.Info.Finish == "" || last.Info.Finish == "tool-calls":
			// A run that goes on never rests there: somebody refused a call
			// without a message (measured on 1.18.33, 2026-11-30).
			r.rest(broker.Cancelled, r.requests.refused())
		default:
			r.rest(broker.Ended, "")
		}
	}
}

// last is the newest answer to the prompt, if there is one; began says whether
// the prompt is in the session.
func (r *run) last(messages []Message) (last *Message, began bool) {
	for i := len(messages) - 1; i >= 0 && messages[i].Info.ID != r.before; i-- {
		switch messages[i].Info.Role {
		case "user":
			began = true
		case "assistant":
			if last == nil {
				last = &messages[i]
			}
		}
	}
	return last, began
}

// brokenOff reports whether a session rests at a message that nobody finished: a
// call of it still runs, or it has no end and no call that failed. So a server
// that was restarted leaves it (measured on 1.18.33, 2026-11-30).
func (m *Message) brokenOff() bool {
	failed := false
	for _, p := range m.Parts {
		if p.Type == "tool" && !p.State.Over() {
			return true
		}
		failed = failed || p.Type == "tool" && p.State.Status == CallFailed
	}
	return m.Info.Finish == "" && !failed
}

// again looks once more at a run that seems over.
func (r *run) again() {
	r.async(func(ctx context.Context) func() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.d.o.Times.Again):
			return r.look(ctx, true)
		}
	})
}

// errorText is the message of a session's or a message's error.
func errorText(raw json.RawMessage) string {
	var e struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.Name == "" {
		return string(raw)
	}
	if e.Data.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Data.Message
}

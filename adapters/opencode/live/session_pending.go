package live

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modegate/modegate/adapters/broker"
)

// requests are the requests of a run. Each is closed exactly once.
type requests struct {
	open     map[string]*entry
	order    []string        // of everything that was ever open
	done     map[string]bool // closed
	rejected map[string]bool // sessions in which we rejected something
	cancel   string          // the request that was answered with cancel
}

func newRequests() requests {
	return requests{open: map[string]*entry{}, done: map[string]bool{}, rejected: map[string]bool{}}
}

// refused says why a run ended that rests after a tool call.
func (q requests) refused() string {
	if q.cancel != "" {
		return "cancelled at: " + q.cancel
	}
	return "a refusal ended the run"
}

// entry is a request that is open.
type entry struct {
	req    broker.Request
	state  state
	answer broker.Answer
	steps  []broker.Operation // of the answer, where somebody else has made them
	by     broker.Closer
	why    string
	heard  string // the reply of the event that came while ours was under way

	gathered bool // held long enough for the others to come
	after    bool // declined after another of its session was rejected
}

type state int

const (
	waiting state = iota // for an answer
	held                 // declined; told to the server after the others of its session
	sending
)

// asked takes in a request that came as an event or in a list.
func (r *run) asked(native json.RawMessage) {
	if r.outcome != nil {
		return // what waits at the end is listed then
	}
	q, err := r.d.o.Translator.Request(native)
	if err != nil {
		r.note(err.Error())
		return
	}
	if r.requests.done[q.ID] || r.requests.open[q.ID] != nil {
		return
	}
	switch ours, known := r.family[q.Session]; {
	case ours:
		r.opened(q)
	case !known:
		r.async(func(ctx context.Context) func() {
			ours, err := r.d.c.descends(ctx, q.Session, r.root)
			return func() {
				if err != nil {
					r.note(fmt.Sprintf("request %s: its session %s can't be read: %v", q.ID, q.Session, err))
					return
				}
				r.family[q.Session] = ours
				if ours {
					r.asked(native)
				}
			}
		})
	}
}

// opened answers a request by itself where the cell or a grant does, and else
// brings it to the person.
func (r *run) opened(q broker.Request) {
	e := &entry{req: q}
	r.requests.open[q.ID] = e
	r.requests.order = append(r.requests.order, q.ID)
	if r.automatic(e) {
		return
	}
	if g, ok := r.d.granted(q, q.Session != r.root); ok {
		r.answer(e, broker.Answer{Decision: broker.Accept}, broker.ByGrant, "allowed this session: "+g)
		return
	}
	r.person.Opened(q)
}

// automatic answers a request where the rules in force or the cell do, in their
// own steps: they tell the agent why.
func (r *run) automatic(e *entry) bool {
	t := r.d.translator()
	a, why, ok := t.Automatic(r.d.o.Cell, e.req)
	if !ok {
		return false
	}
	steps, err := t.Operations(e.req, a)
	if err != nil {
		r.end(broker.Failed, err.Error())
		return true
	}
	e.steps = steps
	r.answer(e, a, broker.ByMode, why)
	return true
}

// ruled answers what waits as rules do that were just given to the session.
func (r *run) ruled() {
	for _, id := range r.requests.order {
		if e := r.requests.open[id]; e != nil && e.state == waiting && r.outcome == nil {
			r.automatic(e)
		}
	}
}

// decided takes somebody's answer. A request that is no longer open, or answered
// already, is left alone.
func (r *run) decided(id string, d broker.Delivery) {
	if e := r.requests.open[id]; e != nil && e.state == waiting && r.outcome == nil {
		e.steps = d.Operations
		r.answer(e, d.Answer, d.By, d.Reason)
	}
}

// answer delivers an answer. A declined request waits for the others of its
// session, and a moment for those that the same message still brings: a rejection
// takes every other request of the session with it, and those have no message, so
// the run would end (measured on 1.18.33, 2026-11-30).
func (r *run) answer(e *entry, a broker.Answer, by broker.Closer, why string) {
	e.answer, e.by, e.why = a, by, why
	if a.Decision != broker.Decline {
		r.deliver(e)
		return
	}
	e.state = held
	r.async(func(ctx context.Context) func() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.d.o.Times.Gather):
			return func() {
				e.gathered = true
				r.release(e.req.Session)
			}
		}
	})
}

// others reports whether a session has other requests that aren't held.
func (r *run) others(e *entry) bool {
	for _, o := range r.requests.open {
		if o != e && o.req.Session == e.req.Session && o.state != held && o.req.Shape == broker.Approval {
			return true
		}
	}
	return false
}

// release delivers what a session holds back, once nothing else of it is open.
func (r *run) release(session string) {
	for _, id := range r.requests.order {
		e := r.requests.open[id]
		if r.outcome == nil && e != nil && e.req.Session == session && e.state == held && e.gathered && !r.others(e) {
			r.deliver(e)
			return
		}
	}
}

func (r *run) deliver(e *entry) {
	e.state = sending
	ops := e.steps
	if ops == nil {
		var err error
		if ops, err = r.d.o.Translator.Operations(e.req, e.answer); err != nil {
			r.end(broker.Failed, err.Error())
			return
		}
	}
	if e.answer.Decision == broker.Decline || e.answer.Decision == broker.Cancel {
		e.after = e.answer.Decision == broker.Decline && r.requests.rejected[e.req.Session]
		r.requests.rejected[e.req.Session] = true
	}
	r.async(func(ctx context.Context) func() {
		done := r.d.perform(ctx, ops)
		lost := false
		if done.assumed {
			lost, done.err = r.d.c.lost(ctx, e.req)
		}
		return func() { r.delivered(e, done, lost) }
	})
}

// delivered closes a request after its answer was sent. An answer that can't be
// delivered ends the run, as the agent would wait for ever.
func (r *run) delivered(e *entry, p performed, lost bool) {
	switch {
	case p.err != nil:
		r.end(broker.Failed, fmt.Sprintf("the answer to %q can't be delivered: %v", e.req.Title, p.err))
		return
	case lost:
		r.closed(e, "", broker.ByLoss, lostReason)
		r.release(e.req.Session)
		return
	case p.settled && e.after && e.heard == "" && r.outcome == nil:
		e.state, e.gathered = held, false // the event says whether the other took it along
		r.release(e.req.Session)
		return
	case p.settled && e.after && e.heard == ReplyReject:
		r.closed(e, e.answer.Decision, e.by, swept(e.why))
	case p.settled:
		r.closed(e, replied(e.req.Shape, e.heard), broker.ByOther, "it was settled before this answer came")
	default:
		r.closed(e, e.answer.Decision, e.by, e.why)
	}
	if len(p.grants) > 0 {
		r.d.keep(p.grants)
		r.regrant()
	}
	if e.answer.Decision == broker.Cancel && e.by == broker.ByPerson {
		r.requests.cancel = e.req.Title
		if e.req.Session != r.root {
			// It ends the child's run alone; the person meant this one.
			r.end(broker.Cancelled, r.requests.refused())
		}
	}
	r.release(e.req.Session)
}

// regrant answers what waits and has just been granted.
func (r *run) regrant() {
	for _, id := range r.requests.order {
		e := r.requests.open[id]
		if e == nil || e.state != waiting || r.outcome != nil {
			continue
		}
		if g, ok := r.d.granted(e.req, e.req.Session != r.root); ok {
			r.answer(e, broker.Answer{Decision: broker.Accept}, broker.ByGrant, "allowed this session: "+g)
		}
	}
}

// heardOf takes the event that a request was answered, by us or by anyone.
func (r *run) heardOf(id, reply string) {
	e := r.requests.open[id]
	if e == nil {
		return
	}
	if e.state == sending {
		e.heard = reply
		return
	}
	if e.state == held && reply == ReplyReject && r.requests.rejected[e.req.Session] {
		r.closed(e, e.answer.Decision, e.by, swept(e.why))
		r.release(e.req.Session)
		return
	}
	reason := "another client answered " + reply
	if reply == ReplyAlways {
		reason = allowedAlways
	}
	if reply == ReplyReject && r.requests.rejected[e.req.Session] {
		reason = "OpenCode rejects the other requests of a session with one that is rejected"
	}
	r.closed(e, replied(e.req.Shape, reply), broker.ByOther, reason)
	r.release(e.req.Session)
}

// swept is why a declined request is closed that another's rejection took with it
// before its own.
func swept(why string) string {
	const untold = "OpenCode rejected it with another of its session, and told the agent nothing"
	if why == "" {
		return untold
	}
	return why + "; " + untold
}

// replied is the decision that a reply stands for, where it does.
func replied(shape broker.Shape, reply string) broker.Decision {
	switch {
	case reply == ReplyReject && shape == broker.Questioned:
		return broker.Cancel
	case reply == ReplyReject:
		return broker.Decline
	case reply == ReplyOnce:
		return broker.Accept
	case reply == ReplyAlways:
		return broker.AcceptAlways
	}
	return ""
}

func (r *run) closed(e *entry, d broker.Decision, by broker.Closer, reason string) {
	delete(r.requests.open, e.req.ID)
	r.requests.done[e.req.ID] = true
	r.person.Closed(broker.Closing{Request: e.req, Decision: d, By: by, Reason: reason})
}

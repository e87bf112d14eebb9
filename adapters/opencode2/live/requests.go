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
	rejected map[string]bool // sessions in which we rejected something
	cancel   string          // the request that was answered with cancel
	fail     string          // why an answer fails the turn
}

func newRequests() requests {
	return requests{open: map[string]*entry{}, rejected: map[string]bool{}}
}

// refused says why an execution was interrupted, for which the server has its
// own reason.
func (q requests) refused(reason string) string {
	switch {
	case q.cancel != "":
		return "cancelled at: " + q.cancel
	case len(q.rejected) > 0:
		return "a refusal ended the run"
	case reason != "":
		return "the run was interrupted: " + reason
	}
	return "the run was interrupted"
}

// entry is a request that is open.
type entry struct {
	req    broker.Request
	state  state
	answer broker.Answer
	steps  []broker.Operation // of the answer, where somebody else has made them
	by     broker.Closer
	why    string
	fail   string // why the turn fails with the answer
	heard  string // how it was answered by the event that came while our answer was under way

	gathered bool // held long enough for the others to come
	after    bool // declined after another of its session was rejected
}

type state int

const (
	waiting state = iota // for an answer
	held                 // declined; told to the server after the others of its session
	sending
)

// asked takes in a request that came as an event or in a list. A child that
// wasn't announced is found by its session's parents.
func (d *Driver) asked(native json.RawMessage) {
	q, err := d.o.Translator.Request(native)
	if err != nil {
		d.note(err.Error())
		return
	}
	if d.done[q.ID] || d.run != nil && d.run.requests.open[q.ID] != nil {
		return
	}
	switch ours, known := d.family[q.Session]; {
	case ours:
		d.take(q)
	case !known && d.ID() != "":
		d.async(func(ctx context.Context) func() {
			ours, err := d.descends(ctx, q.Session)
			return func() {
				if err != nil {
					d.note(fmt.Sprintf("request %s: its session %s can't be read: %v", q.ID, q.Session, err))
					return
				}
				d.family[q.Session] = ours
				if ours {
					d.asked(native)
				}
			}
		})
	}
}

// descends reports whether a session is a child of ours, at any depth.
func (d *Driver) descends(ctx context.Context, id string) (bool, error) {
	root := d.ID()
	for range 32 {
		if id == root {
			return true, nil
		}
		if id == "" {
			return false, nil
		}
		s, err := d.c.Session(ctx, id)
		if isGone(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		id = s.ParentID
	}
	return false, nil
}

// take brings a request to the run that it belongs to. One of a run that was
// stopped is rejected at once: nobody is there for it, and a late answer would
// still set it off. While no run of ours is there, others run the session.
func (d *Driver) take(q broker.Request) {
	switch r := d.run; {
	case r != nil && r.outcome == nil && (r.started || !d.behind):
		r.opened(q)
	case r != nil && r.outcome != nil || d.behind:
		d.sweep(q)
	}
}

// sweep rejects a request without a person. Its end is told to the run that is
// being stopped, or else to the next one.
func (d *Driver) sweep(q broker.Request) {
	d.done[q.ID] = true
	r := d.run
	if r != nil {
		r.sweeping++
	}
	d.async(func(ctx context.Context) func() {
		p := d.reject(ctx, q)
		return func() {
			reason := "asked by a run that was stopped"
			if p.err != nil {
				reason += "; it couldn't be rejected: " + p.err.Error()
			}
			if r == nil {
				d.note(fmt.Sprintf("%s: %s", q.Title, reason))
				return
			}
			r.person.Closed(broker.Closing{Request: q, Decision: broker.Cancel, By: broker.ByStop, Reason: reason})
			r.sweeping--
			r.settled()
		}
	})
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
	if g, ok := r.d.granted(q); ok {
		r.answer(e, broker.Answer{Decision: broker.Accept}, broker.ByGrant, "allowed this session: "+g)
		return
	}
	r.person.Opened(q)
}

// automatic answers a request where the rules in force or the cell do, in their
// own steps: they tell the agent why.
func (r *run) automatic(e *entry) bool {
	t, cell := r.d.translator()
	a, why, ok := t.Automatic(cell, e.req)
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
	for _, e := range r.inOrder() {
		if e.state == waiting && r.outcome == nil {
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
// the run would end (source read 2026-11-30).
func (r *run) answer(e *entry, a broker.Answer, by broker.Closer, why string) {
	e.answer, e.by, e.why = a, by, why
	if a.Decision != broker.Decline {
		r.deliver(e)
		return
	}
	e.state = held
	r.d.async(func(ctx context.Context) func() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(gather):
			return func() {
				e.gathered = true
				r.release(e.req.Session)
			}
		}
	})
}

// others reports whether a session has other approvals that aren't held.
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
	for _, e := range r.inOrder() {
		if r.outcome == nil && e.req.Session == session && e.state == held && e.gathered && !r.others(e) {
			r.deliver(e)
			return
		}
	}
}

// inOrder are the open requests, oldest first.
func (r *run) inOrder() []*entry {
	var out []*entry
	for _, id := range r.requests.order {
		if e := r.requests.open[id]; e != nil {
			out = append(out, e)
		}
	}
	return out
}

// The ways in which a form is settled, beside those of a permission request.
const (
	answeredForm  = "with an answer"
	cancelledForm = "by cancelling"
)

// allowedAlways is what an "always" of somebody else's comes to (the founding
// description of 2.0.18).
const allowedAlways = "another client answered always: OpenCode keeps that for the whole project, and allows it unasked in every session of it"

// heard takes the event that a request was answered, by us or by anyone.
func (d *Driver) heard(id, how string) {
	if d.run == nil || d.run.requests.open[id] == nil {
		return
	}
	r, e := d.run, d.run.requests.open[id]
	if e.state == sending || r.outcome != nil {
		e.heard = how // ours, perhaps
		return
	}
	if e.state == held && how == "reject" && r.requests.rejected[e.req.Session] {
		r.closed(e, e.answer.Decision, e.by, swept(e.why))
		r.release(e.req.Session)
		return
	}
	reason := "another client answered " + how
	if how == "reject" && r.requests.rejected[e.req.Session] {
		reason = "OpenCode rejects the other requests of a session with one that is rejected"
	}
	r.closed(e, replied(how), broker.ByOther, reason)
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
func replied(how string) broker.Decision {
	switch how {
	case "once":
		return broker.Accept
	case "reject":
		return broker.Decline
	case cancelledForm:
		return broker.Cancel
	}
	return ""
}

func (r *run) closed(e *entry, d broker.Decision, by broker.Closer, reason string) {
	delete(r.requests.open, e.req.ID)
	r.d.done[e.req.ID] = true
	r.person.Closed(broker.Closing{Request: e.req, Decision: d, By: by, Reason: reason})
}

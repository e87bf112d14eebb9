package live

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// performed is what came of the operations of an answer.
type performed struct {
	settled bool              // the request was no longer there when it was answered first
	retried bool              // it was no longer there when it was answered again
	gone    bool              // nor was its session
	grants  []evaluator.Grant // kept with it
	note    string            // what didn't work and doesn't matter to the request
	err     error
}

// perform does operations in order, and stops at the first that can't be done. A
// note to the model is tried once, since one whose answer is lost may have been
// taken, and may fail; everything else is tried twice.
func (d *Driver) perform(ctx context.Context, ops []broker.Operation) performed {
	var out performed
	for _, op := range ops {
		switch op.Call {
		case broker.KeepGrants:
			if out.err = json.Unmarshal(op.Arguments, &out.grants); out.err == nil {
				d.keep(out.grants)
			}
		case broker.FailTurn: // the run's
		case "session.synthetic":
			if err := d.call(ctx, op); err != nil {
				out.note = "the agent couldn't be told why: " + err.Error()
			}
		default:
			again := false
			out.err = d.call(ctx, op)
			if out.err != nil && !isSettled(out.err) && ctx.Err() == nil {
				again = true
				out.err = d.call(ctx, op)
			}
			if isSettled(out.err) {
				out.gone = isGone(out.err)
				out.err, out.settled, out.retried = nil, !again, again
			}
		}
		if out.err != nil || out.settled {
			return out
		}
	}
	return out
}

// call does one operation of the dialect, within the time that a reply has.
func (d *Driver) call(ctx context.Context, op broker.Operation) error {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	switch op.Call {
	case broker.SyncRules:
		_, err := d.Sync(ctx)
		return err
	case "session.update":
		return d.update(ctx, op.Arguments)
	}
	var a struct {
		SessionID string `json:"sessionID"`
		RequestID string `json:"requestID"`
		FormID    string `json:"formID"`
	}
	if err := json.Unmarshal(op.Arguments, &a); err != nil {
		return err
	}
	body, err := bodyOf(op)
	if err != nil {
		return err
	}
	switch op.Call {
	case "session.permission.reply":
		return d.c.ReplyPermission(ctx, a.SessionID, a.RequestID, body)
	case "session.synthetic":
		return d.c.Synthetic(ctx, a.SessionID, body)
	case "session.form.reply":
		return d.c.ReplyForm(ctx, a.SessionID, a.FormID, body)
	case "session.form.cancel":
		return d.c.CancelForm(ctx, a.SessionID, a.FormID)
	}
	return fmt.Errorf("opencode 2: unknown operation %q", op.Call)
}

// bodyOf is what of an operation's arguments isn't part of its path.
func bodyOf(op broker.Operation) (map[string]json.RawMessage, error) {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(op.Arguments, &body); err != nil {
		return nil, err
	}
	for _, name := range []string{"sessionID", "requestID", "formID"} {
		delete(body, name)
	}
	return body, nil
}

// deliver sends an answer.
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
	// What the server makes of the answer may be seen before its delivery is.
	if e.ends() {
		r.requests.cancel = e.req.Title
	}
	for _, op := range ops {
		var f broker.Failure
		if op.Call == broker.FailTurn && json.Unmarshal(op.Arguments, &f) == nil {
			e.fail, r.requests.fail = f.Reason, f.Reason
		}
	}
	r.async(func(ctx context.Context) func() {
		p := r.d.perform(ctx, ops)
		return func() { r.told(e, p) }
	})
}

// ends reports whether the answer ends the run: a person's cancel of anything but
// a question, which is only dismissed.
func (e *entry) ends() bool {
	return e.answer.Decision == broker.Cancel && e.by == broker.ByPerson && e.req.Shape == broker.Approval
}

// told closes a request after its answer was sent. An answer that can't be
// delivered ends the run, as the agent would wait for ever.
func (r *run) told(e *entry, p performed) {
	if p.note != "" {
		r.d.note(p.note)
	}
	other := p.settled || p.retried && e.heard != "" && e.heard != e.meant()
	if len(p.grants) > 0 && (other || p.err != nil) {
		r.takeBack(p.grants)
	}
	if p.err != nil {
		r.end(broker.Failed, fmt.Sprintf("the answer to %q can't be delivered: %v", e.req.Title, p.err))
		return
	}
	switch {
	case p.settled && !p.gone && e.after && e.heard == "" && r.outcome == nil:
		e.state, e.gathered = held, false // the event says whether the other took it along
		r.release(e.req.Session)
		return
	case p.settled && e.after && e.heard == "reject":
		r.closed(e, e.answer.Decision, e.by, swept(e.why))
	case other:
		r.closed(e, replied(e.heard), broker.ByOther, "it was settled before this answer came")
	default:
		r.closed(e, e.answer.Decision, e.by, e.why)
		if len(p.grants) > 0 {
			r.regrant()
		}
	}
	switch {
	case p.gone && e.req.Session == r.d.ID():
		r.gone()
	case e.fail != "":
		r.end(broker.Failed, e.fail)
	case e.ends() && other:
		r.requests.cancel = ""
	case e.ends():
		r.end(broker.Cancelled, r.requests.refused(""))
	}
	r.release(e.req.Session)
}

// meant is how the answer is heard when it has arrived.
func (e *entry) meant() string {
	switch a := e.answer; {
	case e.req.Shape == broker.Questioned && a.Decision == broker.Cancel:
		return cancelledForm
	case e.req.Shape == broker.Questioned:
		return answeredForm
	case a.Decision == broker.Decline, a.Decision == broker.Cancel:
		return "reject"
	}
	return "once"
}

// takeBack forgets what an answer granted that didn't count, in the session's
// rules, too.
func (r *run) takeBack(grants []evaluator.Grant) {
	r.d.forget(grants)
	if r.outcome != nil {
		return // the next run brings the rules up to date
	}
	r.async(func(ctx context.Context) func() {
		if _, err := r.d.Sync(ctx); err != nil {
			return func() { r.end(broker.Failed, "what was granted can't be taken back: "+err.Error()) }
		}
		return nil
	})
}

// regrant answers what waits and has just been granted.
func (r *run) regrant() {
	for _, e := range r.inOrder() {
		if e.state != waiting || r.outcome != nil {
			continue
		}
		if g, ok := r.d.granted(e.req); ok {
			r.answer(e, broker.Answer{Decision: broker.Accept}, broker.ByGrant, "allowed this session: "+g)
		}
	}
}

package live

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// performed is what came of the operations of an answer.
type performed struct {
	settled bool              // the request was no longer there
	assumed bool              // a try failed, and then the request was no longer there
	grants  []evaluator.Grant // to keep
	err     error
}

// perform does operations in order, and stops at the first that can't be done. A
// call is tried twice. A request that is gone after a first try that failed was
// settled by that try, or the server has lost it.
func (d *Driver) perform(ctx context.Context, ops []broker.Operation) performed {
	var out performed
	for _, op := range ops {
		if op.Call == broker.KeepGrants {
			if out.err = json.Unmarshal(op.Arguments, &out.grants); out.err != nil {
				return out
			}
			continue
		}
		var before error
		for range 2 {
			before, out.err = out.err, d.call(ctx, op)
			if out.err == nil || IsNotFound(out.err) || ctx.Err() != nil {
				break
			}
		}
		if IsNotFound(out.err) {
			out.err = nil
			if out.settled, out.assumed = before == nil, before != nil; out.settled {
				return out
			}
		}
		if out.err != nil {
			return out
		}
	}
	return out
}

// call does one operation of the dialect.
func (d *Driver) call(ctx context.Context, op broker.Operation) error {
	ctx, cancel := context.WithTimeout(ctx, d.o.Times.Reply)
	defer cancel()
	var a stepArguments
	if err := json.Unmarshal(op.Arguments, &a); err != nil {
		return err
	}
	switch op.Call {
	case "permission.reply":
		return d.c.ReplyPermission(ctx, a.RequestID, Reply{Reply: a.Reply, Message: a.Message})
	case "question.reply":
		return d.c.ReplyQuestion(ctx, a.RequestID, a.Answers)
	case "question.reject":
		return d.c.RejectQuestion(ctx, a.RequestID)
	}
	return fmt.Errorf("opencode: unknown operation %q", op.Call)
}

// reject dismisses a request without a message.
func (r *run) reject(ctx context.Context, q broker.Request) performed {
	ops, err := r.d.o.Translator.Operations(q, broker.Answer{Decision: broker.Cancel})
	if err != nil {
		return performed{err: err}
	}
	return r.d.perform(ctx, ops)
}

// close leaves nothing of the run waiting: what is under way is given up, what
// waits is rejected, and unless the run ended by itself it is then aborted. The
// order matters: after an abort a request stays answerable, and a late answer may
// still run a command (measured on 1.18.33, 2026-11-30).
func (r *run) close(ctx context.Context, out broker.Outcome) {
	if r.lost != nil {
		r.lost.Stop()
	}
	r.cancel()
	r.work.Wait()
	for _, f := range r.Take() {
		f() // deliveries that came through
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.d.o.Times.Stop)
	defer cancel()
	if r.gone() {
		r.drop("the server has ended, and its requests with it")
		return
	}
	r.rejectAll(ctx, out)
	if out.End == broker.Ended {
		return
	}
	for id, ours := range r.family {
		if !ours {
			continue
		}
		if err := r.abort(ctx, id); err != nil {
			r.note(fmt.Sprintf("session %s can't be aborted: %v", id, err))
		}
	}
	r.rejectAll(ctx, out) // what was asked between the two
}

func (r *run) abort(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, r.d.o.Times.Reply)
	defer cancel()
	return r.d.c.Abort(ctx, id)
}

// rejectAll rejects what the server lists and what is open here.
func (r *run) rejectAll(ctx context.Context, out broker.Outcome) {
	limit, cancel := context.WithTimeout(ctx, max(r.d.o.Times.Reply, time.Millisecond))
	list, err := r.waiting(limit)
	cancel()
	if err != nil {
		r.note("the waiting requests can't be listed: " + err.Error())
	}
	for _, q := range list {
		if r.requests.open[q.ID] == nil && !r.requests.done[q.ID] {
			r.requests.open[q.ID] = &entry{req: q}
			r.requests.order = append(r.requests.order, q.ID)
		}
	}
	reason := "the run ended"
	if out.Reason != "" {
		reason += ": " + out.Reason
	}
	for _, id := range r.requests.order {
		e := r.requests.open[id]
		if e == nil {
			continue
		}
		decision, by, why := broker.Cancel, broker.ByStop, reason
		p, lost := r.reject(ctx, e.req), false
		if p.err == nil && (p.settled || p.assumed) {
			lost, p.err = r.d.c.lost(ctx, e.req)
		}
		switch {
		case p.err != nil:
			decision, why = "", "it couldn't be rejected: "+p.err.Error()
		case lost:
			decision, by, why = "", broker.ByLoss, lostReason
		case p.settled && e.state == sending:
			decision, by, why = e.answer.Decision, e.by, "answered just before the stop"
		case p.settled:
			decision, by, why = "", broker.ByOther, "it was settled before the stop"
		}
		r.closed(e, decision, by, why)
	}
}

// gone reports whether the server is known to have ended.
func (r *run) gone() bool {
	select {
	case <-r.d.o.Gone:
		return r.d.o.Gone != nil
	default:
		return false
	}
}

// drop closes what is open without a server.
func (r *run) drop(reason string) {
	for _, id := range r.requests.order {
		if e := r.requests.open[id]; e != nil {
			r.closed(e, "", broker.ByStop, reason)
		}
	}
}

package server

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/server/store"
)

// recover takes up what a service that ran before has left: its sessions and
// their turns go on; every request that was open is expired, and none is
// answered again; grants were in its memory and are gone.
func (d *desk) recover(ctx context.Context) error {
	rows, err := d.store.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, data := range rows {
		var a agentSession
		if err := json.Unmarshal(data, &a); err != nil {
			return err
		}
		d.sessions[a.ID] = &a
	}
	ch := d.plan(ctx, byRestart)
	approvals, err1 := d.store.Unsettled(ctx, evApproval, evApprovalDone)
	questions, err2 := d.store.Unsettled(ctx, evQuestion, evQuestionDone)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for _, row := range append(approvals, questions...) {
		if err := ch.expireLeft(row); err != nil {
			return err
		}
	}
	for _, id := range sortedKeys(d.sessions) {
		if ch.snap.cells[d.sessions[id].cell()] == nil {
			continue // no dialect in this build: the session can be unloaded
		}
		if err := ch.recompile(id, false, "the service was restarted: grants have ended"); err != nil {
			ch.emit(event{Type: evRuleset, Session: id, Reason: "the session's rules can't be compiled under this policy: " + err.Error()})
		}
	}
	if p := ch.commit(); p != nil {
		return errors.New(p.Detail)
	}
	return nil
}

func (ch *change) expireLeft(row store.Event) error {
	last, err := readEvent(row)
	if err != nil {
		return err
	}
	var kept private
	if err := json.Unmarshal(row.Private, &kept); err != nil {
		return err
	}
	r := *last.Request
	e := &entry{public: r, asked: kept.request(), life: broker.Life{State: r.State, Answer: broker.Answer{Decision: r.Decision}, By: r.DecidedBy, Reason: r.Reason}}
	reason := "the service was restarted while it waited"
	if r.State == broker.StateResponding {
		reason = "the service was restarted while the answer was on its way: whether it arrived isn't known, and it isn't sent again"
	}
	ch.close(e, broker.StateExpired, byRestart, reason)
	return nil
}

// expireDue closes what is overdue. The caller holds the desk.
func (d *desk) expireDue(ctx context.Context) {
	ch := d.plan(ctx, byExpiry)
	for _, e := range ch.inOrder() {
		if ch.at.Before(e.due.Truncate(time.Millisecond)) {
			continue
		}
		reason := "nobody answered within " + d.expiry.String()
		if e.life.State == broker.StateResponding {
			reason = "no adapter said within " + d.delivery.String() + " that the answer arrived: whether it did isn't known"
		}
		ch.close(e, broker.StateExpired, byExpiry, reason)
		ch.mustRevoke(e)
	}
	ch.commit()
}

// retryExpiry is how long the desk waits before it tries again to write what
// couldn't be written.
const retryExpiry = time.Second

// watch closes what is overdue when it is, until the context ends.
func (d *desk) watch(ctx context.Context) {
	for {
		d.mu.Lock()
		changed, soonest := d.changed, d.soonest
		d.mu.Unlock()
		var due <-chan time.Time
		stop := func() bool { return true }
		if !soonest.IsZero() {
			t := time.NewTimer(max(soonest.Sub(d.now()), 0) + time.Millisecond)
			due, stop = t.C, t.Stop
		}
		select {
		case <-ctx.Done():
			stop()
			return
		case <-changed:
			stop()
		case <-due:
			_, end := d.begin(ctx, byExpiry)
			late := d.soonest == soonest
			end()
			if !late {
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(retryExpiry):
			}
		}
	}
}

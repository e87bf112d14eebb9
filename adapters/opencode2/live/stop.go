package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modegate/modegate/adapters/broker"
)

// loadLimit is how long the look at what an earlier run left may take.
const loadLimit = 5 * time.Second

// reject dismisses a request without a message, which ends what asked it.
func (d *Driver) reject(ctx context.Context, q broker.Request) performed {
	ops, err := d.o.Translator.Operations(q, broker.Answer{Decision: broker.Cancel})
	if err != nil {
		return performed{err: err}
	}
	return d.perform(ctx, ops)
}

// waitingIn lists the requests that wait in sessions. One that isn't there any
// more has none.
func (d *Driver) waitingIn(ctx context.Context, sessions []string) ([]broker.Request, error) {
	var out []broker.Request
	for _, id := range sessions {
		list, err := d.c.waiting(ctx, id)
		if isGone(err) {
			continue
		}
		if err != nil {
			return out, err
		}
		for _, native := range list {
			if q, err := d.o.Translator.Request(native); err == nil {
				out = append(out, q)
			}
		}
	}
	return out, nil
}

// fate is what became of a request that was open when its run ended.
type fate struct {
	req broker.Request
	performed
}

// wind leaves nothing of the run open. Unless it ended by itself, what waits is
// rejected before it is interrupted, since a late answer might still set it off,
// and what was asked between the two after it. A person's cancel, and
// what fails the turn, always interrupts: the server itself may end a child alone.
func (r *run) wind() {
	var open []broker.Request
	for _, e := range r.inOrder() {
		open = append(open, e.req)
	}
	known := maps.Clone(r.d.done)
	sessions := []string{}
	if r.prompted && (!r.ended || r.requests.cancel != "" || r.requests.fail != "") {
		for id, ours := range r.d.family {
			if ours {
				sessions = append(sessions, id)
			}
		}
		slices.Sort(sessions)
	}
	r.d.async(func(ctx context.Context) func() {
		ctx, cancel := context.WithTimeout(ctx, stopLimit)
		defer cancel()
		fates, problems := r.d.clear(ctx, open, known, sessions)
		return func() {
			for _, text := range problems {
				r.d.note(text)
			}
			for _, f := range fates {
				r.close(f)
			}
			r.settle()
		}
	})
}

// clear rejects requests and interrupts sessions.
func (d *Driver) clear(ctx context.Context, open []broker.Request, known map[string]bool, sessions []string) (fates []fate, problems []string) {
	rejectAll := func() {
		limited, cancel := context.WithTimeout(ctx, loadLimit)
		found, err := d.waitingIn(limited, sessions)
		cancel()
		if err != nil {
			problems = append(problems, "the waiting requests can't be listed: "+err.Error())
		}
		for _, q := range append(open, found...) {
			if !known[q.ID] {
				known[q.ID] = true
				fates = append(fates, fate{q, d.reject(ctx, q)})
			}
		}
	}
	rejectAll()
	if len(sessions) == 0 {
		return fates, problems
	}
	for _, id := range sessions {
		if err := d.interrupt(ctx, id); err != nil && !isGone(err) {
			problems = append(problems, fmt.Sprintf("session %s can't be interrupted: %v", id, err))
		}
	}
	rejectAll()
	return fates, problems
}

func (d *Driver) interrupt(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	return d.c.Interrupt(ctx, id)
}

// close says how a request ended that was open at the end of its run.
func (r *run) close(f fate) {
	if r.d.done[f.req.ID] {
		return
	}
	e := r.requests.open[f.req.ID]
	if e == nil {
		e = &entry{req: f.req}
	}
	reason := "the run ended"
	if r.outcome.Reason != "" {
		reason += ": " + r.outcome.Reason
	}
	switch {
	case f.err != nil && e.state == sending:
		r.closed(e, "", broker.ByStop, fmt.Sprintf("whether the answer %q arrived isn't known, and it couldn't be rejected: %v", said(e.answer), f.err))
	case f.err != nil:
		r.closed(e, "", broker.ByStop, "it couldn't be rejected: "+f.err.Error())
	case f.settled && e.state == sending:
		r.closed(e, e.answer.Decision, e.by, "answered just before the stop")
	case f.settled && !r.ended:
		r.closed(e, "", broker.ByOther, "it was settled before the stop")
	default:
		r.closed(e, broker.Cancel, broker.ByStop, reason)
	}
}

// said is an answer in a word.
func said(a broker.Answer) string {
	if a.Decision == "" {
		return "answers"
	}
	return string(a.Decision)
}

// load stops what an earlier run left in the session: what waits is rejected and
// what runs interrupted, before anybody is shown anything. Its end, which may come
// late, is no run's of ours.
func (d *Driver) load(ctx context.Context) error {
	d.box.Post(func() { d.behind = true })
	id := d.ID()
	limited, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	left, err := d.waitingIn(limited, []string{id})
	if err != nil {
		return fmt.Errorf("the waiting requests can't be listed: %w", err)
	}
	active, err := d.c.Active(limited)
	if err != nil {
		return err
	}
	running := active[id]
	if running || len(left) > 0 {
		sessions := []string{}
		if running {
			sessions = append(sessions, id)
		}
		fates, problems := d.clear(ctx, left, map[string]bool{}, sessions)
		for _, f := range fates {
			if f.err != nil {
				return fmt.Errorf("%q, which an earlier run left waiting, can't be rejected: %w", f.req.Title, f.err)
			}
			d.box.Post(func() {
				d.done[f.req.ID] = true
				d.note("rejected what an earlier run left waiting: " + f.req.Title)
			})
		}
		d.box.Post(func() {
			for _, text := range problems {
				d.note(text)
			}
		})
		if running, err = d.stillRuns(ctx, id); err != nil {
			return err
		}
	}
	d.box.Post(func() { d.behind = running })
	return nil
}

// stillRuns waits a moment for a session to come to rest.
func (d *Driver) stillRuns(ctx context.Context, id string) (bool, error) {
	again := time.NewTicker(agentsAgain)
	defer again.Stop()
	limit := time.NewTimer(settleLimit)
	defer limit.Stop()
	for {
		active, err := d.c.Active(ctx)
		if err != nil || !active[id] {
			return false, err
		}
		select {
		case <-again.C:
		case <-limit.C:
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
}

// interruptAgain fails while an earlier run is still under way, and interrupts it
// once more.
func (d *Driver) interruptAgain(ctx context.Context) error {
	id := d.ID()
	active, err := d.c.Active(ctx)
	if err != nil || !active[id] {
		return err
	}
	if err := d.interrupt(ctx, id); err != nil {
		return err
	}
	return errors.New("an earlier run of the session is still under way; it was interrupted once more")
}

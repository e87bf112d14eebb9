package live

import (
	"context"
	"sync"
	"time"

	"github.com/modegate/modegate/adapters/broker"
)

// run is one prompt and what comes of it. All of it belongs to the Driver's loop.
type run struct {
	d      *Driver
	person broker.Person
	prompt string
	ctx    context.Context // of what is under way; ends when the run must
	cancel context.CancelFunc
	work   sync.WaitGroup // what is under way
	over   chan broker.Outcome

	begun     bool
	prompted  bool            // the prompt is on its way, or was taken
	inbox     string          // the prompt's id, once it was taken
	delivered map[string]bool // messages that the agent got
	started   bool            // its execution was seen
	ended     bool            // and that execution's end
	outcome   *broker.Outcome
	wound     bool // what was open is closed
	waited    bool // long enough for the execution's end
	sweeping  int  // late requests that are being rejected

	requests requests
	shown    map[string]string // of texts: what was shown
	tools    map[string]string // names by call
}

// Run sends the prompt once the events flow and the rules are up to date, and
// follows its run to the end.
func (d *Driver) Run(ctx context.Context, prompt string, p broker.Person) broker.Outcome {
	r := &run{
		d: d, person: p, prompt: prompt, over: make(chan broker.Outcome, 1),
		delivered: map[string]bool{}, requests: newRequests(), shown: map[string]string{}, tools: map[string]string{},
	}
	r.ctx, r.cancel = context.WithCancel(d.ctx)
	defer r.cancel()
	d.box.Post(func() { d.start(r) })
	left := ctx.Done()
	for {
		select {
		case <-left:
			left = nil
			d.box.Post(func() { r.end(broker.Cancelled, context.Cause(ctx).Error()) })
		case out := <-r.over:
			return out
		case <-d.ctx.Done():
			select {
			case out := <-r.over:
				return out
			default:
				return broker.Outcome{End: broker.Cancelled, Reason: "the session was closed"}
			}
		}
	}
}

func (d *Driver) start(r *run) {
	if d.run != nil {
		r.over <- broker.Outcome{End: broker.Failed, Reason: ErrBusy.Error()}
		return
	}
	d.run = r
	for _, note := range d.notes {
		d.note(note)
	}
	d.notes = nil
	if d.open {
		r.begin()
	} else {
		d.giveUpLater()
	}
}

// async does something beside the loop, and what it returns in the loop. The run
// isn't wound up before.
func (r *run) async(f func(context.Context) func()) {
	r.work.Add(1)
	r.d.work.Go(func() {
		defer r.work.Done()
		if then := f(r.ctx); then != nil {
			r.d.box.Post(then)
		}
	})
}

// begin brings the rules up to date. An earlier run that wouldn't end must have
// ended: a prompt would be put into it.
func (r *run) begin() {
	if r.begun || r.outcome != nil {
		return
	}
	r.begun = true
	behind := r.d.behind
	r.async(func(ctx context.Context) func() {
		fail := func(err error) func() {
			return func() { r.end(broker.Failed, "the prompt wasn't sent: "+err.Error()) }
		}
		if behind {
			if err := r.d.interruptAgain(ctx); err != nil {
				return fail(err)
			}
		}
		if _, err := r.d.Sync(ctx); err != nil {
			return fail(err)
		}
		return r.send
	})
}

// send sends the prompt, once: one whose answer is lost may have been taken.
func (r *run) send() {
	if r.outcome != nil {
		return
	}
	r.d.behind, r.prompted = false, true
	id := r.d.ID()
	r.async(func(ctx context.Context) func() {
		inbox, err := r.d.c.Prompt(ctx, id, r.prompt)
		return func() {
			if err != nil {
				r.end(broker.Failed, "the prompt wasn't taken: "+err.Error())
				return
			}
			r.inbox = inbox
			r.started = r.started || r.delivered[inbox]
		}
	})
}

// promptDelivered takes the event that the agent got a message: with the prompt
// the run has started, whatever ran before.
func (r *run) promptDelivered(inbox string) {
	r.delivered[inbox] = true
	r.started = r.started || inbox != "" && inbox == r.inbox
}

// executionEnded takes the end of what the session ran. That of an earlier run,
// which may come late, is passed over.
func (d *Driver) executionEnded(e event) {
	r := d.run
	if r == nil || !r.started {
		d.behind = false
		return
	}
	r.ended = true
	switch {
	case r.requests.fail != "":
		r.rest(broker.Failed, r.requests.fail)
	case e.kind == eventSucceeded:
		r.rest(broker.Ended, "")
	case e.kind == eventFailed:
		reason := e.text("error", "message")
		if reason == "" {
			reason = "the run failed: " + e.data.String()
		}
		r.rest(broker.Failed, reason)
	default:
		r.rest(broker.Cancelled, r.requests.refused(e.text("reason")))
	}
	r.settled()
}

// gone ends a run whose session isn't there any more.
func (r *run) gone() {
	r.ended = true
	r.rest(broker.Failed, "the session isn't there any more")
	r.settled()
}

// end decides how the run ended, the first to do so is right, and gives up what
// is under way.
func (r *run) end(end broker.End, reason string) {
	r.rest(end, reason)
	r.cancel()
}

// rest decides how the run ended by itself. Answers that are under way are then
// waited for: the run may end before the last of them is known to be delivered.
func (r *run) rest(end broker.End, reason string) {
	if r.outcome != nil {
		return
	}
	r.outcome = &broker.Outcome{End: end, Reason: reason}
	r.d.work.Go(func() {
		r.work.Wait()
		r.d.box.Post(r.wind)
	})
}

// settle waits a moment for the end of an execution that was interrupted: what it
// still asks is rejected by then.
func (r *run) settle() {
	r.wound = true
	r.settled()
	if r.d.run != r {
		return
	}
	r.d.async(func(ctx context.Context) func() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settleLimit):
			return func() {
				r.waited = true
				r.settled()
			}
		}
	})
}

// settled lets Run return once nothing more of it can come.
func (r *run) settled() {
	over := r.ended || !r.prompted || r.waited
	if r.d.run != r || !r.wound || !over || r.sweeping > 0 {
		return
	}
	r.d.run = nil
	r.d.behind = r.d.behind || r.prompted && !r.ended
	r.over <- *r.outcome
	if r.d.rested != nil {
		close(r.d.rested)
		r.d.rested = nil
	}
}

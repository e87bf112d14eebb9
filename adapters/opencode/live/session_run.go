package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/mailbox"
)

// run is one prompt and what comes of it. Everything but the mailbox belongs to
// the goroutine of its loop: the event stream, deliveries and answers post to
// the mailbox, and the person is called from the loop alone.
type run struct {
	*mailbox.Box
	d      *Driver
	root   string
	person broker.Person
	prompt Prompt
	ctx    context.Context // of the calls that are under way; ends before anything is rejected
	cancel context.CancelFunc
	work   sync.WaitGroup

	prompted bool
	before   string // the session's last message before the prompt
	err      string // the last session.error
	lost     *time.Timer
	outcome  *broker.Outcome
	urgent   bool // nothing is waited for

	requests requests
	family   map[string]bool // the session and its children: true; others: false
	parts    map[string]*part
	roles    map[string]string // of messages
}

// Run sends the prompt once the events flow, and follows its run to the end.
func (d *Driver) Run(ctx context.Context, prompt string, p broker.Person) broker.Outcome {
	r := &run{
		Box: mailbox.New(), d: d, root: d.ID(), person: p,
		requests: newRequests(), family: map[string]bool{d.ID(): true},
		parts: map[string]*part{}, roles: map[string]string{},
	}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.prompt = d.prompt(prompt)
	d.mu.Lock()
	d.run = r
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.run = nil
		d.mu.Unlock()
	}()
	for _, note := range d.notes {
		r.note(note)
	}
	d.notes = nil
	r.work.Go(func() { r.follow() })
	out := r.loop(ctx)
	r.close(ctx, out)
	return out
}

// prompt is a prompt as the session sends it.
func (d *Driver) prompt(text string) Prompt {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Prompt{Text: text, Agent: d.agent, ProviderID: d.o.ProviderID, ModelID: d.o.ModelID}
}

// follow keeps the event stream.
func (r *run) follow() {
	_ = r.d.c.Events(r.ctx, Hooks{
		Event: func(e Event) { r.Post(func() { r.event(e) }) },
		Connected: func(_ context.Context, again bool) {
			r.Post(func() { r.connected(again) })
		},
		Lost: func(err error) { r.Post(func() { r.streamLost(err) }) },
	})
}

// async does something beside the loop, and what it returns in the loop.
func (r *run) async(f func(context.Context) func()) {
	r.work.Go(func() {
		if then := f(r.ctx); then != nil {
			r.Post(then)
		}
	})
}

func (r *run) loop(ctx context.Context) broker.Outcome {
	for {
		select {
		case <-ctx.Done():
			r.end(broker.Cancelled, context.Cause(ctx).Error())
		case <-r.d.o.Gone:
			r.end(broker.Failed, "the OpenCode server has ended")
		case <-r.Ring():
			for _, f := range r.Take() {
				f()
			}
		}
		if r.outcome != nil && (r.urgent || !r.sending()) {
			return *r.outcome
		}
	}
}

// end decides at once how the run ended; the first to do so is right.
func (r *run) end(end broker.End, reason string) {
	r.rest(end, reason)
	r.urgent = true
}

// rest decides how the run ended by itself. Answers that are under way are then
// waited for: the run may end before the last of them is known to be delivered.
func (r *run) rest(end broker.End, reason string) {
	if r.outcome == nil {
		r.outcome = &broker.Outcome{End: end, Reason: reason}
	}
}

func (r *run) sending() bool {
	for _, e := range r.requests.open {
		if e.state == sending {
			return true
		}
	}
	return false
}

func (r *run) note(text string) { r.person.Saw(broker.Sight{Kind: broker.SawNote, Text: text}) }

// connected begins the run when the stream is open for the first time. Later it
// finds out what happened meanwhile: the server keeps no events.
func (r *run) connected(again bool) {
	if r.outcome != nil {
		return
	}
	if r.lost != nil {
		r.lost.Stop()
		r.lost = nil
		r.note("the event stream is back")
	}
	if !again {
		r.async(r.begin)
		return
	}
	if !r.prompted {
		return
	}
	r.relist()
}

// begin rejects what an earlier run left waiting in the session, which a late
// answer could still set off, and sends the prompt.
func (r *run) begin(ctx context.Context) func() {
	fail := func(what string, err error) func() {
		return func() { r.end(broker.Failed, what+": "+err.Error()) }
	}
	left, err := r.waiting(ctx)
	if err != nil {
		return fail("the waiting requests can't be listed", err)
	}
	for _, q := range left {
		if p := r.reject(ctx, q); p.err != nil {
			return fail("a request that an earlier run left can't be rejected", p.err)
		}
	}
	messages, err := r.d.c.Messages(ctx, r.root)
	if err != nil {
		return fail("the session can't be read", err)
	}
	return func() {
		if r.outcome != nil {
			return
		}
		for _, q := range left {
			r.requests.done[q.ID] = true
			r.note("rejected what an earlier run left waiting: " + q.Title)
		}
		if n := len(messages); n > 0 {
			r.before = messages[n-1].Info.ID
		}
		r.prompted = true
		r.async(func(ctx context.Context) func() {
			if err := r.d.c.PromptAsync(ctx, r.root, r.prompt); err != nil {
				return fail("the prompt wasn't taken", err)
			}
			return nil
		})
	}
}

func (r *run) streamLost(err error) {
	if r.lost != nil || r.outcome != nil {
		return
	}
	r.note(fmt.Sprintf("the event stream is lost (%v); trying again", err))
	r.lost = time.AfterFunc(r.d.o.Times.Lost, func() {
		r.Post(func() { r.end(broker.Failed, "the OpenCode server can't be reached") })
	})
}

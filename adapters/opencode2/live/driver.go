package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/mailbox"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// A Driver is the live half of OpenCode 2 for one session: a [broker.Performer].
// It follows the server's events from Open to Close, so that what a stopped run
// still asks is answered, too.
//
// Everything below "of the loop" belongs to the goroutine of its loop, which is
// also the one that calls the person: the event stream, deliveries and answers
// post to the mailbox.
type Driver struct {
	box    *mailbox.Box
	c      *Client
	o      Options
	ctx    context.Context // from Open to Close
	cancel context.CancelFunc
	work   sync.WaitGroup

	answered chan struct{} // closed when the server has answered the subscription, or refused it
	first    sync.Once

	syncing sync.Mutex // held while rules are brought up to date

	mu      sync.Mutex
	id      string // the session's, "" until the first Apply makes one
	cell    evaluator.Cell
	compile broker.Compile
	agent   string            // the session's own, "" for the server's default
	agents  []evaluator.Agent // nil until the server has said any
	grants  []evaluator.Grant // with repetitions, one for each answer that gave it
	env     evaluator.Env     // the last
	rules   []Rule            // that were applied last
	answers broker.Translator // answers by itself as they say; nil before the first Apply

	// Of the loop.
	run    *run            // the one that is under way
	family map[string]bool // the session and its children: true; others: false
	done   map[string]bool // requests that are closed
	behind bool            // an earlier run may still be under way
	open   bool            // the event stream
	seen   bool            // it was open before
	lost   *time.Timer     // until a lost stream is given up
	notes  []string        // for the next run
	rested chan struct{}   // closed when no run is under way; nil unless that is waited for
}

// Options say what a Driver drives, and under which cell.
type Options struct {
	Session string // the session to continue, "" to make one
	Cell    evaluator.Cell
	Model   *Model // of a new session; nil means the server's default
	// NeedsAgents reports whether the rules of a cell repeat those of the
	// server's agents; nil means that all do.
	NeedsAgents func(evaluator.Cell) bool
	Translator  broker.Translator
	Compile     broker.Compile
}

var _ broker.Performer = (*Driver)(nil)

// ErrBusy says that the session runs a prompt already.
var ErrBusy = errors.New("the session runs a prompt already")

// How long things may take.
const (
	subscribeLimit = time.Second            // for the server to answer the subscription before anything else is asked
	lostLimit      = time.Minute            // for a lost event stream to come back
	replyLimit     = 10 * time.Second       // for one try to deliver an answer
	gather         = 250 * time.Millisecond // for other requests before one is declined
	stopLimit      = 15 * time.Second       // for everything that stopping does
	settleLimit    = 2 * time.Second        // for the end of a run that was interrupted
	lookAgain      = 2 * time.Second        // before something is asked once more that wasn't certain
)

// Open subscribes to the server's events and looks up the session to continue,
// if there is one: what an earlier run left in it is stopped. The Driver must be
// closed.
func Open(ctx context.Context, c *Client, o Options) (*Driver, error) {
	d := &Driver{
		box: mailbox.New(), c: c, o: o, answered: make(chan struct{}),
		id: o.Session, cell: o.Cell, compile: o.Compile,
		family: map[string]bool{}, done: map[string]bool{},
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	if o.Session != "" {
		s, err := c.Session(ctx, o.Session)
		if err != nil {
			d.cancel()
			c.Close()
			return nil, err
		}
		if s.Location.Directory != "" && s.Location.Directory != c.dir {
			d.c = c.in(s.Location.Directory)
		}
		d.agent = s.Agent
		d.family[o.Session] = true
	}
	d.work.Go(d.loop)
	d.work.Go(d.follow)
	if err := d.begin(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// begin waits for the subscription, and asks nothing before: what happens from
// then on is heard. A server that only answers with its first event doesn't hold
// this up.
func (d *Driver) begin(ctx context.Context) error {
	limit := time.NewTimer(subscribeLimit)
	defer limit.Stop()
	select {
	case <-d.answered:
	case <-limit.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	models, err := d.c.Models(ctx)
	if err != nil {
		return err
	}
	if m := d.o.Model; m != nil && !slices.Contains(models, *m) {
		return fmt.Errorf("the server has no model %s/%s", m.ProviderID, m.ID)
	}
	if d.o.Session == "" {
		return nil
	}
	return d.load(ctx)
}

// Close ends the Driver, and with it what it still does: a run that is under way
// is stopped first. Grants end here. A person's methods must not call it.
func (d *Driver) Close() {
	rested := make(chan struct{})
	d.box.Post(func() {
		if d.run == nil {
			close(rested)
			return
		}
		d.rested = rested
		d.run.end(broker.Cancelled, "the session was closed")
	})
	limit := time.NewTimer(stopLimit + settleLimit)
	defer limit.Stop()
	select {
	case <-rested:
	case <-limit.C:
	case <-d.ctx.Done():
	}
	d.cancel()
	d.work.Wait()
	if d.lost != nil {
		d.lost.Stop()
	}
	d.c.Close()
}

// loop does what is posted, in order.
func (d *Driver) loop() {
	for {
		select {
		case <-d.ctx.Done():
			return
		case <-d.box.Ring():
			for _, f := range d.box.Take() {
				f()
			}
		}
	}
}

// async does something beside the loop, and what it returns in the loop.
func (d *Driver) async(f func(context.Context) func()) {
	d.work.Go(func() {
		if then := f(d.ctx); then != nil {
			d.box.Post(then)
		}
	})
}

// ID is the session's id, "" before it was made.
func (d *Driver) ID() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.id
}

// Directory is the session's folder.
func (d *Driver) Directory() string { return d.c.dir }

// Switch changes the cell, and brings the session's rules up to date: also those
// of a run that is under way, for what it asks from then on.
func (d *Driver) Switch(ctx context.Context, cell evaluator.Cell, compile broker.Compile) (*compiler.Compiled, error) {
	d.mu.Lock()
	d.cell, d.compile = cell, compile
	d.mu.Unlock()
	return d.Sync(ctx)
}

// Sync brings the session's rules up to date with what the session knows now.
func (d *Driver) Sync(ctx context.Context) (*compiler.Compiled, error) {
	d.syncing.Lock()
	defer d.syncing.Unlock()
	d.mu.Lock()
	compile := d.compile
	d.mu.Unlock()
	return broker.Sync(ctx, d, compile)
}

// note tells the person of the run that is under way, or of the next one.
func (d *Driver) note(text string) {
	if d.run == nil {
		d.notes = append(d.notes, text)
		return
	}
	d.run.person.Saw(broker.Sight{Kind: broker.SawNote, Text: text})
}

// translator answers by itself what the rules in force say, and else the cell.
func (d *Driver) translator() (broker.Translator, evaluator.Cell) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.answers == nil {
		return d.o.Translator, d.cell
	}
	return d.answers, d.cell
}

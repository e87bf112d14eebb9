package remote

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// A Person brings what a run asks to the inbox of its session's service, and has
// it answered as is decided there. It is the run's [broker.Person].
//
// Two things happen beside the run: the events come, and calls are made one after
// the other, so that the report about a request follows on its opening.
type Person struct {
	s    *Session
	at   broker.Performer
	view broker.Person
	ends Ends

	ctx    context.Context // of calls and events, until Stop
	cancel context.CancelFunc
	events sync.WaitGroup
	served chan struct{} // closed when no more calls are made

	mu     sync.Mutex
	open   map[string]*asked // that the run has open, by the provider's id
	ours   map[string]*asked // all, by the service's id
	jobs   []func(context.Context)
	ruling int     // rules that aren't in force at the provider yet
	held   []event // about requests, that came after them
	ring   chan struct{}
	stood  bool // the events have come once
	over   bool // no more jobs come
	fault  error
	gone   *time.Timer // runs while the events are away

	seeing sync.Mutex // the view is called one at a time
}

// Ends are what a Person does to its run when it can't go on. They don't wait for
// the run's end.
type Ends struct {
	// Fail ends the run, with whatever waits refused. It is called once.
	Fail func(error)
	// Changed says that the session has another mode from now on, which reaches the
	// provider when the run is started anew.
	Changed func(evaluator.Mode, evaluator.Interaction)
	// Ruled brings the rules that the session has by now to the provider, which
	// takes them while the run goes on.
	Ruled func(context.Context) error
}

// NewPerson follows the session's events, and returns once they come. The view is
// shown what happens; nobody is asked there.
func (s *Session) NewPerson(ctx context.Context, at broker.Performer, view broker.Person, ends Ends) (*Person, error) {
	p := &Person{
		s: s, at: at, view: view, ends: ends, served: make(chan struct{}),
		open: map[string]*asked{}, ours: map[string]*asked{}, ring: make(chan struct{}, 1),
	}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	stands, ended := make(chan struct{}), make(chan error, 1)
	p.events.Go(func() {
		err := s.follow(p.ctx, follower{open: func() { p.back(stands) }, each: p.event, away: p.away})
		ended <- err
		if p.ctx.Err() == nil && p.stood {
			p.fail(err)
		}
	})
	var err error
	select {
	case <-stands:
		go p.serve()
		return p, nil
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-time.After(s.c.times.Lost):
		err = &Lost{errors.New("its events don't come")}
	}
	close(p.served)
	return nil, errors.Join(err, p.Stop(ctx))
}

// Stop waits until the service was told how the requests ended, and says what was
// wrong with the service. The run must be over.
func (p *Person) Stop(ctx context.Context) error {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.wake()
	select {
	case <-p.served:
	case <-time.After(p.s.c.times.Stop):
		p.note("the modegate service couldn't be told everything in time")
	case <-ctx.Done():
	}
	p.cancel()
	<-p.served
	p.events.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != nil {
		p.gone.Stop()
	}
	return p.fault
}

// do makes a call after those before it.
func (p *Person) do(job func(context.Context)) {
	p.mu.Lock()
	if !p.over {
		p.jobs = append(p.jobs, job)
	}
	p.mu.Unlock()
	p.wake()
}

func (p *Person) wake() {
	select {
	case p.ring <- struct{}{}:
	default:
	}
}

// serve makes the calls, until there are none and no more come.
func (p *Person) serve() {
	defer close(p.served)
	for p.ctx.Err() == nil {
		p.mu.Lock()
		jobs, over := p.jobs, p.over
		p.jobs = nil
		p.mu.Unlock()
		for _, job := range jobs {
			job(p.ctx)
		}
		if len(jobs) > 0 {
			continue
		}
		if over {
			return
		}
		select {
		case <-p.ring:
		case <-p.ctx.Done():
		}
	}
}

// fail ends the run, once.
func (p *Person) fail(err error) {
	p.mu.Lock()
	first := p.fault == nil
	if first {
		p.fault = err
	}
	p.mu.Unlock()
	if first {
		if passing(err) {
			p.s.lost.Store(true)
		}
		p.ends.Fail(err)
	}
}

// away gives the events some time to come back.
func (p *Person) away(err error) {
	p.mu.Lock()
	first := p.stood && p.gone == nil
	if first {
		p.gone = time.AfterFunc(p.s.c.times.Lost, func() { p.fail(err) })
	}
	p.mu.Unlock()
	if first {
		p.note(err.Error() + "; trying again")
	}
}

// back is the opposite of away. The first time it closes stands.
func (p *Person) back(stands chan<- struct{}) {
	p.mu.Lock()
	was := p.gone != nil && p.gone.Stop()
	p.gone = nil
	if !p.stood {
		p.stood = true
		close(stands)
	}
	p.mu.Unlock()
	if was {
		p.note("the modegate service is back")
	}
}

// Saw shows something that happened.
func (p *Person) Saw(s broker.Sight) {
	p.seeing.Lock()
	defer p.seeing.Unlock()
	p.view.Saw(s)
}

func (p *Person) note(text string) { p.Saw(broker.Sight{Kind: broker.SawNote, Text: text}) }

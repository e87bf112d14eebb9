package server

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/server/store"
)

// Translators finds the pure half of a provider's boundary, nil where there is none.
type Translators map[evaluator.Provider]broker.Translator

// The times that a request may take when the configuration says nothing.
const (
	DefaultExpiry   = time.Hour
	DefaultDelivery = time.Minute
)

// desk keeps the sessions of agents and what they ask. What it knows is on disk,
// but for grants. Every change is made in one place, one at a time: it is
// planned on copies, written in one transaction, and only then in force and
// seen by anybody.
type desk struct {
	s           *Server
	store       *store.Store
	translators Translators
	now         func() time.Time
	expiry      time.Duration // of a request that waits for somebody
	delivery    time.Duration // of an answer that is on its way

	keepAlive    time.Duration
	readerWrites time.Duration
	readers      atomic.Int64 // of events

	mu       sync.Mutex
	sessions map[string]*agentSession
	open     map[string]*entry // requests whose life isn't over
	grants   map[holder][]evaluator.Grant
	count    int64         // of the requests that were opened
	soonest  time.Time     // when the first of the open requests is due, zero for none
	changed  chan struct{} // closed when something has changed
}

func newDesk(s *Server) *desk {
	d := &desk{
		s: s, store: s.Store, translators: s.Translators, now: s.Now, expiry: s.Expiry, delivery: s.Delivery,
		sessions: map[string]*agentSession{}, open: map[string]*entry{}, grants: map[holder][]evaluator.Grant{},
		changed: make(chan struct{}), keepAlive: keepAlive, readerWrites: readerWrites,
	}
	if d.now == nil {
		d.now = time.Now
	}
	if d.expiry <= 0 {
		d.expiry = DefaultExpiry
	}
	if d.delivery <= 0 {
		d.delivery = DefaultDelivery
	}
	return d
}

// atDesk is a handler that needs the desk.
func atDesk(handle func(*desk, *call)) func(*Server, *call) {
	return func(s *Server, c *call) {
		if s.desk == nil {
			c.refuse(newProblem(http.StatusServiceUnavailable, "no-store", "this service keeps no sessions: it has no data folder"))
			return
		}
		handle(s.desk, c)
	}
}

// change is a change that is planned: what is to be written, and what is in
// force then. Its looks see the plan.
type change struct {
	*desk
	ctx      context.Context
	snap     *snapshot
	at       time.Time
	by       string                   // who makes it
	sessions map[string]*agentSession // nil: unloaded
	unloaded map[string]*agentSession // what those were
	turns    []turnRow
	open     map[string]*entry // nil: its life is over
	grants   map[holder][]evaluator.Grant
	events   []event
	gate     *gate // nil where there are no guardrails
}

// begin takes the desk for a change. What is overdue is closed first. end gives
// the desk back.
func (d *desk) begin(ctx context.Context, by string) (ch *change, end func()) {
	d.mu.Lock()
	if now := d.now(); !d.soonest.IsZero() && !now.Before(d.soonest) {
		d.expireDue(ctx)
	}
	return d.plan(ctx, by), d.mu.Unlock
}

func (d *desk) plan(ctx context.Context, by string) *change {
	return &change{
		desk: d, ctx: ctx, snap: d.s.current.Load(), at: d.now().UTC().Truncate(time.Millisecond), by: by,
		sessions: map[string]*agentSession{}, unloaded: map[string]*agentSession{}, open: map[string]*entry{}, grants: map[holder][]evaluator.Grant{},
	}
}

func (ch *change) session(id string) *agentSession {
	if a, ok := ch.sessions[id]; ok {
		return a
	}
	return ch.desk.sessions[id]
}

func (ch *change) each() map[string]*agentSession {
	all := maps.Clone(ch.desk.sessions)
	for id, a := range ch.sessions {
		if all[id] = a; a == nil {
			delete(all, id)
		}
	}
	return all
}

func (ch *change) put(a agentSession) {
	a.Updated = ch.at
	ch.sessions[a.ID] = &a
}

// requests are the open ones, with the change.
func (ch *change) requests() map[string]*entry {
	all := maps.Clone(ch.desk.open)
	for id, e := range ch.open {
		if all[id] = e; e == nil {
			delete(all, id)
		}
	}
	return all
}

func (ch *change) held(h holder) []evaluator.Grant {
	if list, ok := ch.grants[h]; ok {
		return list
	}
	return ch.desk.grants[h]
}

func (ch *change) emit(e event) {
	e.At, e.Policy = ch.at, ch.snap.policy.Digest
	if e.By == "" {
		e.By = ch.by
	}
	ch.events = append(ch.events, e)
}

// commit writes the change, puts it in force and wakes whoever waits for one.
func (ch *change) commit() *problem {
	if len(ch.events) == 0 && len(ch.sessions) == 0 && len(ch.turns) == 0 {
		return nil
	}
	if err := ch.store.Update(ch.ctx, ch.write); err != nil {
		ch.s.Log.Error("a change can't be written: nothing was changed", "error", err.Error())
		p := newProblem(http.StatusServiceUnavailable, "store", "the change can't be written down: nothing was changed; try again")
		p.retryAfter = "1"
		return p
	}
	d := ch.desk
	apply(d.sessions, ch.sessions)
	apply(d.open, ch.open)
	for h, list := range ch.grants {
		if d.grants[h] = list; len(list) == 0 {
			delete(d.grants, h)
		}
	}
	if len(ch.open) > 0 {
		d.soonest = time.Time{}
		for _, e := range d.open {
			if d.soonest.IsZero() || e.due.Before(d.soonest) {
				d.soonest = e.due
			}
		}
	}
	close(d.changed)
	d.changed = make(chan struct{})
	return nil
}

func apply[T any](into, from map[string]*T) {
	for id, v := range from {
		if into[id] = v; v == nil {
			delete(into, id)
		}
	}
}

func (ch *change) write(tx *store.Tx) error {
	for _, e := range ch.events {
		if err := e.append(tx); err != nil {
			return err
		}
	}
	for id, a := range ch.sessions {
		if err := putRow(tx, id, a, ch.unloaded[id]); err != nil {
			return err
		}
	}
	for _, t := range ch.turns {
		data, err := strictjson.Encode(t)
		if err := errors.Join(err, tx.PutTurn(t.Session, t.ID, t.State == turnEnded, data)); err != nil {
			return err
		}
	}
	return nil
}

// putRow writes the row of a session, or what it was when it was unloaded.
func putRow(tx *store.Tx, id string, loaded, unloaded *agentSession) error {
	if loaded == nil {
		data, err := strictjson.Encode(unloaded)
		return errors.Join(err, tx.CloseSession(id, unloaded.Updated, data))
	}
	data, err := strictjson.Encode(loaded)
	return errors.Join(err, tx.PutSession(id, data))
}

// changes is a channel that closes with the next change. Whoever takes it before
// looking misses nothing.
func (d *desk) changes() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

// serve makes one change for a call and answers with what comes of it: a body,
// or no content where there is none. Nothing is written to the client while the
// desk is held.
func (d *desk) serve(c *call, f func(*change) (status int, body any, p *problem)) {
	status, body, snap, p := d.make(c, f)
	c.under(snap)
	switch {
	case p != nil:
		c.refuse(p)
	case body == nil:
		c.Status(status)
		c.Writer.WriteHeaderNow()
	default:
		c.reply(status, body)
	}
}

// make plans a change until guardrails have nothing more to say about it, and
// commits it.
func (d *desk) make(c *call, f func(*change) (int, any, *problem)) (status int, body any, snap *snapshot, p *problem) {
	gate := d.s.newGate()
	for range maxPlans {
		status, body, snap, p = d.try(c, gate, f)
		if !gate.ask(c.Request.Context()) {
			return status, body, snap, p
		}
	}
	return 0, nil, snap, unavailable(errUnsettled)
}

// try commits a change, unless its plan needs to hear guardrails first.
func (d *desk) try(c *call, gate *gate, f func(*change) (int, any, *problem)) (status int, body any, snap *snapshot, p *problem) {
	ch, end := d.begin(c.Request.Context(), c.who.Name)
	defer end()
	ch.gate = gate
	if status, body, p = f(ch); p == nil && !gate.waits() {
		p = ch.commit()
	}
	return status, body, ch.snap, p
}

// under answers a call under the policy that a change was made under.
func (c *call) under(snap *snapshot) {
	c.snap = snap
	c.Writer.Header()[policyHeader] = snap.header
}

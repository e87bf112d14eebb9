package livetest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// An Agent does one turn.
type Agent func(*Turn)

// A Turn is one run of the scripted agent: what its function does is what the
// agent does. It ends early when it is interrupted, or somebody refuses a call
// without a message.
type Turn struct {
	Prompt  string
	Session string

	s       *Server
	session *session
	ctx     context.Context
	cancel  context.CancelFunc
	over    chan struct{}

	// With the server's lock held.
	message  string // the assistant's, that is said now
	ordinal  int
	why      string // interrupted
	stubborn bool   // interrupts have no effect for now
	dead     bool   // with its server
	failed   string
}

// stopped is what ends a turn's function from within.
type stopped struct{}

// turn starts a turn, with the lock held. begin says what the server says first.
func (s *Server) turn(one *session, prompt string, agent Agent, begin func(*Turn)) *Turn {
	t := &Turn{Prompt: prompt, Session: one.id, s: s, session: one, over: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	s.turns[one.id] = t
	begin(t)
	s.work.Go(func() {
		defer close(t.over)
		defer t.cancel()
		t.do(func() {
			t.step()
			if agent == nil {
				t.Say("done")
			} else {
				agent(t)
			}
		})
		t.end()
	})
	return t
}

// do runs a function until the turn is stopped.
func (t *Turn) do(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(stopped); !ours {
				panic(r)
			}
		}
	}()
	f()
}

// end says how the turn ended.
func (t *Turn) end() {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.dead {
		return
	}
	for _, p := range slices.Clone(t.s.pending) {
		if p.session != t.Session {
			continue
		}
		if p.form {
			t.s.dropForm(p)
		} else {
			t.s.settle(p, verdict{})
		}
	}
	delete(t.s.turns, t.Session)
	about := map[string]any{"sessionID": t.Session}
	switch {
	case t.why != "":
		about["reason"] = t.why
		t.s.durably(t.session, "session.execution.interrupted", 1, false, about)
	case t.failed != "":
		about["error"] = map[string]string{"type": "unknown", "message": t.failed}
		t.s.durably(t.session, "session.execution.failed", 1, false, about)
	default:
		t.stepEnd("stop")
		t.s.durably(t.session, "session.execution.succeeded", 1, false, about)
	}
}

// interrupt ends the turn from outside, with the lock held.
func (t *Turn) interrupt(why string) {
	if t.stubborn {
		return
	}
	if t.why == "" {
		t.why = why
	}
	t.cancel()
}

// kill ends the turn with its server, with the lock held.
func (t *Turn) kill() {
	t.dead = true
	t.cancel()
}

// stop ends the turn's function.
func (t *Turn) stop(why string) {
	t.s.mu.Lock()
	if t.why == "" && !t.dead {
		t.why = why
	}
	t.s.mu.Unlock()
	panic(stopped{})
}

// Fail ends the turn as failed.
func (t *Turn) Fail(reason string) {
	t.s.mu.Lock()
	t.failed = reason
	t.s.mu.Unlock()
	panic(stopped{})
}

// Stubborn does something during which interrupts have no effect: a server that
// takes its time.
func (t *Turn) Stubborn(f func()) {
	set := func(stubborn bool) {
		t.s.mu.Lock()
		defer t.s.mu.Unlock()
		t.stubborn = stubborn
	}
	set(true)
	defer set(false)
	f()
}

// Pause does nothing for a while.
func (t *Turn) Pause(d time.Duration) {
	select {
	case <-t.ctx.Done():
		t.stop("user")
	case <-time.After(d):
	}
}

// Parallel does several things at once, as the calls of one message. A stop in
// one of them is a stop of all.
func (t *Turn) Parallel(fs ...func()) {
	var work sync.WaitGroup
	whole := make([]bool, len(fs))
	for i, f := range fs {
		work.Go(func() {
			t.do(func() {
				f()
				whole[i] = true
			})
		})
	}
	work.Wait()
	if slices.Contains(whole, false) {
		t.stop("user")
	}
}

// Child runs a subagent in a session of its own, which has the rules that this
// one has now, and waits for it. announced says whether an event tells of it.
func (t *Turn) Child(announced bool, agent Agent) {
	t.s.mu.Lock()
	one := &session{id: t.s.next("ses"), parent: t.Session, rules: slices.Clone(t.session.rules)}
	t.s.sessions[one.id] = one
	if announced {
		t.s.announce(one)
	}
	child := t.s.turn(one, "", agent, func(*Turn) {
		t.s.durably(one, "session.execution.started", 1, false, map[string]any{"sessionID": one.id})
	})
	t.s.mu.Unlock()
	select {
	case <-child.over:
	case <-t.ctx.Done():
		t.s.mu.Lock()
		child.interrupt("user")
		t.s.mu.Unlock()
		<-child.over
		t.stop("user")
	}
}

// step begins a message of the agent's.
func (t *Turn) step() {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.stepBegin()
}

func (t *Turn) stepBegin() {
	t.message, t.ordinal = t.s.next("msg"), 0
	t.s.durably(t.session, "session.step.started", 1, true, t.about(map[string]any{
		"agent": "build", "model": t.s.model, "snapshot": strings.Repeat("0", 40), "started": time.Now().UnixMilli(),
	}))
}

func (t *Turn) stepEnd(finish string) {
	tokens := map[string]any{"input": 1, "output": 1, "reasoning": 0, "cache": map[string]int{"read": 0, "write": 0}}
	t.s.durably(t.session, "session.step.ended", 1, true, t.about(map[string]any{
		"finish": finish, "rawFinish": finish, "cost": 0, "tokens": tokens, "snapshot": strings.Repeat("0", 40), "files": []string{},
	}))
	t.s.briefly("session.usage.updated", false, map[string]any{"sessionID": t.Session, "cost": 0, "tokens": tokens})
}

// about adds whose event it is.
func (t *Turn) about(fields map[string]any) map[string]any {
	fields["sessionID"], fields["assistantMessageID"] = t.Session, t.message
	return fields
}

// Say says a text, in two pieces.
func (t *Turn) Say(text string) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	ordinal := t.ordinal
	t.ordinal++
	t.s.durably(t.session, "session.text.started", 1, true, t.about(map[string]any{"ordinal": ordinal}))
	half := len(text) / 2
	for _, piece := range []string{text[:half], text[half:]} {
		t.s.briefly("session.text.delta", true, t.about(map[string]any{"ordinal": ordinal, "delta": piece}))
	}
	t.s.durably(t.session, "session.text.ended", 1, true, t.about(map[string]any{"ordinal": ordinal, "text": text}))
}

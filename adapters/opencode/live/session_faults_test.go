package live_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/evaluator"
)

// child makes ses_2 a task child of ses_1, said by an event or not.
func child(f *livetest.Fake, say bool) {
	f.AddSession(live.Session{ID: "ses_2", ParentID: "ses_1", Directory: livetest.FakeDir}, say)
	f.AddSession(live.Session{ID: "ses_7", Directory: livetest.FakeDir}, false)
}

// TestFaults is a table of faults, the steps that they come at, and the outcome.
// Every request ends closed, and nothing that wasn't allowed has run.
func TestFaults(t *testing.T) {
	stop := errors.New("stop")
	accept, decline := decide(broker.Accept), decide(broker.Decline)
	type faults = map[string][]string
	for _, c := range []struct {
		name    string
		faults  faults
		agent   func(*livetest.Fake) string
		answers map[string]broker.Answer
		opened  func(*livetest.Fake, context.CancelCauseFunc, string)
		times   live.Times
		end     broker.End
		told    []string
		closed  []string
		ran     []string
	}{
		{name: "a reply fails once", faults: faults{"per_1": {"500"}}, agent: asks(shellAsk("per_1", "ls")), answers: map[string]broker.Answer{"per_1": accept},
			end: broker.Ended, told: []string{"once per_1", "once per_1"}, closed: []string{"per_1 accept person"}, ran: []string{"per_1"}},
		{name: "a reply fails twice", faults: faults{"per_1": {"500", "500"}}, agent: asks(shellAsk("per_1", "ls")), answers: map[string]broker.Answer{"per_1": accept},
			end: broker.Failed, told: []string{"once per_1", "once per_1", "reject per_1", "abort ses_1"}, closed: []string{"per_1 cancel stop"}},
		{name: "a reply fails twice and so does its rejection", faults: faults{"per_1": {"500", "500", "500", "500", "500", "500"}}, agent: asks(shellAsk("per_1", "ls")), answers: map[string]broker.Answer{"per_1": accept},
			end: broker.Failed, told: []string{"once per_1", "once per_1", "reject per_1", "reject per_1", "abort ses_1"}, closed: []string{"per_1 stop"}},
		{name: "a reply is done and its answer lost", faults: faults{"per_1": {"lost"}}, agent: asks(shellAsk("per_1", "ls")), answers: map[string]broker.Answer{"per_1": accept},
			end: broker.Ended, told: []string{"once per_1", "once per_1"}, closed: []string{"per_1 accept person"}, ran: []string{"per_1"}},
		{name: "somebody is faster", faults: faults{"per_1": {"404"}}, agent: asks(shellAsk("per_1", "ls")), answers: map[string]broker.Answer{"per_1": decline},
			end: broker.Ended, told: []string{"reject per_1"}, closed: []string{"per_1 another client"}, ran: []string{"per_1"}},
		{name: "somebody else answers", agent: asks(shellAsk("per_1", "ls")),
			opened: func(f *livetest.Fake, _ context.CancelCauseFunc, id string) {
				go f.Settle(id, live.Reply{Reply: live.ReplyOnce})
			},
			end: broker.Ended, closed: []string{"per_1 another client"}, ran: []string{"per_1"}},
		{name: "the stream breaks, and meanwhile one is answered and one is asked", agent: func(f *livetest.Fake) string {
			f.Put(true, shellAsk("per_1", "ls"))
			f.Await("per_1")
			f.Put(false, shellAsk("per_2", "date"))
			f.Deafen(false)
			f.Await("per_2")
			return "stop"
		}, answers: map[string]broker.Answer{"per_2": accept},
			opened: func(f *livetest.Fake, _ context.CancelCauseFunc, id string) {
				if id == "per_1" {
					f.Deafen(true)
					f.Cut()
					go f.Settle(id, live.Reply{Reply: live.ReplyOnce})
				}
			},
			end: broker.Ended, told: []string{"once per_2"}, closed: []string{"per_1 another client", "per_2 accept person"}, ran: []string{"per_1", "per_2"}},
		{name: "the stream breaks and the end is missed", agent: func(f *livetest.Fake) string {
			f.Put(true, shellAsk("per_1", "ls"))
			f.Await("per_1")
			return "stop"
		}, opened: func(f *livetest.Fake, _ context.CancelCauseFunc, id string) {
			f.Deafen(true)
			f.Cut()
			f.Settle(id, live.Reply{Reply: live.ReplyOnce})
			f.Go(func() {
				f.AwaitIdle()
				f.Deafen(false)
			})
		}, end: broker.Ended, closed: []string{"per_1 another client"}, ran: []string{"per_1"}},
		{name: "the stream never comes back", agent: asks(shellAsk("per_1", "ls")), times: live.Times{Lost: 200 * time.Millisecond, Again: time.Hour},
			opened: func(f *livetest.Fake, _ context.CancelCauseFunc, _ string) {
				f.Deafen(true)
				f.Cut()
			}, end: broker.Failed, told: []string{"reject per_1", "abort ses_1"}, closed: []string{"per_1 cancel stop"}},
		{name: "stopped with a request of a child, unannounced, and one of its own", agent: func(f *livetest.Fake) string {
			child(f, false)
			f.Put(true, in("ses_7", shellAsk("per_7", "ls")), shellAsk("per_1", "ls"), in("ses_2", shellAsk("per_2", "ls")))
			f.Await("per_1")
			f.Await("per_2")
			return "tool-calls"
		}, opened: func(_ *livetest.Fake, leave context.CancelCauseFunc, id string) {
			if id == "per_2" {
				leave(stop)
			}
		}, end: broker.Cancelled, told: []string{"reject per_1", "reject per_2", "abort", "abort"}, closed: []string{"per_1 cancel stop", "per_2 cancel stop"}},
		{name: "a child's request is answered on its own id", agent: func(f *livetest.Fake) string {
			child(f, true)
			f.Put(true, in("ses_2", shellAsk("per_2", "ls")))
			f.Await("per_2")
			return "stop"
		}, answers: map[string]broker.Answer{"per_2": accept}, end: broker.Ended, told: []string{"once per_2"}, closed: []string{"per_2 accept person"}, ran: []string{"per_2"}},
		{name: "a child's request is cancelled", agent: func(f *livetest.Fake) string {
			child(f, true)
			f.Put(true, in("ses_2", shellAsk("per_2", "ls")))
			f.Await("per_2")
			f.Await("end") // the parent would go on
			return "stop"
		}, answers: map[string]broker.Answer{"per_2": decide(broker.Cancel)}, end: broker.Cancelled, told: []string{"reject per_2", "abort", "abort"}, closed: []string{"per_2 cancel person"}},
		{name: "one of two is declined first", agent: func(f *livetest.Fake) string {
			f.Put(true, shellAsk("per_1", "ls"), shellAsk("per_2", "date"))
			f.Await("per_1")
			f.Await("per_2")
			return "stop"
		}, answers: map[string]broker.Answer{"per_1": decline, "per_2": accept}, end: broker.Ended,
			told: []string{"once per_2", "reject per_1"}, closed: []string{"per_1 decline person", "per_2 accept person"}, ran: []string{"per_2"}},
		{name: "the model fails", agent: func(f *livetest.Fake) string {
			f.Say(live.EventSessionError, map[string]any{"sessionID": "ses_1", "error": map[string]any{"name": "APIError", "data": map[string]any{"message": "no key"}}})
			f.Mute()
			return ""
		}, end: broker.Failed, told: []string{"abort ses_1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := livetest.NewFake(t)
			f.Agent = c.agent
			for id, faults := range c.faults {
				f.Fault(id, faults...)
			}
			ctx, leave := context.WithCancelCause(t.Context())
			defer leave(nil)
			p := &someone{answers: c.answers}
			if c.opened != nil {
				p.opened = func(id string) { c.opened(f, leave, id) }
			}
			out := drive(t, ctx, f, evaluator.ApprovalRequired, live.DriverOptions{Times: c.times}, p)
			if out.End != c.end {
				t.Errorf("ended %s (%s), want %s", out.End, out.Reason, c.end)
			}
			var told []string
			for _, l := range f.Log()[2:] {
				if len(c.told) > 0 && c.told[len(c.told)-1] == "abort" && l[:5] == "abort" {
					l = "abort" // of several sessions, in any order
				}
				told = append(told, l)
			}
			if d := cmp.Diff(c.told, told, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("the server was told: %s", d)
			}
			if d := cmp.Diff(c.closed, p.sorted(), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("closed: %s", d)
			}
			if d := cmp.Diff(c.ran, f.Ran(), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("ran: %s", d)
			}
		})
	}
}

// TestLeftovers rejects what an earlier run left waiting before the prompt is
// sent: a late answer could still set it off.
func TestLeftovers(t *testing.T) {
	f := livetest.NewFake(t)
	f.Agent = asks()
	if _, err := open(t, f, live.DriverOptions{}); err != nil {
		t.Fatal(err)
	}
	f.Put(false, shellAsk("per_1", "rm x"))
	p := &someone{}
	if out := drive(t, t.Context(), f, evaluator.ApprovalRequired, live.DriverOptions{Session: "ses_1"}, p); out.End != broker.Ended {
		t.Error(out)
	}
	if d := cmp.Diff([]string{"create", "reject per_1", "prompt"}, f.Log()); d != "" {
		t.Error(d)
	}
	if len(p.shown) > 0 {
		t.Errorf("shown: %v", p.shown)
	}
}

// TestServerGone ends a run whose server has died, without a person.
func TestServerGone(t *testing.T) {
	f := livetest.NewFake(t)
	f.Agent = asks(shellAsk("per_1", "ls"))
	gone := make(chan struct{})
	p := &someone{opened: func(string) { close(gone) }}
	out := drive(t, t.Context(), f, evaluator.ApprovalRequired, live.DriverOptions{Gone: gone}, p)
	if out.End != broker.Failed {
		t.Error(out)
	}
	if d := cmp.Diff([]string{"per_1 stop"}, p.closed); d != "" {
		t.Error(d)
	}
}

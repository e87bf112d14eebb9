package live_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// stopped runs one prompt and stops it when something is asked, or after a time.
func stopped(t *testing.T, d *live.Driver, p *person, after time.Duration) broker.Outcome {
	t.Helper()
	ctx, leave := context.WithCancelCause(t.Context())
	defer leave(nil)
	p.d = d
	if after > 0 {
		time.AfterFunc(after, func() { leave(errors.New("enough")) })
	} else {
		p.opened = func(broker.Request) { leave(errors.New("enough")) }
	}
	return d.Run(ctx, "go", p)
}

// TestStop rejects what waits before the run is interrupted, and leaves nothing.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		name   string
		agent  livetest.Agent
		after  time.Duration
		told   []string
		closed []string
	}{
		{"while a command waits", commands("echo 1", "echo 2"), 0, []string{"reject per_a", "interrupt ses_1"}, []string{"per_a cancel stop"}},
		{"while two wait", both, time.Second, []string{"reject per_a", "reject per_b", "interrupt ses_1"}, []string{"per_a cancel stop", "per_b cancel stop"}},
		{"while a question waits", question, 0, []string{"cancel frm_a", "interrupt ses_1"}, []string{"frm_a cancel stop"}},
		{"while nothing waits", func(t *livetest.Turn) { t.Pause(time.Minute) }, time.Second, []string{"interrupt ses_1"}, nil},
		{"while a child waits", func(t *livetest.Turn) { t.Child(true, commands("echo 1")) }, 0, []string{"reject per_a", "interrupt ses_1", "interrupt ses_4"}, []string{"per_a cancel stop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.agent, func(t *testing.T, s *livetest.Server) {
				p := &person{}
				out := stopped(t, must(t, s, live.Options{}), p, c.after)
				if out != (broker.Outcome{End: broker.Cancelled, Reason: "enough"}) {
					t.Error(out)
				}
				told := s.Told()[2:]
				if c.name == "while two wait" { // a rejection takes the other with it
					told = slices.Compact(told)
				}
				if d := cmp.Diff(c.told, told); d != "" {
					t.Error(d)
				}
				if got := p.closed(); len(got) != len(c.closed) {
					t.Errorf("closed: %v, want %v", got, c.closed)
				} else if d := cmp.Diff(c.closed, got, cmpopts.EquateEmpty()); d != "" && c.name != "while two wait" {
					t.Error(d)
				}
				if len(s.Ran()) > 0 || len(s.Waiting()) > 0 || s.Running() {
					t.Errorf("ran %v, waiting %v, running %v", s.Ran(), s.Waiting(), s.Running())
				}
			})
		})
	}
}

// TestRunLeftBehind stops a run that goes on all the same: what it still asks is
// rejected at once, while Run settles and after it; the next prompt isn't put into
// it; and its end is no other run's.
func TestRunLeftBehind(t *testing.T) {
	stubborn := func(t *livetest.Turn) {
		t.Stubborn(func() {
			t.Pause(10 * time.Second)
			t.Parallel(func() { shell(t, "per_late", "rm x") })
		})
	}
	bubble(t, stubborn, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		p := &person{}
		begin := time.Now()
		if out := stopped(t, d, p, time.Second); out.End != broker.Cancelled {
			t.Error(out)
		}
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("settling took %v", took)
		}
		s.SetAgent(commands("echo 1"))
		next := &person{answers: map[string]broker.Answer{"per_a": decide(broker.Accept)}}
		if out := run(t, d, next); out.End != broker.Failed || !strings.Contains(out.Reason, "still under way") {
			t.Errorf("a prompt while the run goes on: %v", out)
		}
		time.Sleep(10 * time.Second)
		if len(s.Waiting()) > 0 || s.Running() || len(p.requests)+len(next.requests) > 0 {
			t.Errorf("waiting %v, running %v", s.Waiting(), s.Running())
		}
		if out := run(t, d, next); out.End != broker.Ended {
			t.Errorf("a prompt after it: %v", out)
		}
		if d := cmp.Diff([]string{"create", "prompt", "interrupt ses_1", "interrupt ses_1", "reject per_late", "prompt", "once per_a"}, s.Told()); d != "" {
			t.Error(d)
		}
		if notes := next.saw(broker.SawNote); !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "shell: rm x: asked by a run that was stopped") }) {
			t.Errorf("the record doesn't say what became of it: %v", notes)
		}
		if d := cmp.Diff([]string{"echo 1"}, s.Ran()); d != "" {
			t.Error(d)
		}
	})
	bubble(t, func(t *livetest.Turn) {
		t.Stubborn(func() {
			t.Pause(2 * time.Second)
			shell(t, "per_late", "rm x")
		})
	}, func(t *testing.T, s *livetest.Server) {
		p := &person{}
		stopped(t, must(t, s, live.Options{}), p, time.Second)
		if d := cmp.Diff([]string{"per_late cancel stop"}, p.closed()); d != "" {
			t.Errorf("while it settles: %s", d)
		}
		if len(p.requests) > 0 || len(s.Waiting()) > 0 || s.Running() {
			t.Errorf("shown %v, waiting %v, running %v", p.requests, s.Waiting(), s.Running())
		}
	})
}

// TestStopWhileTheServerIsAway stops what couldn't be stopped once the server is
// back, before any other prompt.
func TestStopWhileTheServerIsAway(t *testing.T) {
	bubble(t, func(t *livetest.Turn) {
		shell(t, "per_a", "echo 1")
		t.Pause(time.Hour)
	}, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		p := &person{}
		time.AfterFunc(time.Second, s.Network.Cut)
		if out := stopped(t, d, p, 2*time.Second); out.End != broker.Cancelled {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"per_a stop"}, p.closed()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"per_a"}, s.Waiting()); d != "" {
			t.Error(d)
		}
		s.Network.Mend()
		time.Sleep(10 * time.Second)
		if len(s.Waiting()) > 0 || s.Running() || len(s.Ran()) > 0 {
			t.Errorf("waiting %v, running %v, ran %v", s.Waiting(), s.Running(), s.Ran())
		}
		s.SetAgent(nil)
		if out := run(t, d, &person{}); out.End != broker.Ended {
			t.Errorf("the next prompt: %v", out)
		}
	})
}

// TestLeftovers loads a session that an earlier service left: what waits there is
// rejected and what runs is stopped before anything else; its end ends no run of
// ours.
func TestLeftovers(t *testing.T) {
	for _, c := range []struct {
		name string
		left livetest.Agent
		told []string
	}{
		{"a command that waits", commands("rm x"), []string{"reject per_a", "interrupt ses_1"}},
		{"a question that waits", question, []string{"cancel frm_a", "interrupt ses_1"}},
		{"a run without a request", func(t *livetest.Turn) { t.Pause(time.Hour) }, []string{"interrupt ses_1"}},
		{"a run that takes a second to end", func(t *livetest.Turn) { t.Stubborn(func() { t.Pause(time.Second) }) }, []string{"interrupt ses_1"}},
		{"nothing", nil, nil},
	} {
		bubble(t, nil, func(t *testing.T, s *livetest.Server) {
			first := must(t, s, live.Options{})
			first.Close()
			if c.left != nil {
				s.Agent("ses_1", nil, c.left)
			}
			synctest.Wait()
			s.SetAgent(commands("echo 1"))
			d := must(t, s, live.Options{Session: "ses_1"})
			p := &person{answers: map[string]broker.Answer{"per_a": decide(broker.Accept)}}
			if c.name == "a command that waits" {
				s.SetAgent(func(t *livetest.Turn) { shell(t, "per_new", "echo 1") })
				p.answers = map[string]broker.Answer{"per_new": decide(broker.Accept)}
			}
			if out := run(t, d, p); out.End != broker.Ended {
				t.Errorf("%s: %v", c.name, out)
			}
			told := slices.DeleteFunc(s.Told()[1:], func(w string) bool { return strings.HasPrefix(w, "once") })
			if d := cmp.Diff(append(c.told, "prompt"), told); d != "" {
				t.Errorf("%s: told: %s", c.name, d)
			}
			if d := cmp.Diff([]string{"echo 1"}, s.Ran()); d != "" {
				t.Errorf("%s: ran: %s", c.name, d)
			}
			if len(s.Waiting()) > 0 || s.Running() {
				t.Errorf("%s: waiting %v, running %v", c.name, s.Waiting(), s.Running())
			}
		})
	}
}

// TestLeftoversThatStay opens no session in which something waits that can't be
// rejected.
func TestLeftoversThatStay(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *livetest.Server) {
		must(t, s, live.Options{}).Close()
		s.Agent("ses_1", nil, commands("rm x"))
		synctest.Wait()
		s.Fail("session.permission.reply", livetest.Fails, livetest.Fails)
		if _, err := open(t, s, live.Options{Session: "ses_1"}); err == nil || !strings.Contains(err.Error(), `"shell: rm x", which an earlier run left waiting, can't be rejected`) {
			t.Error(err)
		}
		s.Fail("session.form.list", livetest.Page)
		if _, err := open(t, s, live.Options{Session: "ses_1"}); err == nil || !strings.Contains(err.Error(), "the waiting requests can't be listed") {
			t.Error(err)
		}
	})
}

// TestLateEnd passes over the end of an earlier run that comes after the prompt was
// sent.
func TestLateEnd(t *testing.T) {
	bubble(t, commands("echo 1"), func(t *testing.T, s *livetest.Server) {
		s.On("session.prompt", false, func() bool {
			s.Stream(`{"type":"session.execution.interrupted","data":{"sessionID":"ses_1","reason":"user"}}`)
			synctest.Wait()
			return true
		})
		p := &person{answers: map[string]broker.Answer{"per_a": decide(broker.Accept)}}
		if out := run(t, must(t, s, live.Options{}), p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"echo 1"}, s.Ran()); d != "" {
			t.Error(d)
		}
	})
}

// TestEndCloses closes what is open when a run ends.
func TestEndCloses(t *testing.T) {
	bubble(t, func(t *livetest.Turn) {
		t.Parallel(func() { t.Pause(time.Second); t.Fail("the model is gone") }, func() { shell(t, "per_a", "echo 1") })
	}, func(t *testing.T, s *livetest.Server) {
		p := &person{}
		time.AfterFunc(2*time.Second, func() { s.Interrupt("ses_1") })
		out := run(t, must(t, s, live.Options{}), p)
		if out.End != broker.Cancelled {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"per_a cancel stop"}, p.closed()); d != "" {
			t.Error(d)
		}
	})
	bubble(t, func(t *livetest.Turn) { t.Fail("the model is gone") }, func(t *testing.T, s *livetest.Server) {
		if out := run(t, must(t, s, live.Options{}), &person{}); out != (broker.Outcome{End: broker.Failed, Reason: "the model is gone"}) {
			t.Error(out)
		}
	})
}

// TestOneRunAtATime refuses a second prompt while one is under way.
func TestOneRunAtATime(t *testing.T) {
	bubble(t, commands("echo 1"), func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		p := &person{}
		p.opened = func(q broker.Request) {
			go func() {
				if out := d.Run(t.Context(), "again", &person{}); out.End != broker.Failed || out.Reason != live.ErrBusy.Error() {
					t.Error(out)
				}
				if err := d.Answer(q, decide(broker.Accept)); err != nil {
					t.Error(err)
				}
			}()
		}
		if out := run(t, d, p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"create", "prompt", "once per_a"}, s.Told()); d != "" {
			t.Error(d)
		}
	})
}

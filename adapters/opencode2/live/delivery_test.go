package live_test

import (
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

// question asks with one field.
func question(t *livetest.Turn) {
	t.Question("frm_a", livetest.Field{Key: "q0", Type: "string", Custom: true})
}

// both asks for two commands at once, as two calls of one message.
func both(t *livetest.Turn) {
	t.Parallel(func() { shell(t, "per_a", "echo 1") }, func() { t.Pause(time.Millisecond); shell(t, "per_b", "echo 2") })
}

// TestDelivery is what becomes of an answer on its way: ten seconds and one more
// try; what isn't there any more is settled; else the run fails and is interrupted.
func TestDelivery(t *testing.T) {
	const reply, form, note, update = "session.permission.reply", "session.form.reply", "session.synthetic", "session.update"
	accept, decline, session := decide(broker.Accept), decide(broker.Decline), decide(broker.AcceptForSession)
	blue := broker.Answer{Answers: map[string][]string{"q0": {"blue"}}}
	type faults = map[string][]livetest.Fault
	for _, c := range []struct {
		name   string
		agent  livetest.Agent
		faults faults
		answer broker.Answer
		other  string // another client answers first
		end    broker.End
		told   []string
		closed []string
		ran    []string
		took   time.Duration
	}{
		{name: "fails once", faults: faults{reply: {livetest.Fails}}, answer: accept, end: broker.Ended,
			told: []string{"once per_a", "once per_a"}, closed: []string{"per_a accept person"}, ran: []string{"echo 1"}},
		{name: "fails twice", faults: faults{reply: {livetest.Fails, livetest.Fails}}, answer: accept, end: broker.Failed,
			told: []string{"once per_a", "once per_a", "reject per_a", "interrupt ses_1"}, closed: []string{"per_a cancel stop"}},
		{name: "a web page twice", faults: faults{reply: {livetest.Page, livetest.Page}}, answer: accept, end: broker.Failed,
			told: []string{"once per_a", "once per_a", "reject per_a", "interrupt ses_1"}, closed: []string{"per_a cancel stop"}},
		{name: "no such route twice is no settlement", faults: faults{reply: {livetest.NoRoute, livetest.NoRoute}}, answer: accept, end: broker.Failed,
			told: []string{"once per_a", "once per_a", "reject per_a", "interrupt ses_1"}, closed: []string{"per_a cancel stop"}},
		{name: "nobody answers once", faults: faults{reply: {livetest.Hangs}}, answer: accept, end: broker.Ended, took: 10 * time.Second,
			told: []string{"once per_a", "once per_a"}, closed: []string{"per_a accept person"}, ran: []string{"echo 1"}},
		{name: "nobody answers twice", faults: faults{reply: {livetest.Hangs, livetest.Hangs}}, answer: accept, end: broker.Failed, took: 20 * time.Second,
			told: []string{"once per_a", "once per_a", "reject per_a", "interrupt ses_1"}, closed: []string{"per_a cancel stop"}},
		{name: "done, and its answer lost", faults: faults{reply: {livetest.Lost}}, answer: accept, end: broker.Ended,
			told: []string{"once per_a", "once per_a"}, closed: []string{"per_a accept person"}, ran: []string{"echo 1"}},
		{name: "done, and answered too late", faults: faults{reply: {livetest.Slow}}, answer: accept, end: broker.Ended, took: 10 * time.Second,
			told: []string{"once per_a", "once per_a"}, closed: []string{"per_a accept person"}, ran: []string{"echo 1"}},
		{name: "every rejection fails, too", faults: faults{reply: {livetest.Fails, livetest.Fails, livetest.Fails, livetest.Fails}}, answer: accept, end: broker.Failed,
			told: []string{"once per_a", "once per_a", "reject per_a", "reject per_a", "interrupt ses_1"}, closed: []string{"per_a stop"}},
		{name: "somebody was faster", other: "once", answer: decline, end: broker.Ended,
			told: []string{"note", "reject+ per_a"}, closed: []string{"per_a other"}, ran: []string{"echo 1"}},
		{name: "a note that fails doesn't hold the refusal up", faults: faults{note: {livetest.Fails}}, answer: decline, end: broker.Ended,
			told: []string{"note", "reject+ per_a"}, closed: []string{"per_a decline person"}},
		{name: "a note isn't sent twice", faults: faults{note: {livetest.Lost}}, answer: decline, end: broker.Ended,
			told: []string{"note", "reject+ per_a"}, closed: []string{"per_a decline person"}},
		{name: "rules can't be written: nothing is allowed", faults: faults{update: {livetest.Fails, livetest.Fails}}, answer: session, end: broker.Failed,
			told: []string{"update", "update", "reject per_a", "interrupt ses_1"}, closed: []string{"per_a cancel stop"}},
		{name: "rules can be written at the second try", faults: faults{update: {livetest.Fails}}, answer: session, end: broker.Ended,
			told: []string{"update", "update", "once per_a"}, closed: []string{"per_a acceptForSession person"}, ran: []string{"echo 1"}},
		{name: "a form's answer is done and lost: already settled", agent: question, faults: faults{form: {livetest.Lost}}, answer: blue, end: broker.Ended,
			told: []string{"answer frm_a", "answer frm_a"}, closed: []string{"frm_a person"}},
		{name: "a form's answer fails twice", agent: question, faults: faults{form: {livetest.Fails, livetest.Fails}}, answer: blue, end: broker.Failed,
			told: []string{"answer frm_a", "answer frm_a", "cancel frm_a", "interrupt ses_1"}, closed: []string{"frm_a cancel stop"}},
		{name: "somebody was faster with a form", agent: question, other: `{"q0":"red"}`, answer: blue, end: broker.Ended,
			told: []string{"answer frm_a"}, closed: []string{"frm_a other"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := c.agent
			if agent == nil {
				agent = commands("echo 1")
			}
			bubble(t, agent, func(t *testing.T, s *livetest.Server) {
				for op, list := range c.faults {
					s.Fail(op, list...)
				}
				d := must(t, s, live.Options{})
				p := &person{d: d}
				p.opened = func(q broker.Request) {
					if c.other != "" {
						s.DropStreams(true) // its event is missed
						s.Settle(q.ID, c.other)
					}
					if err := d.Answer(q, c.answer); err != nil {
						t.Error(err)
					}
					if c.other != "" {
						time.AfterFunc(time.Second, func() { s.DropStreams(false) })
					}
				}
				begin := time.Now()
				out := run(t, d, p)
				if took := time.Since(begin); c.other == "" && took.Truncate(time.Second) != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				if out.End != c.end && c.other == "" {
					t.Errorf("ended %s (%s), want %s", out.End, out.Reason, c.end)
				}
				if d := cmp.Diff(append([]string{"create", "prompt"}, c.told...), s.Told()); d != "" {
					t.Errorf("told: %s", d)
				}
				for i, text := range c.closed {
					c.closed[i] = strings.Replace(text, "other", string(broker.ByOther), 1)
				}
				if d := cmp.Diff(c.closed, p.closed()); d != "" {
					t.Errorf("closed: %s", d)
				}
				if d := cmp.Diff(c.ran, s.Ran(), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("ran: %s", d)
				}
				if len(s.Waiting()) > 0 && !slices.Contains(c.closed, "per_a stop") {
					t.Errorf("left waiting: %v", s.Waiting())
				}
			})
		})
	}
}

// TestOtherAnswerWhileOursIsLost doesn't take a request for ours that another client
// answered otherwise between our two tries.
func TestOtherAnswerWhileOursIsLost(t *testing.T) {
	bubble(t, commands("echo 1"), func(t *testing.T, s *livetest.Server) {
		s.On("session.permission.reply", false, func() bool {
			s.Settle("per_a", "reject")
			synctest.Wait()
			return false
		})
		p := &person{answers: map[string]broker.Answer{"per_a": decide(broker.AcceptForSession)}}
		run(t, must(t, s, live.Options{}), p)
		if d := cmp.Diff([]string{"per_a decline another client"}, p.closed()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"create", "prompt", "update", "once per_a", "once per_a"}, s.Told()); d != "" {
			t.Error(d)
		}
		env, err := p.d.Env(t.Context())
		if err != nil || len(env.Grants) > 0 || len(s.Ran()) > 0 {
			t.Errorf("granted %v, ran %v, %v", env.Grants, s.Ran(), err)
		}
	})
}

// TestDeclineWaits declines one of two requests of a message: it is told after the
// other, which a rejection would take with it.
func TestDeclineWaits(t *testing.T) {
	for _, c := range []struct {
		answers map[string]broker.Answer
		told    []string
		ran     []string
		end     broker.End
	}{
		{map[string]broker.Answer{"per_a": decide(broker.Decline), "per_b": decide(broker.Accept)}, []string{"once per_b", "note", "reject+ per_a"}, []string{"echo 2"}, broker.Ended},
		{map[string]broker.Answer{"per_b": decide(broker.Decline), "per_a": decide(broker.Accept)}, []string{"once per_a", "note", "reject+ per_b"}, []string{"echo 1"}, broker.Ended},
	} {
		bubble(t, both, func(t *testing.T, s *livetest.Server) {
			p := &person{answers: c.answers}
			if out := run(t, must(t, s, live.Options{}), p); out.End != c.end {
				t.Error(out)
			}
			if d := cmp.Diff(c.told, s.Told()[2:]); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.ran, s.Ran()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestGrants is what a decision for the session reaches: what already waits is
// answered like what comes later, and recorded; another session isn't touched; a
// grant ends with the Driver; and one whose answer didn't count is taken back.
func TestGrants(t *testing.T) {
	session := decide(broker.AcceptForSession)
	bubble(t, both, func(t *testing.T, s *livetest.Server) {
		asks := []livetest.Rule{{Action: "shell", Resource: "*", Effect: "ask"}}
		s.Agent("ses_other", asks, func(t *livetest.Turn) { shell(t, "per_other", "echo other") })
		d := must(t, s, live.Options{})
		p := &person{}
		p.opened = func(q broker.Request) {
			if q.ID == "per_b" {
				if err := d.Answer(p.requests[0], session); err != nil {
					t.Error(err)
				}
			}
		}
		if out := run(t, d, p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"per_a acceptForSession person", "per_b accept grant"}, p.closed()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"per_other"}, s.Waiting()); d != "" {
			t.Errorf("another session: %s", d)
		}
		id := d.ID()
		must(t, s, live.Options{Session: id})
		if slices.Contains(inForce(s, id), "shell echo * allow") {
			t.Errorf("the grant outlives its Driver: %v", inForce(s, id))
		}
	})
	bubble(t, func(t *livetest.Turn) {
		shell(t, "per_a", "echo 1")
		t.Pause(time.Minute)
		shell(t, "per_b", "echo 2")
	}, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		s.DropStreams(true)
		time.AfterFunc(2*time.Second, func() { s.DropStreams(false) })
		p := &person{answers: map[string]broker.Answer{"per_b": decide(broker.Accept)}}
		p.opened = func(q broker.Request) {
			if q.ID == "per_a" {
				s.DropStreams(true)
				s.Settle(q.ID, "once")
				if err := d.Answer(q, session); err != nil {
					t.Error(err)
				}
				time.AfterFunc(time.Second, func() { s.DropStreams(false) })
			}
		}
		if out := run(t, d, p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"create", "prompt", "update", "once per_a", "update", "once per_b"}, s.Told()); d != "" {
			t.Errorf("a grant that didn't count: %s", d)
		}
		if d := cmp.Diff(supervisedRules, inForce(s, "ses_1")); d != "" {
			t.Error(d)
		}
	})
}

// TestOffers has no decision for the session without patterns that it could reach.
func TestOffers(t *testing.T) {
	bubble(t, func(t *livetest.Turn) {
		t.Tool(livetest.Call{Tool: "shell", Action: "shell", Resources: []string{"mkdir x"}, Save: []string{}, ID: "per_a"})
		shell(t, "per_b", "echo 1")
	}, func(t *testing.T, s *livetest.Server) {
		p := &person{answers: map[string]broker.Answer{"per_a": decide(broker.Accept), "per_b": decide(broker.Accept)}}
		run(t, must(t, s, live.Options{}), p)
		for i, want := range []bool{false, true} {
			if _, got := p.requests[i].Offers(broker.AcceptForSession); got != want {
				t.Errorf("%s: %v", p.requests[i].Title, got)
			}
		}
		if err := p.d.Answer(p.requests[0], decide(broker.AcceptForSession)); err == nil {
			t.Error("what isn't offered is taken")
		}
	})
}

// TestReplies holds the calls of answers to the letter.
func TestReplies(t *testing.T) {
	const decline = "The user declined this (shell: echo 1). Don't try it again or reach the same by other means; go on without it, or say what you would need."
	bubble(t, commands("echo 1", "echo 2"), func(t *testing.T, s *livetest.Server) {
		run(t, must(t, s, live.Options{}), &person{answers: map[string]broker.Answer{"per_a": decide(broker.Decline), "per_b": decide(broker.Cancel)}})
		var calls []string
		for _, op := range s.Calls() {
			if op.Write && op.Name != "session.create" {
				calls = append(calls, op.String())
			}
		}
		// A cancellation rejects what isn't known to be settled. It may come before
		// the news that the declined one is, which the server then answers with 404.
		again := `session.permission.reply {"decision":"reject","requestID":"per_a","sessionID":"ses_1"}`
		if i := slices.Index(calls, again); i == len(calls)-2 {
			calls = slices.Delete(calls, i, i+1)
		}
		want := []string{
			`session.prompt {"sessionID":"ses_1","text":"go"}`,
			`session.synthetic {"delivery":"steer","resume":false,"sessionID":"ses_1","text":"` + decline + `"}`,
			`session.permission.reply {"decision":"reject","message":"` + decline + `","requestID":"per_a","sessionID":"ses_1"}`,
			`session.permission.reply {"decision":"reject","requestID":"per_b","sessionID":"ses_1"}`,
			`session.interrupt {"sessionID":"ses_1"}`,
		}
		if d := cmp.Diff(want, calls); d != "" {
			t.Error(d)
		}
	})
}

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

// later does something to the server after a while.
func later(s *livetest.Server, after time.Duration, do func(*livetest.Server)) {
	time.AfterFunc(after, func() { do(s) })
}

func deaf(s *livetest.Server)  { s.DropStreams(true) }
func hears(s *livetest.Server) { s.DropStreams(false) }

// TestStreams is what happens to requests while the event stream is away, silent or
// broken, and when other clients answer them.
func TestStreams(t *testing.T) {
	accept := decide(broker.Accept)
	two := func(t *livetest.Turn) {
		shell(t, "per_a", "echo 1")
		shell(t, "per_b", "echo 2")
	}
	type answers = map[string]broker.Answer
	for _, c := range []struct {
		name    string
		agent   livetest.Agent
		begin   func(*livetest.Server)
		opened  func(*livetest.Server, string)
		answers answers
		end     broker.End
		reason  string
		told    []string
		closed  []string
		ran     []string
	}{
		{name: "another client answers", agent: commands("echo 1"), end: broker.Ended,
			opened: func(s *livetest.Server, id string) { s.Settle(id, "once") },
			closed: []string{"per_a accept another client"}, ran: []string{"echo 1"}},
		{name: "another client allows it for the project", agent: commands("echo 1"), end: broker.Ended,
			opened: func(s *livetest.Server, id string) { s.Settle(id, "always") },
			closed: []string{"per_a another client"}, ran: []string{"echo 1"}},
		{name: "another client refuses", agent: commands("echo 1"), end: broker.Cancelled, reason: "the run was interrupted: user",
			opened: func(s *livetest.Server, id string) { s.Settle(id, "reject") },
			closed: []string{"per_a decline another client"}},
		{name: "another client answers a form", agent: question, end: broker.Ended,
			opened: func(s *livetest.Server, id string) { s.Settle(id, `{"q0":"x"}`) },
			closed: []string{"frm_a another client"}},
		{name: "another client cancels a form", agent: question, end: broker.Cancelled,
			opened: func(s *livetest.Server, id string) { s.Settle(id, "cancel") },
			closed: []string{"frm_a cancel another client"}},
		{name: "the stream is away: one is answered and one is asked", agent: two, answers: answers{"per_b": accept}, end: broker.Ended,
			opened: func(s *livetest.Server, id string) {
				if id == "per_a" {
					deaf(s)
					s.Settle(id, "once")
					later(s, 3*time.Second, hears)
				}
			},
			told: []string{"once per_b"}, closed: []string{"per_a another client", "per_b accept person"}, ran: []string{"echo 1", "echo 2"}},
		{name: "the stream stalls: one is asked meanwhile", agent: func(t *livetest.Turn) { t.Pause(time.Second); two(t) }, answers: answers{"per_a": accept, "per_b": accept}, end: broker.Ended,
			begin: func(s *livetest.Server) { later(s, 500*time.Millisecond, (*livetest.Server).Stall) },
			told:  []string{"once per_a", "once per_b"}, closed: []string{"per_a accept person", "per_b accept person"}, ran: []string{"echo 1", "echo 2"}},
		{name: "the stream sends what isn't JSON", agent: func(t *livetest.Turn) { t.Pause(time.Second); two(t) }, answers: answers{"per_a": accept, "per_b": accept}, end: broker.Ended,
			begin: func(s *livetest.Server) {
				later(s, 500*time.Millisecond, func(s *livetest.Server) { s.Stream(`{"type":`) })
			},
			told: []string{"once per_a", "once per_b"}, closed: []string{"per_a accept person", "per_b accept person"}, ran: []string{"echo 1", "echo 2"}},
		{name: "events that nobody knows, and some without what they need", agent: func(t *livetest.Turn) { t.Pause(time.Second); shell(t, "per_a", "echo 1") }, answers: answers{"per_a": accept}, end: broker.Ended,
			begin: func(s *livetest.Server) {
				later(s, 500*time.Millisecond, func(s *livetest.Server) {
					for _, e := range []string{
						`{}`, `[]`, `null`, `{"type":7,"data":[]}`, `{"type":"brand.new","data":{"sessionID":"ses_1","id":5}}`, `{"type":"permission.asked"}`, `{"type":"permission.asked","data":{"id":"per_x"}}`,
						`{"type":"permission.replied","data":{"requestID":"per_x","reply":"once"}}`, `{"type":"session.created","data":{"parentID":""}}`, `{"type":"session.execution.succeeded","data":{}}`,
						`{"type":"session.text.ended","data":{"sessionID":"ses_1","text":5}}`, `{"type":"session.tool.success","data":{"sessionID":"ses_1","content":"x"}}`,
					} {
						s.Stream(e)
					}
				})
			},
			told: []string{"once per_a"}, closed: []string{"per_a accept person"}, ran: []string{"echo 1"}},
		{name: "the end is missed", agent: commands("echo 1"), answers: answers{}, end: broker.Failed, reason: "how it ended wasn't seen",
			opened: func(s *livetest.Server, id string) {
				deaf(s)
				s.Settle(id, "once")
				later(s, 10*time.Second, hears)
			},
			closed: []string{"per_a another client"}, ran: []string{"echo 1"}},
		{name: "the stream never comes back", agent: commands("echo 1"), end: broker.Failed, reason: "can't be reached",
			opened: func(s *livetest.Server, _ string) { deaf(s) },
			told:   []string{"reject per_a", "interrupt ses_1"}, closed: []string{"per_a cancel stop"}},
		{name: "the session is deleted", agent: commands("echo 1"), end: broker.Failed, reason: "isn't there any more",
			opened: func(s *livetest.Server, _ string) { s.Delete("ses_1", true) },
			told:   []string{"reject per_a"}, closed: []string{"per_a cancel stop"}},
		{name: "the session is deleted, and its event is missed", agent: commands("echo 1"), end: broker.Failed, reason: "isn't there any more",
			opened: func(s *livetest.Server, _ string) {
				deaf(s)
				s.Delete("ses_1", true)
				later(s, time.Second, hears)
			},
			told: []string{"reject per_a"}, closed: []string{"per_a cancel stop"}},
		{name: "the session is deleted, and nobody says so", agent: commands("echo 1"), answers: answers{"per_a": accept}, end: broker.Failed, reason: "isn't there any more",
			opened: func(s *livetest.Server, _ string) { s.Delete("ses_1", false) },
			told:   []string{"once per_a"}, closed: []string{"per_a another client"}},
		{name: "the lists fail at first", agent: two, answers: answers{"per_b": accept}, end: broker.Ended,
			opened: func(s *livetest.Server, id string) {
				if id == "per_a" {
					s.Fail("session.active", livetest.Fails)
					s.Fail("session.permission.list", livetest.Page, livetest.Fails)
					s.Fail("session.form.list", livetest.Broken)
					deaf(s)
					s.Settle(id, "once")
					later(s, time.Second, hears)
				}
			},
			told: []string{"once per_b"}, closed: []string{"per_a another client", "per_b accept person"}, ran: []string{"echo 1", "echo 2"}},
		{name: "the server answers the subscription late", agent: commands("echo 1"), answers: answers{"per_a": accept}, end: broker.Ended,
			begin: func(s *livetest.Server) { s.Fail("event.subscribe", livetest.Hangs) },
			told:  []string{"once per_a"}, closed: []string{"per_a accept person"}, ran: []string{"echo 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.agent, func(t *testing.T, s *livetest.Server) {
				if c.begin != nil {
					c.begin(s)
				}
				p := &person{answers: c.answers}
				if c.opened != nil {
					p.opened = func(q broker.Request) { c.opened(s, q.ID) }
				}
				out := run(t, must(t, s, live.Options{}), p)
				if out.End != c.end || !strings.Contains(out.Reason, c.reason) {
					t.Errorf("ended %s (%s), want %s (%s)", out.End, out.Reason, c.end, c.reason)
				}
				if d := cmp.Diff(append([]string{"create", "prompt"}, c.told...), s.Told()); d != "" {
					t.Errorf("told: %s", d)
				}
				if d := cmp.Diff(c.closed, p.closed()); d != "" {
					t.Errorf("closed: %s", d)
				}
				if d := cmp.Diff(c.ran, s.Ran(), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("ran: %s", d)
				}
				if len(s.Waiting()) > 0 {
					t.Errorf("left waiting: %v", s.Waiting())
				}
			})
		})
	}
}

// TestReadingGoesOn shows a request while the answer to another hangs: the stream
// is read and acted on all the while.
func TestReadingGoesOn(t *testing.T) {
	bubble(t, both, func(t *testing.T, s *livetest.Server) {
		s.Fail("session.permission.reply", livetest.Hangs)
		begin := time.Now()
		var shown []time.Duration
		p := &person{answers: map[string]broker.Answer{"per_a": decide(broker.Accept), "per_b": decide(broker.Accept)}}
		p.opened = func(broker.Request) { shown = append(shown, time.Since(begin)) }
		if out := run(t, must(t, s, live.Options{}), p); out.End != broker.Ended {
			t.Error(out)
		}
		if len(shown) != 2 || shown[1] > time.Second {
			t.Errorf("shown after %v", shown)
		}
		if d := cmp.Diff([]string{"once per_a", "once per_b", "once per_a"}, s.Told()[2:]); d != "" {
			t.Error(d)
		}
	})
}

// TestServerAway runs no prompt while there are no events, and gives up after a
// minute.
func TestServerAway(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		s.Kill()
		synctest.Wait()
		begin := time.Now()
		out := run(t, d, &person{})
		if out.End != broker.Failed || time.Since(begin) < time.Minute || time.Since(begin) > 2*time.Minute {
			t.Errorf("%v after %v", out, time.Since(begin))
		}
		s.Restart()
		time.Sleep(10 * time.Second)
		if out := run(t, d, &person{}); out.End != broker.Ended {
			t.Errorf("back again: %v", out)
		}
		if d := cmp.Diff([]string{"create", "prompt"}, s.Told()); d != "" {
			t.Error(d)
		}
	})
}

// TestSights shows what the agent says and does, each once, also when pieces of it
// were missed.
func TestSights(t *testing.T) {
	bubble(t, func(t *livetest.Turn) {
		t.Say("Hello there.")
		t.Shell("echo 1")
		t.Pause(30 * time.Second)
		t.Say("Good bye.")
	}, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{Cell: fullAccess})
		p := &person{}
		if out := run(t, d, p); out.End != broker.Ended {
			t.Error(out)
		}
		var got []string
		for _, kind := range []broker.SightKind{broker.SawText, broker.SawTextEnd, broker.SawToolStart, broker.SawToolEnd, broker.SawNote} {
			got = append(got, string(kind)+": "+strings.Join(p.saw(kind), "|"))
		}
		want := []string{"text: Hello|there.|Good|bye.", "text-end: |", "tool-start: shell echo 1", "tool-end: shell  ran", "note: "}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
	bubble(t, commands("echo 1"), func(t *testing.T, s *livetest.Server) {
		p := &person{}
		p.opened = func(q broker.Request) { s.Settle(q.ID, "always") }
		run(t, must(t, s, live.Options{}), p)
		if notes := p.saw(broker.SawNote); len(notes) != 1 || !strings.Contains(notes[0], "for the whole project") {
			t.Errorf("an always of another client's: %v", notes)
		}
	})
	bubble(t, question, func(t *testing.T, s *livetest.Server) {
		p := &person{answers: map[string]broker.Answer{"frm_a": {Answers: map[string][]string{"q0": {"x"}}}}}
		run(t, must(t, s, live.Options{}), p)
		if calls := slices.Concat(p.saw(broker.SawToolStart), p.saw(broker.SawToolEnd)); len(calls) > 0 {
			t.Errorf("the question tool is shown: %v", calls)
		}
	})
}

// TestClose stops the run that is under way.
func TestClose(t *testing.T) {
	bubble(t, commands("echo 1"), func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		p := &person{d: d}
		p.opened = func(broker.Request) { go d.Close() }
		if out := d.Run(t.Context(), "go", p); out != (broker.Outcome{End: broker.Cancelled, Reason: "the session was closed"}) {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"create", "prompt", "reject per_a", "interrupt ses_1"}, s.Told()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"per_a cancel stop"}, p.closed()); d != "" {
			t.Error(d)
		}
		synctest.Wait()
	})
}

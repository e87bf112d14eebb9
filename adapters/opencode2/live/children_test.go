package live_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// TestChildren brings what subagents ask to the run of their parent, at any depth,
// announced or not; the answer goes to whoever asked.
func TestChildren(t *testing.T) {
	child := func(announced bool, inner livetest.Agent) livetest.Agent {
		return func(t *livetest.Turn) {
			t.Child(announced, inner)
			shell(t, "per_end", "date")
		}
	}
	accept := decide(broker.Accept)
	type answers = map[string]broker.Answer
	for _, c := range []struct {
		name    string
		agent   livetest.Agent
		answers answers
		end     broker.End
		calls   []string
		closed  []string
		ran     []string
	}{
		{"announced", child(true, commands("echo 1")), answers{"per_a": accept, "per_end": accept}, broker.Ended,
			[]string{"once CHILD per_a", "once ses_1 per_end"}, []string{"per_a accept person", "per_end accept person"}, []string{"echo 1", "date"}},
		{"unannounced", child(false, commands("echo 1")), answers{"per_a": accept, "per_end": accept}, broker.Ended,
			[]string{"once CHILD per_a", "once ses_1 per_end"}, []string{"per_a accept person", "per_end accept person"}, []string{"echo 1", "date"}},
		{"a child's child", child(true, func(t *livetest.Turn) { t.Child(true, commands("echo 1")) }), answers{"per_a": accept, "per_end": accept}, broker.Ended,
			[]string{"once CHILD per_a", "once ses_1 per_end"}, []string{"per_a accept person", "per_end accept person"}, []string{"echo 1", "date"}},
		{"declined", child(true, commands("echo 1")), answers{"per_a": decide(broker.Decline), "per_end": accept}, broker.Ended,
			[]string{"note CHILD", "reject CHILD per_a", "once ses_1 per_end"}, []string{"per_a decline person", "per_end accept person"}, []string{"date"}},
		{"cancelled: the parent's run ends, too", func(t *livetest.Turn) { t.Child(true, commands("echo 1")); t.Pause(time.Hour) }, answers{"per_a": decide(broker.Cancel)}, broker.Cancelled,
			[]string{"reject CHILD per_a", "interrupt ses_1", "interrupt CHILD"}, []string{"per_a cancel person"}, nil},
		{"a question", child(true, question), answers{"frm_a": {Answers: map[string][]string{"q0": {"x"}}}, "per_end": accept}, broker.Ended,
			[]string{"answer CHILD frm_a", "once ses_1 per_end"}, []string{"frm_a person", "per_end accept person"}, []string{"date"}},
		{"a grant for the session holds for a child that was there before", child(true, commands("echo 1", "echo 2")), answers{"per_a": decide(broker.AcceptForSession), "per_end": accept}, broker.Ended,
			[]string{"update ses_1", "once CHILD per_a", "once CHILD per_b", "once ses_1 per_end"}, []string{"per_a acceptForSession person", "per_b accept grant", "per_end accept person"}, []string{"echo 1", "echo 2", "date"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.agent, func(t *testing.T, s *livetest.Server) {
				s.Agent("ses_foreign", []livetest.Rule{{Action: "*", Resource: "*", Effect: "ask"}}, func(t *livetest.Turn) { shell(t, "per_foreign", "rm x") })
				p := &person{answers: c.answers}
				p.answers["per_foreign"] = accept
				d := must(t, s, live.Options{})
				out := run(t, d, p)
				if out.End != c.end {
					t.Errorf("ended %s (%s)", out.End, out.Reason)
				}
				var calls []string
				for _, op := range s.Calls() {
					if c.name == "announced" && op.Name == "session.get" && strings.HasPrefix(short(op, d.ID()), "CHILD") && !strings.Contains(op.String(), "ses_foreign") {
						t.Errorf("an announced child was looked up: %s", op)
					}
					if op.Write && op.Name != "session.create" && op.Name != "session.prompt" {
						calls = append(calls, short(op, d.ID()))
					}
				}
				want := strings.ReplaceAll(strings.Join(c.calls, "\n"), "ses_1", d.ID())
				if d := cmp.Diff(want, strings.Join(calls, "\n")); d != "" {
					t.Errorf("told: %s", d)
				}
				if d := cmp.Diff(c.closed, p.closed()); d != "" {
					t.Errorf("closed: %s", d)
				}
				if d := cmp.Diff(c.ran, s.Ran(), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("ran: %s", d)
				}
				if d := cmp.Diff([]string{"per_foreign"}, s.Waiting()); d != "" {
					t.Errorf("waiting: %s", d)
				}
			})
		})
	}
}

// short is a call with its session, CHILD for another than the root.
func short(op livetest.Operation, root string) string {
	text := func(name string) string { return strings.Trim(string(op.Input[name]), `"`) }
	session := text("sessionID")
	if session != root {
		session = "CHILD"
	}
	what := map[string]string{"session.synthetic": "note", "session.interrupt": "interrupt", "session.form.reply": "answer", "session.update": "update"}[op.Name]
	if what == "" {
		what = text("decision")
	}
	return strings.Join(strings.Fields(what+" "+session+" "+text("requestID")+text("formID")), " ")
}

// TestChildWhileTheStreamIsAway takes in what a child asked meanwhile.
func TestChildWhileTheStreamIsAway(t *testing.T) {
	bubble(t, func(t *livetest.Turn) {
		t.Child(true, func(t *livetest.Turn) {
			t.Pause(time.Minute)
			shell(t, "per_a", "echo 1")
		})
	}, func(t *testing.T, s *livetest.Server) {
		time.AfterFunc(59*time.Second, func() { s.DropStreams(true) })
		time.AfterFunc(70*time.Second, func() { s.DropStreams(false) })
		p := &person{answers: map[string]broker.Answer{"per_a": decide(broker.Accept)}}
		if out := run(t, must(t, s, live.Options{}), p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"per_a accept person"}, p.closed()); d != "" {
			t.Error(d)
		}
	})
}

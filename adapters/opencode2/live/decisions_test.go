package live_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// shell is a command whose request has an id of its own.
func shell(t *livetest.Turn, id, command string) bool {
	return t.Tool(livetest.Call{Tool: "shell", Input: map[string]any{"command": command}, Action: "shell", Resources: []string{command}, Save: []string{"echo *"}, ID: id})
}

func commands(list ...string) livetest.Agent {
	return func(t *livetest.Turn) {
		for i, c := range list {
			shell(t, []string{"per_a", "per_b", "per_c"}[i], c)
		}
	}
}

// TestDecisions runs one thing after the other under every decision, and holds
// what the server was told, in order: "always" never.
func TestDecisions(t *testing.T) {
	accept, session, decline, cancel := decide(broker.Accept), decide(broker.AcceptForSession), decide(broker.Decline), decide(broker.Cancel)
	field := livetest.Field{Key: "q0", Title: "Color", Description: "Which?", Type: "string", Options: []livetest.Option{{Value: "v1", Label: "Red"}, {Value: "v2", Label: "Blue"}}}
	many := livetest.Field{Key: "q1", Type: "multiselect", Options: []livetest.Option{{Value: "a", Label: "A"}, {Value: "b", Label: "B"}, {Value: "c", Label: "C"}}}
	own := livetest.Field{Key: "q2", Type: "string", Custom: true, Options: []livetest.Option{{Value: "v1", Label: "Red"}}}
	asks := func(t *livetest.Turn) { t.Question("frm_a", field, many, own) }
	type answers = map[string]broker.Answer
	for _, c := range []struct {
		name    string
		agent   livetest.Agent
		answers answers
		end     broker.End
		told    []string // after create and prompt
		closed  []string
		ran     []string
	}{
		{"accept", commands("echo 1"), answers{"per_a": accept}, broker.Ended,
			[]string{"once per_a"}, []string{"per_a accept person"}, []string{"echo 1"}},
		{"accept for the session: what is like it isn't asked any more", commands("echo 1", "echo 2", "date"), answers{"per_a": session, "per_c": accept}, broker.Ended,
			[]string{"update", "once per_a", "once per_c"}, []string{"per_a acceptForSession person", "per_c accept person"}, []string{"echo 1", "echo 2", "date"}},
		{"decline: a note, a rejection with a message, and the run goes on", commands("echo 1", "echo 2"), answers{"per_a": decline, "per_b": accept}, broker.Ended,
			[]string{"note", "reject+ per_a", "once per_b"}, []string{"per_a decline person", "per_b accept person"}, []string{"echo 2"}},
		{"cancel: a rejection without a message, and the run ends", commands("echo 1", "echo 2"), answers{"per_a": cancel}, broker.Cancelled,
			[]string{"reject per_a", "interrupt ses_1"}, []string{"per_a cancel person"}, nil},
		{"a question is answered by value, with a list and with a text of one's own", asks,
			answers{"frm_a": {Answers: map[string][]string{"q0": {"v2"}, "q1": {"a", "c"}, "q2": {"mine"}}}}, broker.Ended,
			[]string{"answer frm_a"}, []string{"frm_a person"}, nil},
		{"a question is dismissed", asks, answers{"frm_a": cancel}, broker.Cancelled,
			[]string{"cancel frm_a"}, []string{"frm_a cancel person"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.agent, func(t *testing.T, s *livetest.Server) {
				p := &person{answers: c.answers}
				out := run(t, must(t, s, live.Options{}), p)
				if out.End != c.end {
					t.Errorf("ended %s (%s), want %s", out.End, out.Reason, c.end)
				}
				if d := cmp.Diff(append([]string{"create", "prompt"}, c.told...), s.Told()); d != "" {
					t.Errorf("the server was told: %s", d)
				}
				if d := cmp.Diff(c.closed, p.closed()); d != "" {
					t.Errorf("closed: %s", d)
				}
				if d := cmp.Diff(c.ran, s.Ran(), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("ran: %s", d)
				}
				if len(s.Saved()) > 0 || len(s.Waiting()) > 0 || s.Running() {
					t.Errorf("saved %v, left waiting %v, still running: %v", s.Saved(), s.Waiting(), s.Running())
				}
			})
		})
	}
}

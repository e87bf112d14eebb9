package live_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
	"github.com/modegate/modegate/evaluator"
)

// inForce are a session's rules on the server, in short.
func inForce(s *livetest.Server, id string) []string {
	var out []string
	for _, r := range s.Rules(id) {
		out = append(out, r.Action+" "+r.Resource+" "+r.Effect)
	}
	return out
}

// The rules of cells with the scripted server's agents, typed by hand.
var (
	agentPaths = []string{
		"external_directory /home/dev/data/opencode/shell/*/* allow", "external_directory /home/dev/data/opencode/tool-output/* allow",
		"external_directory /tmp/opencode/* allow", "external_directory /home/dev/config/opencode/* allow",
	}
	planPaths       = []string{"edit /home/dev/.opencode/plan/* allow", "external_directory /home/dev/.opencode/plan/* allow"}
	supervisedRules = slices.Concat([]string{"shell * ask", "edit * ask", "external_directory * ask"}, agentPaths, []string{"subagent * deny"})
	planRules       = slices.Concat([]string{"shell * ask", "edit * ask", "external_directory * ask", "edit * deny"}, agentPaths, planPaths, []string{"subagent * deny"})
	editsRules      = slices.Concat([]string{"shell * ask", "edit * allow", "external_directory * ask"}, agentPaths, []string{"subagent * deny"})
	fullRules       = []string{"* * allow", "subagent * deny"}
)

// TestRulesFollowTheCell sets rules when a session is made, and rewrites them when
// its mode or plan changes, when it is continued, and before a prompt when they
// aren't what they should be: the whole list in its order. Equal ones aren't sent.
func TestRulesFollowTheCell(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		step := func(what string, want []string, told ...string) {
			t.Helper()
			if d := cmp.Diff(want, inForce(s, "ses_1")); d != "" {
				t.Errorf("%s: in force: %s", what, d)
			}
			if got := s.Told(); !slices.Equal(got, told) {
				t.Errorf("%s: told %v, want %v", what, got, told)
			}
		}
		step("made", supervisedRules, "create")
		sync := func(c evaluator.Cell) {
			t.Helper()
			if _, err := d.Switch(t.Context(), c, compiling(t, c)); err != nil {
				t.Fatal(err)
			}
		}
		sync(supervised)
		step("once more", supervisedRules, "create")
		sync(cell(evaluator.ApprovalRequired, evaluator.Plan))
		step("plan", planRules, "create", "update")
		sync(supervised)
		step("no plan", supervisedRules, "create", "update", "update")
		sync(cell(evaluator.AutoAcceptEdits, evaluator.Default))
		step("edits", editsRules, "create", "update", "update", "update")
		sync(cell(evaluator.FullAccess, evaluator.Default))
		step("full access", fullRules, "create", "update", "update", "update", "update")
		told := s.Told()

		s.SetRules("ses_1", func(r []livetest.Rule) []livetest.Rule { slices.Reverse(r); return r })
		if out := run(t, d, &person{}); out.End != broker.Ended {
			t.Error(out)
		}
		told = append(told, "update", "prompt")
		step("another client changed their order", fullRules, told...)
		run(t, d, &person{})
		told = append(told, "prompt")
		step("the next prompt", fullRules, told...)

		d = must(t, s, live.Options{Session: "ses_1", Cell: fullAccess})
		step("continued under the same cell", fullRules, told...)
		d = must(t, s, live.Options{Session: "ses_1"})
		step("continued under another", supervisedRules, append(told, "update")...)
	})
}

// TestUpdateReachesTheRun changes the mode while a run waits: what it asks after
// that is judged by the new rules.
func TestUpdateReachesTheRun(t *testing.T) {
	bubble(t, commands("echo 1", "echo 2"), func(t *testing.T, s *livetest.Server) {
		p := &person{}
		d := must(t, s, live.Options{})
		p.opened = func(q broker.Request) {
			go func() {
				if _, err := d.Switch(t.Context(), fullAccess, compiling(t, fullAccess)); err != nil {
					t.Error(err)
				}
				if err := d.Answer(q, decide(broker.Accept)); err != nil {
					t.Error(err)
				}
			}()
		}
		if out := run(t, d, p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"create", "prompt", "update", "once per_a"}, s.Told()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"echo 1", "echo 2"}, s.Ran()); d != "" {
			t.Error(d)
		}
	})
}

// TestNotEnforced reads back what is in force: IN-06 of testdata/reports.json, where the
// declared rules are missing from those in force. A prompt isn't sent while that isn't
// what should be.
func TestNotEnforced(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *livetest.Server) {
		s.Stick()
		_, err := open(t, s, live.Options{})
		var not *broker.NotEnforced
		if !errors.As(err, &not) || not.Session != "ses_1" {
			t.Fatal(err)
		}
		want := "8 rules were sent and the session has 0; it lacks " + strings.Join(supervisedRules, ", ")
		if not.Reason != want {
			t.Errorf("%s, want %s", not.Reason, want)
		}
	})
	bubble(t, nil, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		s.Stick()
		s.SetRules("ses_1", func(r []livetest.Rule) []livetest.Rule {
			return append(r[1:], livetest.Rule{Action: "*", Resource: "*", Effect: "allow"})
		})
		out := run(t, d, &person{})
		if out.End != broker.Failed || !strings.Contains(out.Reason, "it lacks shell * ask; it has besides * * allow") {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"create", "update"}, s.Told()); d != "" {
			t.Errorf("a prompt was sent: %s", d)
		}
	})
}

// TestRulesOfAnotherClient ends a run whose session somebody else gives other rules.
func TestRulesOfAnotherClient(t *testing.T) {
	bubble(t, commands("echo 1", "echo 2"), func(t *testing.T, s *livetest.Server) {
		p := &person{}
		p.opened = func(broker.Request) {
			s.SetRules("ses_1", func([]livetest.Rule) []livetest.Rule {
				return []livetest.Rule{{Action: "*", Resource: "*", Effect: "allow"}}
			})
		}
		out := run(t, must(t, s, live.Options{}), p)
		if out.End != broker.Failed || !strings.Contains(out.Reason, "another client changed the session's rules") || !strings.Contains(out.Reason, "it has besides * * allow") {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"per_a cancel stop"}, p.closed()); d != "" {
			t.Error(d)
		}
		if len(s.Ran()) > 0 || s.Running() {
			t.Errorf("ran %v, running %v", s.Ran(), s.Running())
		}
	})
}

// TestAgents asks for the agents again while there are none, four times a second
// and for five seconds, and remembers no empty answer. Full access needs none.
func TestAgents(t *testing.T) {
	asked := func(s *livetest.Server) (n int) {
		for _, op := range s.Calls() {
			if op.Name == "agent.list" {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		name     string
		unlisted int
		cell     evaluator.Cell
		rules    []string
		asks     int
		after    time.Duration
		again    int // asks after the rules are brought up to date once more
	}{
		{"at once", 0, supervised, supervisedRules, 1, 0, 1},
		{"after some time", 3, supervised, supervisedRules, 4, 750 * time.Millisecond, 4},
		{"too late", 20, supervised, []string{"shell * ask", "edit * ask", "external_directory * ask", "subagent * deny"}, 20, 5 * time.Second, 21},
		{"not needed", 3, fullAccess, fullRules, 0, 0, 0},
		{"needed for plan", 1, cell(evaluator.FullAccess, evaluator.Plan), slices.Concat([]string{"* * allow", "edit * deny"}, agentPaths, planPaths, []string{"subagent * deny"}), 2, 250 * time.Millisecond, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := livetest.Start(t, livetest.Options{Unlisted: c.unlisted})
			d, err := connect(t, s, live.Options{Cell: c.cell})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			begin := time.Now()
			if _, err := d.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took != c.after || asked(s) != c.asks {
				t.Errorf("%s: %d asks in %v, want %d in %v", c.name, asked(s), took, c.asks, c.after)
			}
			if d := cmp.Diff(c.rules, inForce(s, "ses_1")); d != "" {
				t.Errorf("%s: %s", c.name, d)
			}
			if _, err := d.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if asked(s) != c.again {
				t.Errorf("%s: %d asks the second time, want %d", c.name, asked(s), c.again)
			}
			if full := c.asks > 0; full != (len(inForce(s, "ses_1")) > 4) {
				t.Errorf("%s: in force in the end: %v", c.name, inForce(s, "ses_1"))
			}
		})
	}
}

// TestOpen is what can't be opened, and why.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     live.Options
		fault map[string]livetest.Fault
		want  string
	}{
		{"no such session", live.Options{Session: "ses_9"}, nil, "SessionNotFoundError"},
		{"no such model", live.Options{Model: &live.Model{ProviderID: "fake", ID: "other"}}, nil, "the server has no model fake/other"},
		{"another program's web page", live.Options{}, map[string]livetest.Fault{"model.list": livetest.Page}, "not JSON"},
		{"rules in a web page", live.Options{}, map[string]livetest.Fault{"session.create": livetest.Page}, "not JSON"},
		{"agents in a web page", live.Options{}, map[string]livetest.Fault{"agent.list": livetest.Page}, "not JSON"},
		{"rules read back from a web page", live.Options{}, map[string]livetest.Fault{"session.get": livetest.Page}, "not JSON"},
	} {
		bubble(t, nil, func(t *testing.T, s *livetest.Server) {
			for op, f := range c.fault {
				s.Fail(op, f)
			}
			d, err := open(t, s, c.o)
			if err == nil {
				d.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := livetest.Start(t, livetest.Options{Password: "secret"})
		if _, err := connect(t, s, live.Options{}); !live.IsUnauthorized(err) {
			t.Error(err)
		}
	})
}

// TestModel names the model in a new session, when one was chosen.
func TestModel(t *testing.T) {
	for _, m := range []*live.Model{nil, {ProviderID: "fake", ID: "scripted"}} {
		bubble(t, nil, func(t *testing.T, s *livetest.Server) {
			must(t, s, live.Options{Model: m})
			for _, op := range s.Calls() {
				if op.Name != "session.create" {
					continue
				}
				var got *live.Model
				if op.Input["model"] != nil {
					if err := json.Unmarshal(op.Input["model"], &got); err != nil {
						t.Fatal(err)
					}
				}
				if d := cmp.Diff(m, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

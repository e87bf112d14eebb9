package live_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/evaluator"
)

// TestReset continues sessions that have rules already: what their subagents
// would go on inheriting is taken away, and nothing is sent that is there.
func TestReset(t *testing.T) {
	// Of full access under strictly: the last is for us, and asks nothing.
	full := []live.Rule{rule("*", "*", "allow"), rule("bash", "rm *", "deny"), rule("modegate-declines:command", "rm *", "ask")}
	plan := []live.Rule{rule("*", "*", "allow"), rule("edit", "*", "deny"), rule("edit", ".opencode/plans/*.md", "allow")}
	const reset = "message map[modegate:true]"
	for _, c := range []struct {
		name string
		has  []live.Rule
		told []string
		then []live.Rule
	}{
		{"none", nil, []string{"patch"}, full},
		{"the same", full, nil, full},
		{"the same, above what nobody inherits", slices.Concat([]live.Rule{rule("*", "*", "ask"), rule("bash", "*", "allow")}, full), nil,
			slices.Concat([]live.Rule{rule("*", "*", "ask"), rule("bash", "*", "allow")}, full)},
		{"asks that nobody inherits", []live.Rule{rule("*", "*", "ask")}, []string{"patch"}, slices.Concat([]live.Rule{rule("*", "*", "ask")}, full)},
		{"the same deny", []live.Rule{rule("*", "*", "ask"), rule("bash", "rm *", "deny")}, []string{"patch"}, slices.Concat([]live.Rule{rule("*", "*", "ask"), rule("bash", "rm *", "deny")}, full)},
		{"the same, without what we decline", full[:2], []string{"patch"}, slices.Concat(full[:2], full)},
		{"another that we decline", slices.Concat(full[:2], []live.Rule{rule("modegate-declines:command", "ls", "ask")}), []string{"patch"},
			slices.Concat(full[:2], []live.Rule{rule("modegate-declines:command", "ls", "ask")}, full)},
		{"plan is left", plan, []string{reset, "patch"}, slices.Concat([]live.Rule{rule("modegate", "*", "allow")}, full)},
		{"plan was left without a reset", slices.Concat(plan, full), []string{reset, "patch"}, slices.Concat([]live.Rule{rule("modegate", "*", "allow")}, full)},
		{"folders outside were asked about", []live.Rule{rule("*", "*", "ask"), rule("external_directory", "*", "ask")}, []string{reset, "patch"}, slices.Concat([]live.Rule{rule("modegate", "*", "allow")}, full)},
		{"folders outside were allowed", []live.Rule{rule("external_directory", "/etc/*", "allow")}, []string{reset, "patch"}, slices.Concat([]live.Rule{rule("modegate", "*", "allow")}, full)},
		{"a reset that left a deny", []live.Rule{rule("*", "*", "deny")}, []string{reset, "patch"}, slices.Concat([]live.Rule{rule("modegate", "*", "allow")}, full)},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := livetest.NewFake(t)
			f.AddSession(live.Session{ID: "ses_1", Directory: livetest.FakeDir, Permission: c.has}, false)
			cell := evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.FullAccess, Interaction: evaluator.Default}
			if _, err := open(t, f, live.DriverOptions{Session: "ses_1", Cell: cell}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.told, f.Log()); d != "" {
				t.Errorf("the server was told: %s", d)
			}
			if d := cmp.Diff(c.then, f.Rules("ses_1")); d != "" {
				t.Errorf("the rules: %s", d)
			}
		})
	}
}

// TestResetIsWatched stops a run that somebody else began while there were no
// rules, and what it asks; rules that don't arrive are sent once more.
func TestResetIsWatched(t *testing.T) {
	denied := []live.Rule{rule("edit", "*", "deny")}
	f := livetest.NewFake(t)
	f.AddSession(live.Session{ID: "ses_1", Directory: livetest.FakeDir, Permission: denied}, false)
	f.Put(false, shellAsk("per_1", "ls"))
	f.OnMessage(func() { f.SetStatus(live.StatusBusy) })
	_, err := open(t, f, live.DriverOptions{Session: "ses_1"})
	if err == nil || !strings.Contains(err.Error(), "was prompted while its rules were changed") {
		t.Errorf("a prompt while there are no rules: %v", err)
	}
	if d := cmp.Diff([]string{"message map[modegate:true]", "patch", "reject per_1", "abort ses_1"}, f.Log()); d != "" {
		t.Error(d)
	}

	f = livetest.NewFake(t)
	f.AddSession(live.Session{ID: "ses_1", Directory: livetest.FakeDir, Permission: denied}, false)
	f.Lose("PATCH /session/ses_1")
	if _, err := open(t, f, live.DriverOptions{Session: "ses_1"}); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"message map[modegate:true]", "patch", "patch"}, f.Log()); d != "" {
		t.Error(d)
	}
}

// TestRulesAreWatched ends a run whose session gets other rules from somebody
// else, and no other.
func TestRulesAreWatched(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules func([]live.Rule) []live.Rule
		end   broker.End
	}{
		{"replaced, as by a prompt with tools", func([]live.Rule) []live.Rule { return []live.Rule{rule("*", "*", "allow")} }, broker.Failed},
		{"taken away", func([]live.Rule) []live.Rule { return nil }, broker.Failed},
		{"added to", func(r []live.Rule) []live.Rule { return append(r, rule("bash", "*", "allow")) }, broker.Failed},
		{"below a deny that subagents inherit", func(r []live.Rule) []live.Rule { return append([]live.Rule{rule("edit", "*", "deny")}, r...) }, broker.Failed},
		{"the same", func(r []live.Rule) []live.Rule { return r }, broker.Ended},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := livetest.NewFake(t)
			f.Agent = func(f *livetest.Fake) string {
				f.SetRules("ses_1", c.rules(f.Rules("ses_1")))
				return asks(shellAsk("per_1", "ls"))(f)
			}
			p := &someone{answers: map[string]broker.Answer{"per_1": decide(broker.Accept)}}
			if c.end == broker.Failed {
				p.answers = nil
			}
			out := drive(t, t.Context(), f, evaluator.ApprovalRequired, live.DriverOptions{}, p)
			if out.End != c.end || (c.end == broker.Failed) != strings.Contains(out.Reason, "another client changed them") {
				t.Errorf("ended %s: %s", out.End, out.Reason)
			}
			if c.end == broker.Failed && (len(f.Ran()) > 0 || !slices.Contains(f.Log(), "abort ses_1")) {
				t.Errorf("ran %v, told %v", f.Ran(), f.Log())
			}
		})
	}
}

// TestAlways notes an "always" of somebody else's, in whatever session, and says
// of a request of ours how it was closed.
func TestAlways(t *testing.T) {
	f := livetest.NewFake(t)
	f.Agent = asks(shellAsk("per_1", "ls"))
	p := &someone{opened: func(id string) { go f.Settle(id, live.Reply{Reply: live.ReplyAlways}) }}
	out := drive(t, t.Context(), f, evaluator.ApprovalRequired, live.DriverOptions{}, p)
	if d := cmp.Diff([]string{"per_1 another client"}, p.closed); d != "" || out.End != broker.Ended {
		t.Error(d, out)
	}
	if !slices.ContainsFunc(p.notes, func(n string) bool { return strings.HasPrefix(n, "another client answered always") }) {
		t.Errorf("notes: %q", p.notes)
	}
	if strings.Contains(strings.Join(f.Log(), " "), live.ReplyAlways) {
		t.Errorf("told %v", f.Log())
	}
}

// TestWarnings says what the session's rules don't reach, once, before anything
// runs: of a server that others can use more than of one's own. The fake's agents
// allow the same call again and again.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		mode evaluator.Mode
		gone chan struct{}
		want []string
	}{
		{evaluator.ApprovalRequired, make(chan struct{}), []string{"subagents", "the"}},
		{evaluator.ApprovalRequired, nil, []string{"subagents", "the", "others"}},
		{evaluator.FullAccess, make(chan struct{}), nil},
		{evaluator.FullAccess, nil, []string{"others"}},
	} {
		f := livetest.NewFake(t)
		f.Agent = asks()
		p := &someone{}
		o := live.DriverOptions{}
		if c.gone != nil {
			o.Gone = c.gone
		}
		if out := drive(t, t.Context(), f, c.mode, o, p); out.End != broker.Ended {
			t.Error(out)
		}
		var words []string
		for _, n := range p.notes {
			word, _, _ := strings.Cut(n, " ")
			words = append(words, word)
		}
		if d := cmp.Diff(c.want, words); d != "" {
			t.Errorf("%s: %s", c.mode, d)
		}
	}
}

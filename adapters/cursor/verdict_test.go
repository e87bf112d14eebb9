package cursor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/cursor"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

const (
	supervised = `{"argv":["acp"],"modeAliases":["ask","code","agent"],"callback":{"permission":"ask"}}`
	implement  = `{"argv":["acp"],"modeAliases":["code","agent","ask"],"callback":{"permission":"ask"}}`
	full       = `{"argv":["acp"],"modeAliases":["code","agent","ask"],"callback":{"permission":"allow"}}`
	planned    = `{"argv":["acp"],"modeAliases":["plan","architect"],"callback":{"permission":"allow"}}`
	forced     = `{"argv":["--force","acp"],"modeAliases":["agent"],"callback":{"permission":"ask"}}`

	asks = `{"approvalMode":"allowlist","allow":[],"deny":[]}`
)

func evaluate(t testing.TB, native, facts string, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	m, err := cursor.New().Read([]byte(native), compiler.Setting{Env: evaluator.Env{Workspace: "/w", Home: "/h", Facts: jsontext.Value(facts)}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, a, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func command(text string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.Command, Command: text}
}

func change(path string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.FileChange, Path: path}
}

var (
	read     = evaluator.Action{Kind: evaluator.FileRead, Path: "a.go"}
	fetch    = evaluator.Action{Kind: evaluator.WebFetch, URL: "https://www.example.test/x"}
	question = evaluator.Action{Kind: evaluator.Question}
	tool     = evaluator.Action{Kind: evaluator.MCPTool, Server: "github", Tool: "create_issue"}
)

// TestWhoDecides keeps Cursor's own answer and our callback's apart, and says who
// holds the agent to it.
func TestWhoDecides(t *testing.T) {
	for _, c := range []struct {
		name, native, facts string
		action              evaluator.Action
		own, effect         evaluator.Effect
		decider             evaluator.Decider
		enforcer            evaluator.Enforcer
	}{
		{"unrestricted", implement, "", command("rm x"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByNobody},
		{"allowlist", implement, asks, command("rm x"), evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"callback", full, asks, command("rm x"), evaluator.Ask, evaluator.Allow, evaluator.ByAdapter, evaluator.EnforcedByAdapter},
		{"edit in agent", implement, asks, change("a.go"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByNobody},
		{"edit in ask", supervised, "", change("a.go"), evaluator.Deny, evaluator.Deny, evaluator.ByMode, evaluator.EnforcedByMode},
		{"edit in plan", planned, "", change("a.go"), evaluator.Deny, evaluator.Deny, evaluator.ByMode, evaluator.EnforcedByMode},
		{"the shell in plan", planned, "", command("echo x > a.go"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByNobody},
		{"read", supervised, asks, read, evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByNobody},
		{"fetch", implement, asks, fetch, evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"question", full, "", question, evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"mcp, undocumented", implement, asks, tool, evaluator.Unknown, evaluator.Unknown, evaluator.ByNobody, evaluator.EnforcedByNobody},
		{"mcp, allowed", implement, `{"approvalMode":"allowlist","allow":["Mcp(github:*)"]}`, tool, evaluator.Allow, evaluator.Allow, evaluator.ByRule, evaluator.EnforcedByRule},
		{"fetch, allowed", implement, `{"approvalMode":"allowlist","allow":["WebFetch(*.example.test)"]}`, fetch, evaluator.Allow, evaluator.Allow, evaluator.ByRule, evaluator.EnforcedByRule},
		{"force", forced, asks, command("rm x"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByNobody},
		{"another mode", implement, `{"modes":[{"id":"code"}]}`, change("a.go"), evaluator.Unknown, evaluator.Unknown, evaluator.ByNobody, evaluator.EnforcedByNobody},
		{"a read fence", full, `{"deny":["Read(**/a.go)"]}`, read, evaluator.Deny, evaluator.Deny, evaluator.ByRule, evaluator.EnforcedByRule},
		{"a write fence", full, `{"deny":["Write(src/**)"]}`, change("src/x/a.go"), evaluator.Deny, evaluator.Deny, evaluator.ByRule, evaluator.EnforcedByRule},
		{"no fetch fence", full, `{"deny":["WebFetch(*)"]}`, fetch, evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByNobody},
	} {
		v := evaluate(t, c.native, c.facts, c.action)
		if v.Native.Effect != c.own || v.Effect != c.effect || v.Decider != c.decider || v.Enforcer != c.enforcer {
			t.Errorf("%s: Cursor %s, in the end %s, by %s, held by %s; want %s, %s, %s, %s (%s)",
				c.name, v.Native.Effect, v.Effect, v.Decider, v.Enforcer, c.own, c.effect, c.decider, c.enforcer, v.Reason)
		}
		if v.Reason == "" || len(v.Parts) == 0 || len(v.Trace) == 0 || v.Provider.Version != "2026.10.01" {
			t.Errorf("%s: a field is empty: %+v", c.name, v)
		}
	}
}

// TestReportNeverAsks: where the provider never asks, the mode isn't listed as
// enforced, and what is assumed of the user's settings is said.
func TestReportNeverAsks(t *testing.T) {
	v := evaluate(t, supervised, "", command("git push"))
	if v.Effect != evaluator.Allow || v.Enforcer != evaluator.EnforcedByNobody || !strings.Contains(v.Reason, "isn't enforced") {
		t.Errorf("%s, held by %s: %s", v.Effect, v.Enforcer, v.Reason)
	}
	says := func(s string) bool { return strings.Contains(s, "approvalMode") }
	if !slices.ContainsFunc(v.Assumed, says) {
		t.Errorf("assumed %q", v.Assumed)
	}
	if v := evaluate(t, supervised, asks, command("git push")); slices.ContainsFunc(v.Assumed, says) || v.Effect != evaluator.Ask {
		t.Errorf("%s, assumed %q", v.Effect, v.Assumed)
	}
}

// TestReportShellComposition: an allow for cd doesn't cover what is chained to it.
func TestReportShellComposition(t *testing.T) {
	const facts = `{"approvalMode":"allowlist","allow":["Shell(cd)","Shell(git:status*)"]}`
	for text, want := range map[string]evaluator.Effect{
		"cd tofu":                           evaluator.Allow,
		"cd tofu && git status -s":          evaluator.Allow,
		"cd tofu && tofu apply":             evaluator.Ask,
		"cd tofu\ntofu apply":               evaluator.Ask,
		"cd $(tofu apply)":                  evaluator.Ask,
		"git push":                          evaluator.Ask,
		"cd \"unclosed":                     evaluator.Ask,
		"cdx":                               evaluator.Ask,
		"cd tofu && tofu apply -auto-aprov": evaluator.Ask,
	} {
		for _, native := range []string{supervised, implement} {
			if v := evaluate(t, native, facts, command(text)); v.Effect != want {
				t.Errorf("%s: %s, want %s (%s)", text, v.Effect, want, v.Reason)
			}
		}
	}
}

// TestReportOwnDenies: --force and full access still respect the user's denies.
func TestReportOwnDenies(t *testing.T) {
	const facts = `{"deny":["Shell(rm)"]}`
	for _, native := range []string{full, forced} {
		for _, text := range []string{"rm -r build", "ls && rm x", "echo $(rm x)"} {
			v := evaluate(t, native, facts, command(text))
			if v.Effect != evaluator.Deny || v.Rule == nil || v.Rule.Layer != "user-deny" || !strings.Contains(v.Reason, "in every mode") {
				t.Errorf("%s: %s by %+v: %s", text, v.Effect, v.Rule, v.Reason)
			}
		}
	}
}

// TestReportIgnoredArguments: --mode plan before acp is taken and not applied.
func TestReportIgnoredArguments(t *testing.T) {
	native := `{"argv":["--mode","plan","acp"],"modeAliases":["agent"],"callback":{"permission":"ask"}}`
	v := evaluate(t, native, "", change("a.go"))
	if v.Effect != evaluator.Allow || !strings.Contains(v.Reason, "--mode plan") {
		t.Errorf("%s: %s", v.Effect, v.Reason)
	}
	unknown := `{"argv":["--sandbox","enabled","acp"],"modeAliases":["agent"],"callback":{"permission":"allow"}}`
	if v := evaluate(t, unknown, "", command("ls")); v.Effect != evaluator.Unknown {
		t.Errorf("--sandbox: %s", v.Effect)
	}
}

// TestModeChoice: the exact name of a mode wins over a part of another's.
func TestModeChoice(t *testing.T) {
	const modes = `{"modes":[{"id":"a1","name":"Agent (code)","description":"writes code"},{"id":"plan","name":"Plan"},{"id":"ask","name":"Ask"}]}`
	if v := evaluate(t, planned, modes, change("a.go")); v.Effect != evaluator.Deny {
		t.Errorf("plan: %s", v.Effect)
	}
	// code is only part of a name, ask is a whole one: it is taken first.
	if v := evaluate(t, implement, modes, change("a.go")); v.Effect != evaluator.Deny || !strings.Contains(v.Reason, "ask") {
		t.Errorf("implement: %s: %s", v.Effect, v.Reason)
	}
}

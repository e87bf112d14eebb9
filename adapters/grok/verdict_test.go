package grok_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

const (
	supervised = `{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`
	anything   = `{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"allow"}}`
	flagged    = `{"argv":["--permission-mode","default","agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`
	always     = `{"argv":["agent","--always-approve","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`
	auto       = `{"argv":["agent","stdio"],"sessionMeta":{"autoMode":true},"callback":{"permission":"ask"}}`
)

func command(text string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.Command, Command: text}
}

func change(path string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.FileChange, Path: path}
}

// evaluate answers one Action under native settings and facts.
func evaluate(t testing.TB, native, facts string, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	env := evaluator.Env{Workspace: "/w", Home: "/h", Facts: jsontext.Value(facts)}
	return evaluateIn(t, native, env, a)
}

func evaluateIn(t testing.TB, native string, env evaluator.Env, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	m, err := grok.New().Read([]byte(native), compiler.Setting{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, a, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWhoDecides keeps Grok's own answer and our callback's apart, and says who
// holds the agent to it.
func TestWhoDecides(t *testing.T) {
	const bypass = `{"claudeDefaultMode":"bypassPermissions","trusted":true}`
	for _, c := range []struct {
		name, native, facts string
		action              evaluator.Action
		own, effect         evaluator.Effect
		decider             evaluator.Decider
		enforcer            evaluator.Enforcer
	}{
		{"read-only", supervised, "", command("ls"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByMode},
		{"asked", supervised, "", command("rm x"), evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"callback", anything, "", command("rm x"), evaluator.Ask, evaluator.Allow, evaluator.ByAdapter, evaluator.EnforcedByAdapter},
		{"edit", supervised, "", change("a.go"), evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"read", supervised, "", evaluator.Action{Kind: evaluator.FileRead, Path: "/etc/passwd"}, evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByMode},
		{"move", auto, "", evaluator.Action{Kind: evaluator.FileChange, Path: "a", To: "b"}, evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"classifier", auto, "", command("curl x"), evaluator.Review, evaluator.Review, evaluator.ByReviewer, evaluator.EnforcedByMode},
		{"edit in auto", auto, "", change("a.go"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByMode},
		{"guarded edit", auto, "", change(".git/hooks/pre-commit"), evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"mcp", supervised, "", evaluator.Action{Kind: evaluator.MCPTool, Server: "s", Tool: "t"}, evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"subagent", auto, "", evaluator.Action{Kind: evaluator.Subagent, Agent: "x"}, evaluator.Review, evaluator.Review, evaluator.ByReviewer, evaluator.EnforcedByMode},
		{"question", anything, "", evaluator.Action{Kind: evaluator.Question}, evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"search", supervised, "", evaluator.Action{Kind: evaluator.WebSearch, Query: "x"}, evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByMode},
		{"always", always, "", command("rm x"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByMode},
		{"the user's bypass", flagged, bypass, command("mytool"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByNobody},
		{"what bypass asks", flagged, bypass, command("rm x"), evaluator.Ask, evaluator.Ask, evaluator.ByPerson, evaluator.EnforcedByAdapter},
		{"the user's rule", supervised, `{"rules":[{"layer":"user","effect":"allow","rule":"Bash(mytool *)"}]}`, command("mytool x"), evaluator.Allow, evaluator.Allow, evaluator.ByRule, evaluator.EnforcedByRule},
		{"plan", always, `{"planMode":true}`, change("a.go"), evaluator.Deny, evaluator.Deny, evaluator.ByMode, evaluator.EnforcedByMode},
		{"the shell in plan", always, `{"planMode":true}`, command("echo x > a.go"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByMode},
		{"the plan file", supervised, `{"planMode":true}`, change("/h/.grok/sessions/p/1/plan.md"), evaluator.Allow, evaluator.Allow, evaluator.ByMode, evaluator.EnforcedByMode},
	} {
		v := evaluate(t, c.native, c.facts, c.action)
		if v.Native.Effect != c.own || v.Effect != c.effect || v.Decider != c.decider || v.Enforcer != c.enforcer {
			t.Errorf("%s: Grok %s, in the end %s, by %s, held by %s; want %s, %s, %s, %s (%s)",
				c.name, v.Native.Effect, v.Effect, v.Decider, v.Enforcer, c.own, c.effect, c.decider, c.enforcer, v.Reason)
		}
		if v.Reason == "" || len(v.Parts) == 0 || len(v.Trace) == 0 || v.Provider.Version != "1.0.41" {
			t.Errorf("%s: a field is empty: %+v", c.name, v)
		}
	}
}

// TestUnknownIsSaid: what wasn't measured isn't guessed.
func TestUnknownIsSaid(t *testing.T) {
	for _, native := range []string{
		`{"argv":["--sandbox","strict","agent","stdio"],"sessionMeta":{},"callback":{"permission":"allow"}}`,
		`{"argv":["agent","serve"],"sessionMeta":{},"callback":{"permission":"allow"}}`,
		`{"argv":[],"sessionMeta":{},"callback":{"permission":"allow"}}`,
		`{"argv":["--permission-mode","yolo","agent","stdio"],"sessionMeta":{},"callback":{"permission":"allow"}}`,
	} {
		if v := evaluate(t, native, "", command("ls")); v.Effect != evaluator.Unknown || v.Reason == "" {
			t.Errorf("%s: %s (%s)", native, v.Effect, v.Reason)
		}
	}
	image := evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(`{"tool":"image_gen","input":{}}`)}
	if v := evaluate(t, anything, "", image); v.Effect != evaluator.Unknown {
		t.Errorf("image_gen: %s", v.Effect)
	}
}

// TestGrants: what Grok keeps is its own answer, what the session was granted is
// our callback's.
func TestGrants(t *testing.T) {
	env := evaluator.Env{Workspace: "/w", Saved: []evaluator.Grant{{Action: "Bash", Resource: "rm x"}}, Grants: []evaluator.Grant{{Action: "Edit", Resource: "*"}}}
	saved := evaluateIn(t, supervised, env, command("rm x"))
	if saved.Native.Effect != evaluator.Allow || saved.Rule == nil || saved.Rule.Layer != "saved" {
		t.Errorf("saved: %s, rule %+v", saved.Native.Effect, saved.Rule)
	}
	if other := evaluateIn(t, supervised, env, command("rm x y")); other.Effect != evaluator.Ask {
		t.Errorf("another command: %s", other.Effect)
	}
	granted := evaluateIn(t, supervised, env, change("a.go"))
	if granted.Native.Effect != evaluator.Ask || granted.Effect != evaluator.Allow || granted.Decider != evaluator.ByAdapter {
		t.Errorf("granted: %s, %s by %s", granted.Native.Effect, granted.Effect, granted.Decider)
	}
}

// TestNativeRequests are strict but for the tool's own arguments.
func TestNativeRequests(t *testing.T) {
	m, err := grok.New().Read([]byte(supervised), compiler.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		`{"tool":"run_terminal_command","input":{"command":"ls","timeout":5}}`: "",
		`{"tool":"todo_write","input":{}}`:                                     "",
		`{"tool":"run_terminal_command","input":{}}`:                           "no command",
		`{"input":{}}`:                             `"tool" is missing`,
		`{"tool":"write","inputs":{}}`:             "unknown field",
		`{"tool":"write","input":{"file_path":7}}`: "input",
		`[]`: "native request",
	} {
		_, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(request)}, false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", request, err, want)
		}
	}
}

// TestAssumptions names what was taken for granted.
func TestAssumptions(t *testing.T) {
	for text, want := range map[string]string{"frobnicate x": "frobnicate", "curl x": "", "ls": ""} {
		v := evaluate(t, supervised, `{"trusted":true}`, command(text))
		if got := strings.Join(v.Assumed, "; "); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: assumed %q, want %q", text, got, want)
		}
	}
	if v := evaluate(t, supervised, "", command("ls")); len(v.Assumed) != 2 {
		t.Errorf("without facts: assumed %q", v.Assumed)
	}
}

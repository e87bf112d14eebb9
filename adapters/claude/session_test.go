package claude

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func TestFactsAreStrict(t *testing.T) {
	const native = `{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":null,"permissions":{"allow":[],"ask":[],"deny":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"ask"}}`
	for facts, want := range map[string]string{
		`{"modle":"x"}`:                              "unknown field",
		`{"args":["--no-such-option"]}`:              "isn't known",
		`{"sources":[{"layer":"elsewhere"}]}`:        "unknown layer",
		`{"files":{"/h/.claude/settings.json":"{"}}`: "settings.json",
		`[]`: "facts",
	} {
		env := evaluator.Env{Workspace: "/w", Home: "/h", Facts: jsontext.Value(facts)}
		if _, err := New().Read([]byte(native), compiler.Setting{Env: env}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %q", facts, err, want)
		}
	}
}

// TestLayers holds who may say what: rules of each source, and where a pattern
// with one leading slash is anchored.
func TestLayers(t *testing.T) {
	rules := map[string]any{"permissions": map[string]any{"allow": []string{"Edit(/src/**)", "Bash(mytool *)"}}}
	file := func(name string) map[string]any { return map[string]any{"files": map[string]any{name: rules}} }
	for _, c := range []struct {
		name          string
		facts         map[string]any
		command, edit evaluator.Effect
	}{
		{"user settings are anchored in the config folder", file("/home/dev/.claude/settings.json"), evaluator.Allow, evaluator.Ask},
		{"an untrusted project allows nothing", file("/home/dev/app/.claude/settings.json"), evaluator.Ask, evaluator.Ask},
		{"local settings", file("/home/dev/app/.claude/settings.local.json"), evaluator.Allow, evaluator.Allow},
		{"a trusted project", map[string]any{"trusted": true, "files": map[string]any{"/home/dev/app/.claude/settings.json": rules}}, evaluator.Allow, evaluator.Allow},
		{"without setting sources", map[string]any{"settingSources": "", "files": map[string]any{"/home/dev/app/.claude/settings.local.json": rules}}, evaluator.Ask, evaluator.Ask},
		{"the command line", map[string]any{"args": []string{"--allowedTools", "Edit(/src/**)", "Bash(mytool *)"}}, evaluator.Allow, evaluator.Allow},
		{"managed settings", map[string]any{"managed": rules}, evaluator.Allow, evaluator.Allow},
	} {
		m := setting{base: Default, facts: c.facts}.read(t)
		if v := judge(t, m, "Bash", bashInput("mytool x")); v.Effect != c.command {
			t.Errorf("%s: the command: %s", c.name, v.Effect)
		}
		if v := judge(t, m, "Write", `{"file_path":"src/n.go"}`); v.Effect != c.edit {
			t.Errorf("%s: the edit: %s", c.name, v.Effect)
		}
	}
	m := setting{base: Default, rules: Permissions{Allow: []string{"Bash"}}, facts: map[string]any{
		"managed": map[string]any{"allowManagedPermissionRulesOnly": true},
	}}.read(t)
	if v := judge(t, m, "Bash", bashInput("mytool x")); v.Effect != evaluator.Ask {
		t.Errorf("managed rules only: %s", v.Effect)
	}
}

// TestHooks holds what a hook's answer can and can't do.
func TestHooks(t *testing.T) {
	hook := func(decision, more string) map[string]any {
		return map[string]any{"hooks": []any{map[string]any{"event": "PreToolUse", "matcher": "Bash|Write", "exit": 0,
			"output": jsontext.Value(`{"hookSpecificOutput":{"permissionDecision":"` + decision + `"` + more + `}}`)}}}
	}
	rules := Permissions{Allow: []string{"Bash(fine *)"}, Ask: []string{"Bash(askme *)"}, Deny: []string{"Bash(danger *)"}}
	for _, c := range []struct {
		mode    Mode
		facts   map[string]any
		command string
		want    evaluator.Effect
	}{
		{Default, hook("allow", ""), "npm x", evaluator.Allow},
		{Default, hook("allow", ""), "danger x", evaluator.Deny},
		{Default, hook("allow", ""), "askme x", evaluator.Ask},
		{Default, hook("allow", ""), "touch .npmrc", evaluator.Ask},
		{DontAsk, hook("allow", ""), "npm x", evaluator.Allow},
		{Plan, hook("allow", ""), "npm x", evaluator.Ask},
		{Bypass, hook("ask", ""), "npm x", evaluator.Ask},
		{DontAsk, hook("ask", ""), "fine x", evaluator.Ask},
		{Bypass, hook("deny", ""), "fine x", evaluator.Deny},
		{Default, hook("defer", ""), "fine x", evaluator.Deny},
		{Default, hook("allow", `,"updatedInput":{"command":"danger x"}`), "fine x", evaluator.Deny},
	} {
		m := setting{base: c.mode, rules: rules, facts: c.facts}.read(t)
		if v := judge(t, m, "Bash", bashInput(c.command)); v.Native.Effect != c.want {
			t.Errorf("%s, %s: %s, want %s (%s)", c.mode, c.command, v.Native.Effect, c.want, v.Reason)
		}
	}
}

// TestExplain holds that the deciding rule is named, with its layer and place.
func TestExplain(t *testing.T) {
	m := setting{base: Default, rules: Permissions{Allow: []string{"Bash(a *)", "Bash(b *)"}, Deny: []string{"Bash(c *)"}}}.read(t)
	v := judge(t, m, "Bash", bashInput("b 1"))
	if v.Rule == nil || v.Rule.Layer != string(FlagLayer) || v.Rule.Index != 1 || v.Rule.Pointer != "/permissions/allow/1" {
		t.Errorf("the deciding rule is %+v", v.Rule)
	}
	var looked []string
	told := map[string]int{} // a rule is told once for each text, not once for each of Claude's own looks
	for _, s := range v.Trace {
		if told[string(s.Native)+s.Resource]++; told[string(s.Native)+s.Resource] > 1 {
			t.Errorf("%s is told twice of %q", s.Native, s.Resource)
		}
		if s.Decided {
			looked = append(looked, string(s.Native)+" decides")
		} else {
			looked = append(looked, string(s.Native))
		}
	}
	if d := cmp.Diff([]string{`"Bash(c *)"`, `"Bash(b *)" decides`}, []string{looked[0], looked[len(looked)-1]}); d != "" {
		t.Error(d)
	}
}

// TestNarrowRules holds how a policy's own rules are said to Claude.
func TestNarrowRules(t *testing.T) {
	rule := func(kind evaluator.Kind, match string, e evaluator.Effect) compiler.Rule {
		return compiler.Rule{Rule: policies.Rule{ID: match, Kind: kind, Match: match, Effect: e}}
	}
	in := compiler.Intent{
		Cell:    evaluator.Cell{Provider: evaluator.Claude, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default},
		Profile: t3code,
		Rules: []compiler.Rule{
			rule(evaluator.Command, "git push --force *", evaluator.Deny),
			rule(evaluator.Command, "npm test", evaluator.Allow),
			rule(evaluator.FileRead, "**/.env", evaluator.Ask),
			rule(evaluator.FileChange, "infra/**", evaluator.Deny),
			rule(evaluator.FileChange, "docs/*.md", evaluator.Allow),
			rule(evaluator.FileRead, "/etc/**", evaluator.Deny),
			rule(evaluator.WebFetch, "https://example.test/*", evaluator.Allow),
			rule(evaluator.MCPTool, "github/create_issue", evaluator.Deny),
			rule(evaluator.Subagent, "general", evaluator.Ask),
		},
	}
	w, err := New().Write(in, evaluator.Env{Workspace: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	n, err := decodeNative(w.Native)
	if err != nil {
		t.Fatal(err)
	}
	want := Permissions{
		Allow: []string{"Bash(npm test)", "Edit(docs/*.md)", "WebFetch(domain:example.test)"},
		Ask:   []string{"Read(**/.env)", "Agent(subagent_type:general)"},
		Deny:  []string{"Bash(git push --force *)", "Edit(//w/infra/**)", "Read(//etc/**)", "mcp__github__create_issue"},
	}
	if d := cmp.Diff(want, n.Permissions); d != "" {
		t.Error(d)
	}
}

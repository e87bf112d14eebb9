package codex_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// given reads files as one names them.
func given(t *testing.T, env evaluator.Env, files ...compiler.SettingsFile) (evaluator.Meaning, error) {
	t.Helper()
	if env.Workspace == "" {
		env.Workspace, env.Home = "/work/app", "/home/dev"
	}
	m, _, err := compiler.ReadSettings(dialectOf(t), files, evaluator.Default, compiler.Setting{Env: env})
	return m, err
}

func userFile(text string, rules ...string) compiler.SettingsFile {
	f := compiler.SettingsFile{Name: "config.toml", Path: "/home/dev/.codex/config.toml", Text: []byte(text)}
	for i, rule := range rules {
		name := "rules/" + string(rune('a'+i)) + ".rules"
		f.Beside = append(f.Beside, compiler.SettingsFile{Name: name, Path: "/home/dev/.codex/" + name, Text: []byte(rule)})
	}
	return f
}

func judged(t *testing.T, m evaluator.Meaning, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	v, err := evaluator.Evaluate(m, a, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSettingsRules: rules beside the configuration count, each with the place of
// its call; a project's count only where it is trusted.
func TestSettingsRules(t *testing.T) {
	user := userFile("approval_policy = \"on-request\"\n[projects.\"/work/app\"]\ntrust_level = \"trusted\"\n",
		"# mine\nprefix_rule(pattern=[\"git\", \"push\"], decision=\"prompt\")\n", "if True:\n    prefix_rule(pattern=[[\"rm\", \"dd\"]], decision=\"forbidden\")\n")
	project := compiler.SettingsFile{Layer: "project", Name: ".codex/config.toml", Path: "/work/app/.codex/config.toml"}
	project.Beside = []compiler.SettingsFile{{Name: ".codex/rules/p.rules", Path: "/work/app/.codex/rules/p.rules", Text: []byte("prefix_rule(pattern=[\"make\"])\n")}}
	m, err := given(t, evaluator.Env{}, user, project)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		want    evaluator.Effect
		place   string
	}{
		{"git push origin", evaluator.Ask, "rules/a.rules:2:1"},
		{"dd if=x", evaluator.Deny, "rules/b.rules:2:5"},
		{"make all", evaluator.Allow, ".codex/rules/p.rules:1:1"},
	} {
		v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: c.command})
		if v.Effect != c.want || v.Rule == nil || v.Rule.Source == nil {
			t.Errorf("%s: %s by %+v, want %s", c.command, v.Effect, v.Rule, c.want)
			continue
		}
		if at := (diag.Problem{File: v.Rule.Source.File, Line: v.Rule.Source.Line, Column: v.Rule.Source.Column}).Place(); at != c.place {
			t.Errorf("%s: decided at %s, want %s", c.command, at, c.place)
		}
		for _, s := range v.Trace {
			if s.Source == nil {
				t.Errorf("%s: the trace has no place for %s", c.command, s.Native)
			}
		}
	}
	user.Text = []byte("")
	if m, err = given(t, evaluator.Env{}, user, project); err != nil {
		t.Fatal(err)
	}
	if v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: "make all"}); v.Rule != nil || v.Confinement != evaluator.ReadOnly {
		t.Errorf("a rule of an untrusted project counts: %+v", v)
	}
}

// TestProjectAlone: where nobody says what is trusted, the project that is asked
// about is taken for it, and the answer says so.
func TestProjectAlone(t *testing.T) {
	project := compiler.SettingsFile{Name: "config.toml", Path: "/work/app/.codex/config.toml", Text: []byte("approval_policy = \"never\"\n")}
	m, err := given(t, evaluator.Env{}, project)
	if err != nil {
		t.Fatal(err)
	}
	v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: "touch x"})
	if v.Confinement != evaluator.WorkspaceWrite || !strings.Contains(strings.Join(v.Assumed, "\n"), "the project /work/app is trusted") {
		t.Errorf("%s %s, assumed %q", v.Effect, v.Confinement, v.Assumed)
	}
}

// TestBrokenRules: Codex drops every rule and starts; here a broken file is
// refused.
func TestBrokenRules(t *testing.T) {
	for rule, want := range map[string]string{
		"prefix_rule(pattern=[\"ls\"], decision=\"allow\"\n":             "rules/a.rules:1:45:",
		"\nprefix_rule(pattern=[\"ls\"], decision=\"deny\")\n":           "rules/a.rules:2:12: invalid decision",
		"prefix_rule(pattern=[\"ls\"], match=[\"cat\"])\n":               "doesn't match its match",
		"def f(x: int):\n    pass\nprefix_rule(pattern=[\"ls\"])\n":      "it can't be read here",
		"prefix_rule(pattern=[\"a\"])\nprefix_rule(pattern=[\"b\" \"]\n": "rules/a.rules:2:",
	} {
		_, err := given(t, evaluator.Env{}, userFile("", rule))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", rule, err, want)
		}
	}
}

// TestSettingsThatReachFurther: what servers, hooks and features of the file mean
// for other Actions than commands.
func TestSettingsThatReachFurther(t *testing.T) {
	tool := func(server, tool string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.MCPTool, Server: server, Tool: tool}
	}
	m, err := given(t, evaluator.Env{}, userFile(`web_search = "disabled"
[features]
default_mode_request_user_input = true
[mcp_servers.a]
command = "x"
default_tools_approval_mode = "approve"
[mcp_servers.a.tools.t]
approval_mode = "prompt"
[mcp_servers.b]
command = "x"
enabled = false
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a    evaluator.Action
		want evaluator.Effect
	}{
		{tool("a", "other"), evaluator.Allow}, {tool("a", "t"), evaluator.Ask}, {tool("b", "x"), evaluator.Unknown}, {tool("c", "x"), evaluator.Ask},
		{evaluator.Action{Kind: evaluator.WebSearch, Query: "x"}, evaluator.Deny},
		{evaluator.Action{Kind: evaluator.Question}, evaluator.Ask},
	} {
		if v := judged(t, m, c.a); v.Effect != c.want {
			t.Errorf("%+v: %s, want %s: %s", c.a, v.Effect, c.want, v.Reason)
		}
	}
	m, err = given(t, evaluator.Env{}, userFile("[[hooks.PreToolUse]]\nmatcher = \"x\"\n", `prefix_rule(pattern=["rm"], decision="forbidden")`))
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]evaluator.Effect{"ls": evaluator.Unknown, "rm x": evaluator.Deny} {
		if v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: command}); v.Effect != want {
			t.Errorf("%s: %s, want %s: %s", command, v.Effect, want, v.Reason)
		}
	}
}

// TestFactsWin: what the Env says of Codex is taken before what the files say.
func TestFactsWin(t *testing.T) {
	env := evaluator.Env{Workspace: "/work/app", Facts: jsontext.Value(`{"trustedProject":false,"mcpApproval":{"a":"prompt"},"userRules":[{"name":"there.rules","text":"prefix_rule(pattern=[\"ls\"], decision=\"forbidden\")"}]}`)}
	m, err := given(t, env, userFile("[projects.\"/work/app\"]\ntrust_level = \"trusted\"\n[mcp_servers.a]\ndefault_tools_approval_mode = \"approve\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if v := judged(t, m, evaluator.Action{Kind: evaluator.MCPTool, Server: "a", Tool: "t"}); v.Effect != evaluator.Ask {
		t.Errorf("approval mode: %s", v.Effect)
	}
	if v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: "touch x"}); v.Confinement != evaluator.ReadOnly {
		t.Errorf("trust: %s %s", v.Effect, v.Confinement)
	}
	if v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: "ls"}); v.Effect != evaluator.Deny {
		t.Errorf("rules: %s", v.Effect)
	}
}

// TestPluginsAreUnknown: a plugin may bring hooks, which no file says.
func TestPluginsAreUnknown(t *testing.T) {
	for enabled, want := range map[string]evaluator.Effect{"true": evaluator.Unknown, "false": evaluator.Allow} {
		m, err := given(t, evaluator.Env{}, userFile("[plugins.\"a@b\"]\nenabled = "+enabled+"\n", `prefix_rule(pattern=["ls"])`+"\n"+`prefix_rule(pattern=["rm"], decision="forbidden")`))
		if err != nil {
			t.Fatal(err)
		}
		for command, want := range map[string]evaluator.Effect{"ls x": want, "rm x": evaluator.Deny} {
			if v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: command}); v.Effect != want {
				t.Errorf("enabled = %s, %s: %s, want %s: %s", enabled, command, v.Effect, want, v.Reason)
			}
		}
	}
}

// TestFeatures: a switch that bears on decisions and stands otherwise than when they
// were measured makes them unknown; others are named.
func TestFeatures(t *testing.T) {
	for text, want := range map[string]evaluator.Effect{"code_mode = true": evaluator.Unknown, "code_mode = false": evaluator.Allow, "unified_exec = false": evaluator.Unknown, "fast_mode = true": evaluator.Allow} {
		m, err := given(t, evaluator.Env{}, userFile("[features]\n"+text+"\n", `prefix_rule(pattern=["ls"])`))
		if err != nil {
			t.Fatal(err)
		}
		v := judged(t, m, evaluator.Action{Kind: evaluator.Command, Command: "ls x"})
		named := strings.Contains(strings.Join(v.Assumed, "\n"), "features.fast_mode at ")
		if v.Effect != want || named != strings.HasPrefix(text, "fast") {
			t.Errorf("%s: %s, want %s: %s %q", text, v.Effect, want, v.Reason, v.Assumed)
		}
	}
}

func FuzzReadSettings(f *testing.F) {
	for _, c := range []string{"", "approval_policy = \"never\"\n", "[approval_policy.granular]\nrules = true\n", "[projects.\"/work/app\"]\ntrust_level = \"trusted\"\n[sandbox_workspace_write]\nwritable_roots = [\"a\"]\n", "[[hooks.PreToolUse]]\n", "mcp_servers = 1\n"} {
		f.Add(c, `prefix_rule(pattern=["ls"])`)
	}
	f.Fuzz(func(t *testing.T, text, rule string) {
		m, err := given(t, evaluator.Env{}, userFile(text, rule))
		if err != nil {
			return
		}
		for _, a := range []evaluator.Action{{Kind: evaluator.Command, Command: "ls x"}, {Kind: evaluator.FileChange, Path: "a"}, {Kind: evaluator.MCPTool, Server: "s", Tool: "t"}} {
			if _, err := evaluator.Evaluate(m, a, true); err != nil {
				t.Fatalf("%q %q: %v", text, rule, err)
			}
		}
	})
}

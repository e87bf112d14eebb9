package claude

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// setting is what a table test says of a session.
type setting struct {
	base, turn Mode
	callback   string
	version    string
	rules      Permissions
	facts      map[string]any
}

func (c setting) read(t *testing.T) evaluator.Meaning {
	t.Helper()
	n := Native{Permissions: c.rules, Callback: Callback{AskUserQuestion: answerQuestion, ExitPlanMode: answerPlan, Default: answerAsk}}
	if c.callback != "" {
		n.Callback.Default = c.callback
	}
	if c.base != "" {
		n.PermissionMode = &c.base
		n.AllowDangerouslySkipPermissions = c.base == Bypass
	}
	if c.turn != "" {
		n.TurnPermissionMode = &c.turn
	}
	native, err := strictjson.Encode(n)
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]any{
		"model":   "claude-sonnet-4-5",
		"mcp":     map[string]any{"loc": map[string]any{"interact": map[string]any{"_meta": map[string]bool{needsUser: true}}}},
		"folders": []string{"src", "docs"},
	}
	for k, v := range c.facts {
		facts[k] = v
	}
	raw, err := strictjson.Encode(facts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New().Read(native, compiler.Setting{Version: c.version, Env: evaluator.Env{
		Workspace: "/home/dev/app", Home: "/home/dev", Facts: raw, Resolved: map[string]string{"link.txt": "/srv/o.txt"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func judge(t *testing.T, m evaluator.Meaning, tool, input string) evaluator.Verdict {
	t.Helper()
	request := jsontext.Value(`{"tool":"` + tool + `","input":` + input + `}`)
	v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Native, Request: request}, true)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, input, err)
	}
	return v
}

func bashInput(command string) string {
	b, _ := strictjson.Encode(map[string]string{"command": command})
	return string(b)
}

// TestModesWithoutRules is the table of the modes, typed by hand: A runs, ? asks,
// D is denied, C goes to auto mode's classifier.
func TestModesWithoutRules(t *testing.T) {
	order := []Mode{Default, AcceptEdits, Plan, Auto, DontAsk, Bypass}
	file := func(p string) string { return `{"file_path":"` + p + `"}` }
	for _, c := range []struct{ tool, input, want string }{
		{"Read", file("src/a.go"), "AAAAAA"},
		{"Read", file("/srv/o.txt"), "???ADA"},
		{"Read", file("link.txt"), "???ADA"},
		{"Write", file("new.txt"), "?A?ADA"},
		{"Edit", file("src/a.go"), "?A?ADA"},
		{"Write", file(".env.local"), "?A?ADA"},
		{"Write", file(".github/workflows/ci.yml"), "?A?ADA"},
		{"Write", file(".claude/worktrees/x"), "?A?ADA"},
		{"Write", file("/srv/n.txt"), "???CDA"},
		{"Write", file(".git/config"), "???CDA"},
		{"Write", file(".git"), "???CDA"},
		{"Write", file(".claude/settings.json"), "???CDA"},
		{"Write", file("deep/er/.npmrc"), "???CDA"},
		{"Write", file(".vscode/x"), "???CDA"},
		{"Write", file(".mcp.json"), "???CDA"},
		{"Write", file(".bashrc"), "???CDA"},
		{"Write", file("/home/dev/.claude/plans/one.md"), "??ACDA"},
		{"Bash", bashInput("ls"), "AAAAAA"},
		{"Bash", bashInput("cat src/a.go | head -3"), "AAAAAA"},
		{"Bash", bashInput("cat /srv/o.txt"), "???CDA"},
		{"Bash", bashInput("mkdir d"), "?A?ADA"},
		{"Bash", bashInput("rm -rf src"), "?A?ADA"},
		{"Bash", bashInput("sed -i s/a/b/ src/a.go"), "?A?ADA"},
		{"Bash", bashInput("touch /srv/t"), "???CDA"},
		{"Bash", bashInput("touch .git/x"), "???CDA"},
		{"Bash", bashInput("echo x > f"), "?A?ADA"},
		{"Bash", bashInput("npm test"), "???CDA"},
		{"Bash", bashInput("git commit -m x"), "???CDA"},
		{"Bash", bashInput("rm -rf ~"), "???DD?"},
		{"Bash", bashInput("rm -rf /home/dev/app"), "???DD?"},
		{"Bash", bashInput("rm -rf /opt"), "???DD?"},
		{"Bash", bashInput(`rm -rf "$X"/*`), "???DD?"},
		{"WebFetch", `{"url":"https://example.test/"}`, "???CDA"},
		{"WebFetch", `{"url":"https://docs.python.org/3/"}`, "AAAAAA"},
		{"WebSearch", `{"query":"x"}`, "???CDA"},
		{"AskUserQuestion", `{}`, "????D?"},
		{"Agent", `{"subagent_type":"x"}`, "AAACAA"},
		{"Skill", `{"skill":"x"}`, "AAAAAA"},
		{"TaskCreate", `{}`, "AAAAAA"},
		{"EnterPlanMode", `{}`, "AAAAAA"},
		{"mcp__loc__echo", `{}`, "???CDA"},
		{"mcp__loc__interact", `{}`, "????D?"},
	} {
		got := ""
		for _, mode := range order {
			s := setting{base: mode}
			if mode == Auto {
				s.facts = map[string]any{"model": "claude-sonnet-4-6"}
			}
			switch judge(t, s.read(t), c.tool, c.input).Native.Effect {
			case evaluator.Allow:
				got += "A"
			case evaluator.Ask:
				got += "?"
			case evaluator.Deny:
				got += "D"
			case evaluator.Review:
				got += "C"
			default:
				got += "!"
			}
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.input, got, c.want)
		}
	}
}

// TestTwoLayers holds what Claude decides apart from the end of the matter.
func TestTwoLayers(t *testing.T) {
	full := setting{base: Bypass, turn: Plan, callback: answerAllow}
	for _, c := range []struct {
		name        string
		s           setting
		tool, input string
		native, end evaluator.Effect
	}{
		{"full access in plan isn't read-only", full, "Write", `{"file_path":"a.go"}`, evaluator.Ask, evaluator.Allow},
		{"nor for commands", full, "Bash", bashInput("npm test"), evaluator.Ask, evaluator.Allow},
		{"2.1.197 doesn't even ask", setting{base: Bypass, turn: Plan, callback: answerAllow, version: V197}, "Write", `{"file_path":"a.go"}`, evaluator.Allow, evaluator.Allow},
		{"a question stays one", full, "AskUserQuestion", `{}`, evaluator.Ask, evaluator.Ask},
		{"a plan is captured, the exit refused", full, "ExitPlanMode", `{}`, evaluator.Ask, evaluator.Deny},
		{"and in every mode", setting{base: AcceptEdits, turn: Plan}, "ExitPlanMode", `{}`, evaluator.Ask, evaluator.Deny},
		{"a critical removal", setting{base: Bypass, callback: answerAllow}, "Bash", bashInput("rm -rf ~"), evaluator.Ask, evaluator.Allow},
	} {
		v := judge(t, c.s.read(t), c.tool, c.input)
		if v.Native.Effect != c.native || v.Effect != c.end {
			t.Errorf("%s: %s then %s, want %s then %s", c.name, v.Native.Effect, v.Effect, c.native, c.end)
		}
	}
}

func inputOf(command string) map[string]jsontext.Value {
	raw, _ := strictjson.Encode(command)
	return map[string]jsontext.Value{"command": raw}
}

// TestProjectDefaultMode pins what an untrusted project's defaultMode opens:
// bypassPermissions on 2.1.197 alone (both measured 2026-11-30).
func TestProjectDefaultMode(t *testing.T) {
	for version, want := range map[string]Mode{V332: Default, V197: Bypass} {
		for mode, want := range map[Mode]Mode{Bypass: want, Auto: Default, AcceptEdits: AcceptEdits} {
			s := &session{version: version}
			project := layer{name: ProjectLayer}
			word := SettingsMode(mode)
			project.settings.Permissions.DefaultMode = &word
			if got := *s.defaultMode([]layer{project}); got != want {
				t.Errorf("%s: a project's %s gives %s, want %s", version, mode, got, want)
			}
		}
	}
}

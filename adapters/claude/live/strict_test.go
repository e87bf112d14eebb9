package live_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/claude/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/policies"
)

// allowAll is a user's settings that allow everything.
const allowAll = `{"${HOME}/.claude/settings.json": {"permissions": {"allow": ["Bash", "Read", "Edit", "Write", "WebFetch", "WebSearch"], "defaultMode": "bypassPermissions"}}}`

// holes are calls that run under builtin/t3code, and what they come to under
// builtin/strict: what the binary does, and the end, after our callback.
var holes = []struct {
	name        string
	mode        evaluator.Mode
	interaction evaluator.Interaction
	files       string
	tool, input string
	native, end evaluator.Effect
	newer       bool // t3code's hole isn't there in 2.1.197, or is another
}{
	{"a user who allows everything, a command", evaluator.ApprovalRequired, evaluator.Default, allowAll, "Bash", `{"command": "npm test"}`, evaluator.Ask, evaluator.Ask, false},
	{"a user who allows everything, an edit", evaluator.ApprovalRequired, evaluator.Default, allowAll, "Write", `{"file_path": "${PROJ}/n.txt", "content": "x"}`, evaluator.Ask, evaluator.Ask, false},
	{"a command that only reads", evaluator.ApprovalRequired, evaluator.Default, `{}`, "Bash", `{"command": "cat src/a.txt"}`, evaluator.Ask, evaluator.Ask, false},
	{"a command of acceptEdits", evaluator.AutoAcceptEdits, evaluator.Default, `{}`, "Bash", `{"command": "mkdir d"}`, evaluator.Ask, evaluator.Ask, false},
	{"plan in full access, an edit", evaluator.FullAccess, evaluator.Plan, `{}`, "Write", `{"file_path": "${PROJ}/n.txt", "content": "x"}`, evaluator.Ask, evaluator.Deny, false},
	{"plan in full access, a command", evaluator.FullAccess, evaluator.Plan, allowAll, "Bash", `{"command": "touch n.txt"}`, evaluator.Ask, evaluator.Ask, false},
	{"plan in Auto, a page of documentation", evaluator.Auto, evaluator.Plan, `{}`, "WebFetch", `{"url": "https://docs.python.org/3/", "prompt": "x"}`, evaluator.Ask, evaluator.Ask, false},
	{"git's settings", evaluator.FullAccess, evaluator.Default, `{}`, "Write", `{"file_path": "${PROJ}/.git/config", "content": "x"}`, evaluator.Deny, evaluator.Deny, false},
	{"an agent's configuration", evaluator.FullAccess, evaluator.Default, `{}`, "Write", `{"file_path": "${PROJ}/.codex/config.toml", "content": "x"}`, evaluator.Deny, evaluator.Deny, false},
	{"an agent's configuration in the home folder", evaluator.FullAccess, evaluator.Default, `{}`, "Write", `{"file_path": "${HOME}/.opencode/agent/x.md", "content": "x"}`, evaluator.Deny, evaluator.Deny, false},
	{"an agent's configuration in a folder below", evaluator.AutoAcceptEdits, evaluator.Default, `{}`, "Write", `{"file_path": "${PROJ}/sub/opencode.json", "content": "x"}`, evaluator.Deny, evaluator.Deny, false},
	{"an agent's configuration, by a command", evaluator.FullAccess, evaluator.Default, `{}`, "Bash", `{"command": "touch .cursor/hooks.json"}`, evaluator.Deny, evaluator.Deny, true},
}

// TestStrictClosesHoles asks the real binaries, under the settings of both
// built-in policies: what runs under t3code doesn't under strict.
func TestStrictClosesHoles(t *testing.T) {
	eachBinary(t, func(t *testing.T, o *live.Oracle, version string) {
		f, _ := cases(t)
		f.Version = version
		for _, hole := range holes {
			if hole.newer && version == livebin.Claude197.Version {
				continue
			}
			t.Run(hole.name, func(t *testing.T) {
				for _, policy := range []string{"t3code", "strict"} {
					cell := evaluator.Cell{Provider: evaluator.Claude, Mode: hole.mode, Interaction: hole.interaction}
					c := compiled(t, policy, cell, version)
					did := ask(t, o, f, row(t, c, hole.files, hole.tool, hole.input))
					v, err := c.Evaluate(evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(`{"tool":"` + hole.tool + `","input":` + hole.input + `}`)}, false)
					if err != nil {
						t.Fatal(err)
					}
					switch {
					case policy == "strict" && (did != hole.native.String() || v.Effect != hole.end):
						t.Errorf("under strict the binary answers %s and the end is %s, not %s and %s", did, v.Effect, hole.native, hole.end)
					case policy == "t3code" && did != "allow" && v.Effect != evaluator.Allow:
						t.Errorf("under t3code the binary answers %s and the end is %s: where is the hole?", did, v.Effect)
					}
				}
			})
		}
	})
}

func compiled(t *testing.T, policy string, cell evaluator.Cell, version string) *compiler.Compiled {
	t.Helper()
	p, err := policies.Load("builtin/" + policy)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compiler.Compile(p, claude.New(), cell, compiler.Options{Env: evaluator.Env{Workspace: "${PROJ}", Home: "${HOME}"}, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// row is a call under the settings of a cell, as a case file has it.
func row(t *testing.T, c *compiler.Compiled, files, tool, input string) jsontext.Value {
	t.Helper()
	var n claude.Native
	if err := json.Unmarshal(c.RuleSet.Native, &n); err != nil {
		t.Fatal(err)
	}
	r := map[string]any{
		"mode": n.PermissionMode, "rules": n.Permissions, "files": jsontext.Value(files), "tool": tool, "input": jsontext.Value(input),
	}
	if n.AllowDangerouslySkipPermissions {
		r["args"] = []string{"--allow-dangerously-skip-permissions"}
	}
	if n.TurnPermissionMode != nil && *n.TurnPermissionMode == claude.Plan {
		r["set_mode_after_start"] = claude.Plan
	}
	out, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ask(t *testing.T, o *live.Oracle, f compiler.CaseFile, row jsontext.Value) string {
	t.Helper()
	answers, err := o.Answer(t.Context(), f, []jsontext.Value{row})
	if err != nil {
		t.Fatal(err)
	}
	if a := answers[0]; a.Skipped+a.Failed != "" {
		t.Fatalf("%s: %s", row, a.Skipped+a.Failed)
	}
	return answers[0].Did
}

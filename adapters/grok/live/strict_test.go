package live_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/adapters/grok/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/policies"
)

// TestStrictClosesHoles asks the real Grok under the settings of both built-in
// policies, for a user whose own settings approve everything: what runs under
// t3code asks under strict, and there our callback has the end.
func TestStrictClosesHoles(t *testing.T) {
	o, err := live.OpenOracle(livebin.Need(t, livebin.Grok))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	const facts = `{"permissionMode": "always-approve"}`
	for _, hole := range []struct {
		name        string
		mode        evaluator.Mode
		interaction evaluator.Interaction
		tool, input string
		end         evaluator.Effect
	}{
		{"a command", evaluator.ApprovalRequired, evaluator.Default, "run_terminal_command", `{"command": "mytool run", "description": "d"}`, evaluator.Ask},
		{"an edit", evaluator.ApprovalRequired, evaluator.Default, "write", `{"file_path": "${PROJ}/n.txt", "content": "x"}`, evaluator.Ask},
		{"plan in full access, a command", evaluator.FullAccess, evaluator.Plan, "run_terminal_command", `{"command": "rm src/a.txt", "description": "d"}`, evaluator.Ask},
		{"plan in full access, an edit", evaluator.FullAccess, evaluator.Plan, "write", `{"file_path": "${PROJ}/n.txt", "content": "x"}`, evaluator.Deny},
		{"an agent's configuration", evaluator.FullAccess, evaluator.Default, "write", `{"file_path": "${PROJ}/.codex/config.toml", "content": "x"}`, evaluator.Deny},
	} {
		t.Run(hole.name, func(t *testing.T) {
			for policy, want := range map[string]string{"t3code": "allow", "strict": "ask"} {
				p, err := policies.Load("builtin/" + policy)
				if err != nil {
					t.Fatal(err)
				}
				cell := evaluator.Cell{Provider: evaluator.Grok, Mode: hole.mode, Interaction: hole.interaction}
				env := evaluator.Env{Workspace: "/work/app", Home: "/home/dev"}
				if policy == "strict" { // t3code isn't compiled for such a user
					env.Facts = jsontext.Value(facts)
				}
				c, err := compiler.Compile(p, grok.New(), cell, compiler.Options{Env: env})
				if err != nil {
					t.Fatal(err)
				}
				if got := did(t, o, c, facts, hole.tool, hole.input); got != want {
					t.Errorf("under %s Grok comes to %s, not %s", policy, got, want)
				}
				if policy == "t3code" {
					continue
				}
				v, err := c.Evaluate(evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(`{"tool":"` + hole.tool + `","input":` + hole.input + `}`)}, false)
				if err != nil {
					t.Fatal(err)
				}
				if v.Effect != hole.end {
					t.Errorf("the end is %s, not %s: %s", v.Effect, hole.end, v.Reason)
				}
			}
		})
	}
}

// did is what Grok does with a call under the settings of a cell.
func did(t *testing.T, o *live.Oracle, c *compiler.Compiled, facts, tool, input string) string {
	t.Helper()
	var n struct {
		Argv        []string       `json:"argv"`
		SessionMeta jsontext.Value `json:"sessionMeta"`
	}
	if err := json.Unmarshal(c.RuleSet.Native, &n); err != nil {
		t.Fatal(err)
	}
	row, err := json.Marshal(map[string]any{"argv": n.Argv, "sessionMeta": n.SessionMeta, "facts": jsontext.Value(facts), "tool": tool, "input": jsontext.Value(input)})
	if err != nil {
		t.Fatal(err)
	}
	answers, err := o.Answer(t.Context(), compiler.CaseFile{Version: livebin.Grok.Version}, []jsontext.Value{row})
	if err != nil {
		t.Fatal(err)
	}
	if answers[0].Failed != "" {
		t.Fatal(answers[0].Failed)
	}
	return answers[0].Did
}

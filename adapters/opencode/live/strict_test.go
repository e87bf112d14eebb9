package live_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/scripted"
	"github.com/modegate/modegate/policies"
)

// TestStrictClosesHoles has the real OpenCode do what runs under builtin/t3code,
// or would for a user whose own configuration allows everything, and shows that
// builtin/strict stops it: asks are rejected here, and denied tools fail.
func TestStrictClosesHoles(t *testing.T) {
	h := livetest.Start(t, livetest.Options{Config: map[string]any{"permission": map[string]any{"*": "allow"}}})
	ws := livetest.Workspace(t, h.Root)
	p := h.In(ws)
	home, err := filepath.Rel(ws, filepath.Join(h.Home, ".opencode", "agent", "x.md"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) scripted.Script {
		return scripted.Script{{Calls: []scripted.Call{{ID: "call", Tool: "write", Args: args{"filePath": filepath.Join(ws, name), "content": "x"}}}}}
	}
	task := scripted.Script{{Calls: []scripted.Call{{ID: "call", Tool: "task", Args: args{"subagent_type": "general", "description": "d", "prompt": "p"}}}}}
	for _, hole := range []struct {
		name   string
		cell   evaluator.Cell
		script scripted.Script
		file   string
		asks   int    // under strict
		tool   string // that the call is to OpenCode under strict: invalid when it isn't offered
	}{
		{"plan in full access, an edit", planCell(evaluator.FullAccess), write("plan.txt"), "plan.txt", 0, "invalid"},
		{"plan in full access, a command", planCell(evaluator.FullAccess), bash("touch hole.txt"), "hole.txt", 1, "bash"},
		{"plan in full access, a subagent", planCell(evaluator.FullAccess), task, "", 0, "invalid"},
		{"plan, the plan's own folder", planCell(evaluator.AutoAcceptEdits), write(".opencode/plans/p.md"), ".opencode/plans/p.md", 0, "invalid"},
		{"a command", defaultCell(evaluator.AutoAcceptEdits), bash("touch hole.txt"), "hole.txt", 1, "bash"},
		{"an edit", defaultCell(evaluator.ApprovalRequired), write("edit.txt"), "edit.txt", 1, "write"},
		{"a subagent", defaultCell(evaluator.ApprovalRequired), task, "", 0, "invalid"},
		{"an agent's configuration", defaultCell(evaluator.FullAccess), write(".claude/settings.json"), ".claude/settings.json", 0, "write"},
		{"an agent's configuration in the home folder", defaultCell(evaluator.FullAccess), write(home), home, 0, "write"},
		{"an agent's configuration in a folder below", defaultCell(evaluator.AutoAcceptEdits), write("sub/opencode.json"), "sub/opencode.json", 0, "write"},
	} {
		t.Run(hole.name, func(t *testing.T) {
			file := filepath.Join(ws, hole.file)
			s := newSession(t, p, cellRules(t, hole.cell, ws, h.Home)...)
			turn := p.Run(s.ID, hole.script, live.Prompt{Agent: agentOf(hole.cell)}, livetest.Answers{})
			if call := turn.Calls["call"]; len(turn.Asks) != hole.asks || call.Tool != hole.tool || hole.file != "" && exists(file) {
				t.Errorf("%d asks, tool %s, %+v", len(turn.Asks), call.Tool, call.State)
			}
		})
	}
}

// TestT3CodePlanHole is what TestStrictClosesHoles closes: under builtin/t3code
// the plan agent writes.
func TestT3CodePlanHole(t *testing.T) {
	h := livetest.Start(t, livetest.Options{})
	ws := livetest.Workspace(t, h.Root)
	p := h.In(ws)
	s := newSession(t, p, rule("*", "*", "allow"))
	file := filepath.Join(ws, "plan.txt")
	script := scripted.Script{{Calls: []scripted.Call{{ID: "call", Tool: "write", Args: args{"filePath": file, "content": "x"}}}}}
	if turn := p.Run(s.ID, script, live.Prompt{Agent: "plan"}, livetest.Answers{}); len(turn.Asks) != 0 || !exists(file) {
		t.Errorf("%+v", turn)
	}
}

func planCell(m evaluator.Mode) evaluator.Cell {
	return evaluator.Cell{Provider: evaluator.OpenCode, Mode: m, Interaction: evaluator.Plan}
}

func defaultCell(m evaluator.Mode) evaluator.Cell {
	return evaluator.Cell{Provider: evaluator.OpenCode, Mode: m, Interaction: evaluator.Default}
}

func agentOf(c evaluator.Cell) string {
	if c.Interaction == evaluator.Plan {
		return "plan"
	}
	return "build"
}

func cellRules(t *testing.T, c evaluator.Cell, ws, home string) (rules []live.Rule) {
	t.Helper()
	p, err := policies.Load("builtin/strict")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(p, opencode.New(), c, compiler.Options{Env: evaluator.Env{Workspace: ws, Home: home}})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(compiled.RuleSet.Native, &rules); err != nil {
		t.Fatal(err)
	}
	return rules
}

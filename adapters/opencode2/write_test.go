package opencode2

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func t3code(t testing.TB) *policies.Policy {
	t.Helper()
	p, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// agents is the agent list of the recorded Supervised session, with the plan
// agent's folder added as the founding tables have it.
func agents() []evaluator.Agent {
	allow := func(action, resource string) evaluator.AgentRule {
		return evaluator.AgentRule{Action: action, Resource: resource, Effect: evaluator.Allow}
	}
	build := []evaluator.AgentRule{
		allow("*", "*"),
		{Action: "external_directory", Resource: "*", Effect: evaluator.Ask},
		allow("external_directory", "/h/data/opencode/shell/*/*"),
		allow("external_directory", "/h/data/opencode/tool-output/*"),
		allow("external_directory", "/tmp/opencode/*"),
		allow("external_directory", "/h/config/opencode/*"),
	}
	plan := append(slices.Clone(build),
		evaluator.AgentRule{Action: "edit", Resource: "*", Effect: evaluator.Deny},
		allow("edit", "/h/.opencode/plan/*"),
		allow("external_directory", "/h/.opencode/plan/*"),
	)
	return []evaluator.Agent{{ID: "build", Permissions: build}, {ID: "plan", Permissions: plan}}
}

func write(t *testing.T, cell evaluator.Cell, env evaluator.Env) []string {
	t.Helper()
	in := compiler.Lower(t3code(t), cell)
	in.PlanFiles = New().PlanFiles(env)
	w, err := New().Write(in, env)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := decode(w.Native)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Sources) != len(rules) {
		t.Errorf("%d sources for %d rules", len(w.Sources), len(rules))
	}
	var out []string
	for _, r := range rules {
		out = append(out, fmt.Sprintf("%s %s %s", r.Action, r.Resource, r.Effect))
	}
	return out
}

// TestSessionRules holds the founding tables, typed by hand.
func TestSessionRules(t *testing.T) {
	paths := []string{
		"external_directory /h/data/opencode/shell/*/* allow",
		"external_directory /h/data/opencode/tool-output/* allow",
		"external_directory /tmp/opencode/* allow",
		"external_directory /h/config/opencode/* allow",
	}
	planPaths := append(slices.Clone(paths), "edit /h/.opencode/plan/* allow", "external_directory /h/.opencode/plan/* allow")
	asks := []string{"shell * ask", "edit * ask", "external_directory * ask"}
	edits := []string{"shell * ask", "edit * allow", "external_directory * ask"}
	grant := []string{"shell echo * allow"}
	deny := []string{"edit * deny"}
	tail := []string{"subagent * deny"}
	for _, c := range []struct {
		mode evaluator.Mode
		plan bool
		want [][]string
	}{
		{evaluator.ApprovalRequired, false, [][]string{asks, grant, paths, tail}},
		{evaluator.ApprovalRequired, true, [][]string{asks, grant, deny, planPaths, tail}},
		{evaluator.AutoAcceptEdits, false, [][]string{edits, grant, paths, tail}},
		{evaluator.AutoAcceptEdits, true, [][]string{edits, grant, deny, planPaths, tail}},
		{evaluator.Auto, false, [][]string{asks, grant, paths, tail}},
		{evaluator.Auto, true, [][]string{asks, grant, deny, planPaths, tail}},
		{evaluator.FullAccess, false, [][]string{{"* * allow"}, tail}},
		{evaluator.FullAccess, true, [][]string{{"* * allow"}, deny, planPaths, tail}},
	} {
		cell := evaluator.Cell{Provider: evaluator.OpenCode2, Mode: c.mode, Interaction: evaluator.Default}
		if c.plan {
			cell.Interaction = evaluator.Plan
		}
		env := evaluator.Env{Workspace: "/w", Home: "/h", Agents: agents(), Grants: []evaluator.Grant{{Action: "shell", Resource: "echo *"}}}
		if d := cmp.Diff(slices.Concat(c.want...), write(t, cell, env)); d != "" {
			t.Errorf("%s: %s", cell, d)
		}
	}
}

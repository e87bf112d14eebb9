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
	return writeOf(t, t3code(t), cell, env)
}

func writeOf(t *testing.T, p *policies.Policy, cell evaluator.Cell, env evaluator.Env) []string {
	t.Helper()
	in := compiler.Lower(p, cell)
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

// TestOwnPaths: with agentPaths own, only the folders that OpenCode itself opens
// are opened again; and what comes first is left out in full access.
func TestOwnPaths(t *testing.T) {
	p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte(`apiVersion: modegate/v1
name: own
modes:
  auto: {rules: [{id: commands-ask, kind: command, match: "*", effect: ask}]}
  full-access: {rules: [{id: everything-allow, kind: any, match: "*", effect: allow}]}
interactions:
  plan: {rules: [{id: plan-edits-deny, kind: file-change, match: "*", effect: deny}]}
providers:
  opencode2:
    first: [{action: edit, resource: "*", effect: ask}]
    agentPaths: own
`)})
	if err != nil {
		t.Fatal(err)
	}
	allow := func(action, resource string) evaluator.AgentRule {
		return evaluator.AgentRule{Action: action, Resource: resource, Effect: evaluator.Allow}
	}
	env := evaluator.Env{Workspace: "/w", Home: "/h", Agents: []evaluator.Agent{
		{ID: "build", Permissions: append(agentRulesOf("build"), allow("edit", "src/*"), allow("external_directory", "/elsewhere/*"), allow("external_directory", "/data/opencode/tool-output/*"), allow("external_directory", "*/opencode/shell/*/*"), allow("edit", "/data/opencode/shell/*/*"))},
		{ID: "plan", Permissions: append(agentRulesOf("plan"), allow("edit", "docs/*"))},
	}}
	own := []string{
		"external_directory /h/.local/share/opencode/shell/*/* allow", "external_directory /h/.local/share/opencode/tool-output/* allow", "external_directory /tmp/opencode/* allow",
		"external_directory /data/opencode/tool-output/* allow",
	}
	plan := append(slices.Clone(own), "edit /h/.opencode/plan/* allow", "external_directory /h/.opencode/plan/* allow")
	for _, c := range []struct {
		mode        evaluator.Mode
		interaction evaluator.Interaction
		want        [][]string
	}{
		{evaluator.Auto, evaluator.Default, [][]string{{"edit * ask", "shell * ask"}, own}},
		{evaluator.Auto, evaluator.Plan, [][]string{{"edit * ask", "shell * ask", "edit * deny"}, plan}},
		{evaluator.FullAccess, evaluator.Default, [][]string{{"* * allow"}}},
		{evaluator.FullAccess, evaluator.Plan, [][]string{{"* * allow", "edit * deny"}, plan}},
	} {
		cell := evaluator.Cell{Provider: evaluator.OpenCode2, Mode: c.mode, Interaction: c.interaction}
		if d := cmp.Diff(slices.Concat(c.want...), writeOf(t, p, cell, env)); d != "" {
			t.Errorf("%s: %s", cell, d)
		}
	}
}

// agentRulesOf are the rules that OpenCode 2 gives an agent by itself.
func agentRulesOf(id string) []evaluator.AgentRule {
	var out []evaluator.AgentRule
	for _, r := range defaults(id, "/h") {
		out = append(out, evaluator.AgentRule(r))
	}
	return out
}

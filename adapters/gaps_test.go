package adapters_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func rule(action, resource string, e evaluator.Effect) evaluator.AgentRule {
	return evaluator.AgentRule{Action: action, Resource: resource, Effect: e}
}

// agents is a list as OpenCode 2 gives it.
func agents(own ...evaluator.AgentRule) []evaluator.Agent {
	build := append([]evaluator.AgentRule{
		rule("*", "*", evaluator.Allow),
		rule("external_directory", "*", evaluator.Ask),
		rule("external_directory", "/h/data/opencode/shell/*/*", evaluator.Allow),
		rule("external_directory", "/tmp/opencode/*", evaluator.Allow),
	}, own...)
	plan := append(slices.Clone(build),
		rule("edit", "*", evaluator.Deny),
		rule("edit", "/h/.opencode/plan/*", evaluator.Allow),
		rule("external_directory", "/h/.opencode/plan/*", evaluator.Allow),
	)
	return []evaluator.Agent{{ID: "build", Permissions: build}, {ID: "plan", Permissions: plan}}
}

// envs are surroundings in which the rules and their meaning may part.
func envs() map[string]evaluator.Env {
	return map[string]evaluator.Env{
		"nothing known":     {},
		"workspace":         {Workspace: "/w"},
		"workspace, home":   {Workspace: "/w", Home: "/h"},
		"agents":            {Workspace: "/w", Home: "/h", Agents: agents()},
		"no such agent":     {Workspace: "/w", Home: "/h", Agents: []evaluator.Agent{}},
		"a user's own rule": {Workspace: "/w", Home: "/h", Agents: agents(rule("edit", "src/*", evaluator.Allow), rule("edit", "/elsewhere/*", evaluator.Allow))},
		"grants":            {Workspace: "/w", Home: "/h", Agents: agents(), Grants: []evaluator.Grant{{Action: "*", Resource: "*"}}},
	}
}

// TestDeclaredGapsAreFound holds the second law for the built-in policies: what a
// writer declares is what the comparison with the native meaning finds, no more
// and no less.
func TestDeclaredGapsAreFound(t *testing.T) {
	for _, builtin := range policies.BuiltinNames() {
		policy, err := policies.Load("builtin/" + builtin)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range adapters.Table() {
			for name, env := range envs() {
				for _, mode := range evaluator.Modes() {
					for _, interaction := range evaluator.Interactions() {
						cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
						compare(t, d, policy, cell, name, d.Env(interaction, env))
					}
				}
			}
		}
	}
}

func compare(t *testing.T, d compiler.Dialect, policy *policies.Policy, cell evaluator.Cell, name string, env evaluator.Env) {
	t.Helper()
	in := compiler.Lower(policy, cell)
	in.PlanFiles = d.PlanFiles(env)
	declared, found, err := compiler.Compare(d, in, compiler.Setting{Env: env})
	if name == "no such agent" && (d.Provider() == evaluator.OpenCode || d.Provider() == evaluator.OpenCode2) {
		if err == nil {
			t.Errorf("%s: a session can't run an agent that isn't in the list", cell)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s, %s: %v", cell, name, err)
	}
	if d := cmp.Diff(ids(declared), ids(found)); d != "" {
		t.Errorf("%s, %s: declared and found part: %s", cell, name, d)
	}
}

func ids(gaps []evaluator.Gap) []string {
	var out []string
	for _, g := range gaps {
		out = append(out, string(g.Direction)+" "+g.ID)
	}
	slices.Sort(out)
	return out
}

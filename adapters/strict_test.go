package adapters_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// TestStrictAcceptsNothingInVain holds that builtin/strict acknowledges no gap that
// isn't there: one that was closed must go from the list, too.
func TestStrictAcceptsNothingInVain(t *testing.T) {
	policy := builtin(t, "strict")
	needed := map[string]bool{}
	for _, d := range adapters.Table() {
		for name, env := range envs() {
			if name == "no such agent" {
				continue
			}
			for _, mode := range evaluator.Modes() {
				for _, interaction := range evaluator.Interactions() {
					cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
					c, err := compiler.Compile(policy, d, cell, compiler.Options{Env: env})
					if err != nil {
						t.Fatalf("%s, %s: %v", cell, name, err)
					}
					for _, a := range policy.Acknowledge {
						needed[a.Gap] = needed[a.Gap] || slices.ContainsFunc(c.RuleSet.Gaps, func(g evaluator.Gap) bool { return g.Direction == evaluator.Wider && a.Accepts(g.ID) })
					}
				}
			}
		}
	}
	for _, a := range policy.Acknowledge {
		if a.Gap != "" && !needed[a.Gap] {
			t.Errorf("line %d: no cell has the gap %s", a.Source.Line, a.Gap)
		}
	}
}

// TestStrictPlanChangesNothing holds over every probe, in every surrounding with a
// workspace, that plan lets no file change outside of the provider's plan folder.
func TestStrictPlanChangesNothing(t *testing.T) {
	policy := builtin(t, "strict")
	for _, d := range adapters.Table() {
		for name, env := range envs() {
			if name == "no such agent" || env.Workspace == "" {
				continue
			}
			for _, mode := range evaluator.Modes() {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: evaluator.Plan}
				c, err := compiler.Compile(policy, d, cell, compiler.Options{Env: env})
				if err != nil {
					t.Fatal(err)
				}
				in := compiler.Lower(policy, cell)
				in.PlanFiles = d.PlanFiles(d.Env(evaluator.Plan, env))
				for _, p := range in.Probes(env) {
					if p.Kind != evaluator.FileChange || in.Want(p.Action, env).Effect == evaluator.Allow {
						continue
					}
					v, err := c.Evaluate(p.Action, false)
					if err != nil {
						t.Fatal(err)
					}
					if v.Effect != evaluator.Deny && v.Effect != evaluator.Ask {
						t.Errorf("%s, %s: %s %s %s: %s", cell, name, p.Path, p.To, v.Effect, v.Reason)
					}
				}
			}
		}
	}
}

// TestStrictBeatsTheUsersOwnSettings holds that Supervised asks or denies for a
// user whose own settings allow everything, where the provider can be held to it.
func TestStrictBeatsTheUsersOwnSettings(t *testing.T) {
	policy := builtin(t, "strict")
	everything := []evaluator.AgentRule{rule("*", "*", evaluator.Allow), rule("edit", "src/*", evaluator.Allow), rule("bash", "*", evaluator.Allow), rule("external_directory", "*", evaluator.Allow)}
	users := map[evaluator.Provider]evaluator.Env{
		evaluator.Claude:    {Facts: jsontext.Value(`{"sources":[{"layer":"userSettings","folder":"/h/.claude","settings":{"permissions":{"allow":["Bash","Edit","Write","WebFetch","WebSearch","mcp__github"],"defaultMode":"bypassPermissions"}}}]}`)},
		evaluator.Grok:      {Facts: jsontext.Value(`{"permissionMode":"always-approve"}`)},
		evaluator.OpenCode:  {Agents: []evaluator.Agent{{ID: "build", Permissions: everything}, {ID: "plan", Permissions: everything}}},
		evaluator.OpenCode2: {Agents: []evaluator.Agent{{ID: "build", Permissions: everything}, {ID: "plan", Permissions: everything}}},
	}
	actions := []evaluator.Action{
		{Kind: evaluator.Command, Command: "npm test"},
		{Kind: evaluator.FileChange, Path: "src/a.go"},
		{Kind: evaluator.FileChange, Path: "/elsewhere/a.go"},
		{Kind: evaluator.WebFetch, URL: "https://example.test/"},
		{Kind: evaluator.MCPTool, Server: "github", Tool: "create_issue"},
		{Kind: evaluator.Subagent, Agent: "general"},
	}
	for provider, env := range users {
		env.Workspace, env.Home = "/w", "/h"
		i := slices.IndexFunc(adapters.Table(), func(d compiler.Dialect) bool { return d.Provider() == provider })
		for _, interaction := range evaluator.Interactions() {
			cell := evaluator.Cell{Provider: provider, Mode: evaluator.ApprovalRequired, Interaction: interaction}
			c, err := compiler.Compile(policy, adapters.Table()[i], cell, compiler.Options{Env: env})
			if err != nil {
				t.Errorf("%s: %v", cell, err)
				continue
			}
			for _, a := range actions {
				v, err := c.Evaluate(a, false)
				if err != nil {
					t.Fatal(err)
				}
				if v.Effect != evaluator.Ask && v.Effect != evaluator.Deny {
					t.Errorf("%s: %+v: %s: %s", cell, a, v.Effect, v.Reason)
				}
			}
		}
	}
}

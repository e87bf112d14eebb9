// Package opencode owns the dialect of OpenCode 1.x: the permission rules of a
// session, as POST and PATCH /session take them, and what they mean together
// with the rules of the session's agent.
//
// Every fact here was measured on 1.18.33 (2026-11-30) unless it says otherwise.
package opencode

import (
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Version is the version whose rules can be read.
const Version = "1.18.33"

type dialect struct{}

// New returns the dialect.
func New() compiler.Dialect { return dialect{} }

func (dialect) Provider() evaluator.Provider { return evaluator.OpenCode }

func (dialect) Versions() []string { return []string{Version} }

// Claims are the proofs of this dialect: what the values of the built-in modes
// rest on is another claim than what they mean.
func (dialect) Claims(string) []compiler.Claim {
	return []compiler.Claim{
		{Claim: "rule semantics", Key: "opencode.loop", Status: evaluator.Unverified},
		{Claim: "mode values", Status: evaluator.Documented, By: "T3 Code's public source", Date: "2026-11-30"},
	}
}

// PlanFiles are the plan agent's folders. Its rules' "*" crosses folders.
func (dialect) PlanFiles(evaluator.Env) []string {
	return []string{".opencode/plans/**/*.md", "~/.local/share/opencode/plans/**/*.md"}
}

// Env has the plan agent run in plan, unless another agent was chosen: the list
// of rules is the same.
func (dialect) Env(i evaluator.Interaction, env evaluator.Env) evaluator.Env {
	if i == evaluator.Plan && env.Agent == "" {
		env.Agent = "plan"
	}
	return env
}

// names are the permissions of 1.x for the kinds of a policy.
var names = oc.Names{
	evaluator.AnyKind:          "*",
	evaluator.Command:          "bash",
	evaluator.FileRead:         "read",
	evaluator.FileChange:       "edit",
	evaluator.OutsideWorkspace: "external_directory",
	evaluator.WebFetch:         "webfetch",
	evaluator.WebSearch:        "websearch",
	evaluator.MCPTool:          "*_*",
	evaluator.Subagent:         "task",
	evaluator.Question:         "question",
}

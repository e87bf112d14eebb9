// Package opencode2 owns the dialect of OpenCode 2: the rules of a session, as
// session.create and session.update take them, and what they mean.
//
// The rules' meaning is verified on the native evaluator of 1.18.33, which has
// the same rules; the wire was recorded from 2.0.18. No 2.0 binary can be had
// from the package registries, so what only 2.0 does is documented at best.
package opencode2

import (
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// The versions whose rules can be read. 2.0.18 lets a saved allow beat a deny,
// as its founding description has it; 1.18.33's native evaluator was measured to
// keep a configured deny.
const (
	Founding = "2.0.18"
	Measured = "1.18.33"
)

type dialect struct{}

// New returns the dialect.
func New() compiler.Dialect { return dialect{} }

func (dialect) Provider() evaluator.Provider { return evaluator.OpenCode2 }

func (dialect) Versions() []string { return []string{Founding, Measured} }

// Claims are the proofs of this dialect, the rules' and the wire's apart.
func (dialect) Claims(string) []compiler.Claim {
	return []compiler.Claim{
		{Claim: "rule semantics", Key: "opencode2.rules", Status: evaluator.Documented, By: "OpenCode 2's founding description", Date: "2026-11-30"},
		{Claim: "wire", Key: "opencode2.wire", Status: evaluator.Documented, By: "OpenCode 2's founding description", Date: "2026-11-30"},
	}
}

// PlanFiles is the plan agent's folder (2.0, source read 2026-11-30). Its rule's
// "*" crosses folders.
func (dialect) PlanFiles(evaluator.Env) []string { return []string{"~/.opencode/plan/**"} }

// Env leaves the session's agent alone: plan is a matter of rules here.
func (dialect) Env(_ evaluator.Interaction, env evaluator.Env) evaluator.Env { return env }

// names are the actions of 2.0 for the kinds of a policy.
var names = opencode.Names{
	evaluator.AnyKind:          "*",
	evaluator.Command:          "shell",
	evaluator.FileRead:         "read",
	evaluator.FileChange:       "edit",
	evaluator.OutsideWorkspace: "external_directory",
	evaluator.WebFetch:         "webfetch",
	evaluator.WebSearch:        "websearch",
	evaluator.MCPTool:          "*_*",
	evaluator.Subagent:         "subagent",
	evaluator.Question:         "question",
}

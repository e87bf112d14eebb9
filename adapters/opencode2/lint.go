package opencode2

import (
	"github.com/modegate/modegate/adapters/internal/opencode/oclint"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// Lint finds what is wrong with the rules of a session, or with a configuration
// file.
func (dialect) Lint(in lint.Settings) ([]lint.Finding, error) { return oclint.Lint(generation, in) }

// generation is what 2.0's tools ask under (source read 2026-11-30).
var generation = oclint.Generation{
	Name: "OpenCode 2", Provider: evaluator.OpenCode2,
	Fields: [3]string{"action", "resource", "effect"}, Shell: "shell", Absolute: true,
	Known: []string{
		"shell", "edit", "read", "glob", "grep", "webfetch", "websearch", "subagent", "skill", "todowrite",
		"external_directory", "question",
	},
	Whole: []string{"todowrite", "question"},
	Renamed: map[string]string{
		"bash": "shell", "task": "subagent", "agent": "subagent",
		"write": "edit", "patch": "edit", "apply_patch": "edit", "multiedit": "edit",
	},
	Unused: map[string]string{
		"codesearch": "2.0 has no such tool",
		"list":       "2.0 has no such tool: folders are read by read",
		"lsp":        "2.0 has no such tool",
		"doom_loop":  "2.0 has nothing that asks under it",
		"plan_enter": "2.0 switches agents for plan",
		"plan_exit":  "2.0 switches agents for plan",
	},
}

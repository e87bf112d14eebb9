package opencode

import (
	"github.com/modegate/modegate/adapters/internal/opencode/oclint"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// Lint finds what is wrong with the rules of a session, or with a configuration
// file (opencode.json).
func (dialect) Lint(in lint.Settings) ([]lint.Finding, error) { return oclint.Lint(generation, in) }

// generation is what 1.18.33's tools ask under (measured 2026-11-30).
var generation = oclint.Generation{
	Name: "OpenCode 1.x", Provider: evaluator.OpenCode,
	Fields: [3]string{"permission", "pattern", "action"}, Shell: "bash",
	Known: []string{
		"bash", "edit", "read", "glob", "grep", "webfetch", "websearch", "task", "skill", "todowrite", "lsp",
		"external_directory", "doom_loop", "question", "plan_enter", "plan_exit",
	},
	Whole: []string{"todowrite", "lsp"},
	Renamed: map[string]string{
		"shell": "bash", "subagent": "task", "agent": "task",
		"write": "edit", "patch": "edit", "apply_patch": "edit", "multiedit": "edit", "todoread": "todowrite",
	},
	Unused: map[string]string{
		"codesearch": "1.18.33 has no such tool",
		"list":       "1.18.33 has no such tool: folders are read by read",
	},
	Inert: func(action string, e evaluator.Effect) string {
		switch {
		case action == "doom_loop" && e != evaluator.Ask:
			return "doom_loop is judged by the agent's own rules alone, never by a session's"
		case (action == "question" || action == "plan_exit" || action == "plan_enter") && e == evaluator.Ask:
			return action + " is hidden or offered, and never asked about"
		}
		return ""
	},
}

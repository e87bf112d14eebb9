package claude

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// The versions whose behaviour was measured.
const (
	V332 = "2.1.332"
	V197 = "2.1.197"
)

type dialect struct{}

// New returns the dialect.
func New() compiler.Dialect { return dialect{} }

// Provider is claude.
func (dialect) Provider() evaluator.Provider { return evaluator.Claude }

// Versions lists what Read understands.
func (dialect) Versions() []string { return []string{V332, V197} }

// Claims lists what is said about a version.
func (dialect) Claims(version string) []compiler.Claim {
	const doc, date = "notes on Claude Code's permissions", "2026-11-30"
	return []compiler.Claim{
		{Claim: "decisions", Key: "claude/" + version + "/decisions", Status: evaluator.Documented, By: doc, Date: date},
		{Claim: "wire", Key: "claude/" + version + "/wire", Status: evaluator.Documented, By: doc, Date: date},
	}
}

// PlanFiles is the folder of the sessions' plan files: in plan mode Claude may
// write its own there.
func (dialect) PlanFiles(env evaluator.Env) []string {
	facts, err := decodeFacts(env.Facts)
	switch {
	case err == nil && facts.ConfigDir != "":
		return []string{facts.ConfigDir + "/plans/*.md"}
	case env.Home == "":
		return []string{"~/.claude/plans/*.md"}
	}
	return []string{env.Home + "/.claude/plans/*.md"}
}

// Env adds nothing: Claude's plan is a mode, not an agent.
func (dialect) Env(_ evaluator.Interaction, env evaluator.Env) evaluator.Env { return env }

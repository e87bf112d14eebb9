package compiler

import "github.com/modegate/modegate/evaluator"

// ConditionKinds are the kinds of condition that a policy may set: those of
// Actions, and lying outside the workspace.
func ConditionKinds() []evaluator.Kind {
	return []evaluator.Kind{
		evaluator.Command, evaluator.FileRead, evaluator.FileChange, evaluator.WebFetch, evaluator.WebSearch,
		evaluator.MCPTool, evaluator.Subagent, evaluator.Question, evaluator.OutsideWorkspace,
	}
}

// Looser reports whether one effect lets more happen than another.
func Looser(a, than evaluator.Effect) bool {
	x, _ := evaluator.Strictness(a, evaluator.Unconfined)
	y, _ := evaluator.Strictness(than, evaluator.Unconfined)
	return x < y
}

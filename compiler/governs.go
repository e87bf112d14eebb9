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

// Governs returns the rule that decides whatever no narrower rule speaks of: the
// last one for everything of the kind. It is nil when the policy has none.
func (in Intent) Governs(kind evaluator.Kind) *Rule {
	w := in.last(kind, func(r Rule) bool { return r.Match == Everything })
	return w.Rule
}

// Narrow lists the effective rules that speak of less than everything.
func (in Intent) Narrow() []Rule {
	var out []Rule
	for _, r := range in.Effective() {
		if r.Match != Everything {
			out = append(out, r)
		}
	}
	return out
}

// Looser reports whether one effect lets more happen than another.
func Looser(a, than evaluator.Effect) bool {
	x, _ := evaluator.Strictness(a, evaluator.Unconfined)
	y, _ := evaluator.Strictness(than, evaluator.Unconfined)
	return x < y
}

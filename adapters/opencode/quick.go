package opencode

import "github.com/modegate/modegate/evaluator"

// QuickFields are the fields of a request, in the words of 1.x and in those that
// case files share.
func (*meaning) QuickFields() [][2]string {
	return [][2]string{{"permission", "patterns"}, {"action", "resources"}}
}

// Quick answers any request that the adapter doesn't decline by itself.
func (m *meaning) Quick(permission string, patterns []string) (effect evaluator.Effect, text, rule int, ok bool) {
	if m.adapter != nil {
		return evaluator.Unknown, 0, 0, false
	}
	effect, text, rule = m.rules.Quick(permission, patterns)
	return effect, text, rule, true
}

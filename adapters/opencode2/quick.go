package opencode2

import "github.com/modegate/modegate/evaluator"

// QuickFields are the fields of a request.
func (*meaning) QuickFields() [][2]string { return [][2]string{{"action", "resources"}} }

// Quick answers where no other version may answer otherwise, and the adapter
// declines nothing by itself.
func (m *meaning) Quick(action string, resources []string) (effect evaluator.Effect, text, rule int, ok bool) {
	if m.adapter != nil || m.other != nil || m.newer != nil {
		return evaluator.Unknown, 0, 0, false
	}
	effect, text, rule = m.rules.Quick(action, resources)
	return effect, text, rule, true
}

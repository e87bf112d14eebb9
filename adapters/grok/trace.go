package grok

import (
	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
)

// trace lists what Grok looks at for one request, in its order.
func (m *meaning) trace(part int, r request, in input, a answer) []evaluator.Step {
	t, _ := m.target(r, in)
	resource := t.text
	if t.line != nil {
		resource = t.raw
	}
	var out []evaluator.Step
	for _, rule := range m.rules {
		s := evaluator.Step{Part: part, Resource: resource, Layer: rule.Layer, Index: rule.index, Native: ruleText(rule)}
		s.Matched = rule.matches(t)
		if t.line != nil && rule.Effect == evaluator.Allow && rule.inert == "" {
			_, s.Matched = allows(one(rule), t)
		}
		switch {
		case rule.inert != "":
			s.Reason = rule.inert
		case a.rule != nil && a.rule.Layer == rule.Layer && a.rule.index == rule.index:
			s.Decided, s.Matched, s.Reason = true, true, "it decided"
		case s.Matched:
			s.Reason = "it matches, and something stricter or earlier decided"
		default:
			s.Reason = "it doesn't match"
		}
		out = append(out, s)
	}
	if t.line != nil {
		s := evaluator.Step{Part: part, Resource: resource, Layer: builtinLayer, Native: encoded("read-only list"), Matched: t.line.rating == readOnly}
		s.Reason = "every command is on it"
		if !s.Matched {
			s.Reason = t.line.why
		}
		s.Decided = s.Matched && a.mode && a.by.text == ""
		out = append(out, s)
	}
	mode := evaluator.Step{
		Part: part, Resource: resource, Layer: modeLayer, Index: 0, Native: encoded(m.state.name()), Pointer: a.by.from,
		Matched: a.mode, Decided: a.mode && !(t.line != nil && t.line.rating == readOnly && a.by.text == ""), Reason: a.reason,
	}
	if !a.mode {
		mode.Reason = "a rule decided before"
	}
	out = append(out, mode)
	if a.effect == evaluator.Ask && a.shape == permission {
		out = append(out, m.answers.Steps((Dialect{}).Asked(evaluator.Action{}, encoded(r)), m.env, evaluator.Step{
			Part: part, Resource: resource, Layer: callback.Layer, Native: m.answer, Pointer: callbackPointer,
			Matched: true, Decided: m.native.Callback.Permission == AllowPermission, Reason: "our adapter answers what Grok asks",
		})...)
	}
	return out
}

func one(r rule) []rule { return []rule{r} }

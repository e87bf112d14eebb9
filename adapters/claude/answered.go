package claude

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// answered is the end of what Claude asks, after our callback, and the callback's
// rule that decided.
func (s *session) answered(r request, e evaluator.Effect) (end evaluator.Effect, rule *int) {
	switch {
	case e != evaluator.Ask || r.tool == "AskUserQuestion":
		return e, nil
	case r.tool == "ExitPlanMode":
		return evaluator.Deny, nil // the plan is kept, the exit refused
	}
	for _, action := range (dialect{}).Asked(evaluator.Action{}, r.raw) { // one, or none
		if end, i, ok := s.answers.Answer(action, s.env); ok {
			return end, &i
		}
	}
	if s.callback.Default == answerAllow {
		return evaluator.Allow, nil
	}
	return e, nil
}

// member is the callback's own answer as the native settings have it. Both words are
// ours, so that nothing in them needs an escape.
func member(name, answer string) jsontext.Value {
	return jsontext.Value(fmt.Sprintf("{%q:%q}", name, answer))
}

// answerFor names the callback's own answer for a tool, where none of its rules decides.
func (s *session) answerFor(tool string) (name, answer string) {
	switch tool {
	case "AskUserQuestion":
		return tool, s.callback.AskUserQuestion
	case "ExitPlanMode":
		return tool, s.callback.ExitPlanMode
	}
	return "default", s.callback.Default
}

// callbackRef points at what the callback answered by: one of its rules, or else its
// own answer for the tool.
func (s *session) callbackRef(r request, rule *int) *evaluator.RuleRef {
	if rule != nil {
		return &evaluator.RuleRef{Index: *rule, Layer: callback.Layer, Native: s.answers.Native(*rule), Pointer: callback.Pointer(*rule)}
	}
	name, answer := s.answerFor(r.tool)
	return &evaluator.RuleRef{Layer: callback.Layer, Native: member(name, answer), Pointer: "/callback/" + name}
}

// callbackSteps is the end of a request's trace, where Claude asks.
func (s *session) callbackSteps(r request, part int, end evaluator.Effect) []evaluator.Step {
	name, answer := s.answerFor(r.tool)
	asked := dialect{}.Asked(evaluator.Action{}, r.raw)
	resource := r.tool
	for _, action := range asked {
		resource = compiler.Describe(action)
	}
	last := evaluator.Step{
		Part: part, Resource: resource, Layer: callback.Layer, Native: member(name, answer), Pointer: "/callback/" + name,
		Matched: true, Decided: end != evaluator.Ask, Reason: "our adapter answers what Claude asks",
	}
	if name != "default" { // the rules aren't asked
		return []evaluator.Step{last}
	}
	return s.answers.Steps(asked, s.env, last)
}

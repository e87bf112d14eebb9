package callback

import (
	"fmt"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Layer is the callback's name in verdicts and traces.
const Layer = "callback"

// Steps are the callback's part of a trace: each rule, and whether it speaks of the
// request, and last the one answer that it has where no rule decides. asked are the
// Actions that the request shows: one, or none. last has the part, the text and the
// answer; it is Decided when that answers by itself.
func (a Answerer) Steps(asked []evaluator.Action, env evaluator.Env, last evaluator.Step) []evaluator.Step {
	var out []evaluator.Step
	decider, answer := -1, evaluator.Unknown
	for _, action := range asked {
		if e, i, ok := a.Answer(action, env); ok {
			decider, answer = i, e
			last.Matched, last.Decided, last.Reason = false, false, fmt.Sprintf("rule %d of the callback says %s", i, e)
		}
	}
	for i := range a.rules {
		s := evaluator.Step{
			Part: last.Part, Resource: last.Resource, Layer: Layer, Index: i, Native: a.Native(i), Pointer: Pointer(i),
			Matched: a.speaks(i, asked, env), Decided: i == decider,
		}
		switch {
		case s.Decided && answer != a.rules[i].Effect:
			s.Matched, s.Reason = true, fmt.Sprintf("it decides; our adapter answers %s, because the text does more than its commands say", answer)
		case s.Decided:
			s.Matched, s.Reason = true, fmt.Sprintf("it decides: our adapter answers %s", answer)
		case len(asked) == 0:
			s.Reason = "the request doesn't show what the policy's words are about"
		case s.Matched:
			s.Reason = "it matches, and a later or stricter rule decides, or it doesn't speak of all of it"
		default:
			s.Reason = "it doesn't match"
		}
		out = append(out, s)
	}
	return append(out, last)
}

// speaks reports whether a rule by itself says something of one of the Actions.
func (a Answerer) speaks(i int, asked []evaluator.Action, env evaluator.Env) bool {
	for _, action := range asked {
		alone := compiler.IntentOf([]policies.Rule{a.in.Rules[i].Rule})
		alone.PlanFiles = a.in.PlanFiles
		if alone.Want(action, env).Rule != nil || alone.Outside(action, env) != nil {
			return true
		}
	}
	return false
}

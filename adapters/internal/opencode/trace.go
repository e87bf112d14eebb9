package opencode

import (
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/evaluator"
)

// trace walks every rule for every text of a request.
func (r *Rules) trace(w Words, part int, q Request) []evaluator.Step {
	var out []evaluator.Step
	for _, res := range q.Resources {
		seen, last := lastmatch.Walk(r.all, q.Action, res.Text)
		decides := last
		if r.final {
			if _, d := lastmatch.Walk(r.all[:r.configured], q.Action, res.Text); d >= 0 && r.all[d].Effect == evaluator.Deny {
				decides = d
			}
		}
		for i, s := range seen {
			ref := r.Ref(w, i)
			out = append(out, evaluator.Step{
				Part: part, Resource: res.Text, Layer: ref.Layer, Index: ref.Index, Native: ref.Native, Pointer: ref.Pointer,
				Matched: s.Matched(), Decided: i == decides, Reason: step(r.all[i], s, i, decides),
			})
		}
	}
	return out
}

func step(r lastmatch.Rule, s lastmatch.Seen, i, decides int) string {
	switch {
	case ToAdapter(r.Action):
		return "it is for our adapter, and it doesn't decide this"
	case !s.Action:
		return "the action doesn't match"
	case !s.Resource:
		return "the resource doesn't match"
	case i == decides:
		return "the last rule that matches decides"
	case i < decides:
		return "matches, and a later rule decides"
	}
	return "matches, but a configured deny is final"
}

// Offered is the trace of a tool that is hidden or offered by the last rule for its
// action, and asked about by none.
func (r *Rules) Offered(w Words, tool string) []evaluator.Step {
	position, _ := r.Hidden(tool)
	out := make([]evaluator.Step, r.configured)
	for i, rule := range r.all[:r.configured] {
		ref := r.Ref(w, i)
		s := evaluator.Step{Resource: tool, Layer: ref.Layer, Index: ref.Index, Native: ref.Native, Pointer: ref.Pointer, Decided: i == position}
		s.Matched = wildcard.Compile(rule.Action).Match(tool)
		switch {
		case s.Decided:
			s.Reason = "the last rule for the tool decides whether it is offered"
		case s.Matched:
			s.Reason = "matches, and a later rule decides"
		default:
			s.Reason = "the action doesn't match"
		}
		out[i] = s
	}
	return out
}

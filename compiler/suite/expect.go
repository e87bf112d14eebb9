package suite

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// missed lists what a Verdict doesn't meet. An unknown effect meets nothing unless
// it is listed: what can't be predicted isn't what somebody expects.
func missed(e policies.Expect, v evaluator.Verdict) []Missed {
	effects := e.Effects
	if effects == nil {
		effects = []evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Review, evaluator.Deny}
	}
	var out []Missed
	out = miss(out, "effect", effects, v.Effect)
	if v.Effect == evaluator.Unknown && len(out) > 0 {
		return out // the rest has its zero value
	}
	out = miss(out, "confinement", e.Confinements, v.Confinement)
	out = miss(out, "decider", e.Deciders, v.Decider)
	out = miss(out, "enforcer", e.Enforcers, v.Enforcer)
	id, native := "", jsontext.Value(nil)
	if v.Rule != nil {
		native = v.Rule.Native
		if v.Rule.Source != nil {
			id = v.Rule.Source.ID
		}
	}
	if e.Rule != "" && e.Rule != id {
		out = append(out, Missed{"rule", []string{e.Rule}, ruleName(v.Rule)})
	}
	if e.Native != nil && !sameJSON(e.Native, native) {
		out = append(out, Missed{"rule", []string{string(e.Native)}, ruleName(v.Rule)})
	}
	return out
}

func miss[T comparable](out []Missed, field string, want []T, got T) []Missed {
	if want == nil || slices.Contains(want, got) {
		return out
	}
	m := Missed{Field: field, Got: fmt.Sprint(got)}
	for _, w := range want {
		m.Want = append(m.Want, fmt.Sprint(w))
	}
	return append(out, m)
}

// ruleName is a deciding rule's policy id, or its native text where it has none.
func ruleName(r *evaluator.RuleRef) string {
	switch {
	case r == nil:
		return "no rule"
	case r.Source != nil && r.Source.ID != "":
		return r.Source.ID
	}
	return string(r.Native)
}

// sameJSON compares two JSON values, whatever the order of their fields is.
func sameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

// failure says where to look.
func (r *runner) failure(c *compiled, t *policies.Test, v evaluator.Verdict, missed []Missed) *Failure {
	out := &Failure{Missed: missed}
	if w := c.intent.Want(t.Action, c.env); w.Against(t.Action, v) != "" {
		out.Policy = &Wanted{Effect: w.Effect, Rule: w.Rule.Source}
		id := compiler.NewGap(c.intent.Cell.Provider, w.Kind, *w.Rule, "").ID
		if i := slices.IndexFunc(v.Gaps, func(g evaluator.Gap) bool { return g.ID == id }); i >= 0 {
			out.Policy.Gap = &v.Gaps[i]
		}
	}
	decided := v.Rule != nil && v.Rule.Source != nil && v.Rule.Source.ID != ""
	for _, n := range compiler.Nearest(r.policy, c.intent, t.Action, c.env) {
		meant := n.Rule.ID == t.Expect.Rule || t.Expect.Rule == "" && slices.Contains(t.Expect.Effects, n.Rule.Effect)
		if meant || !decided && out.Nearest == nil {
			out.Nearest = &Nearest{Rule: n.Rule.Source, Effect: n.Rule.Effect, Reason: n.Reason}
		}
		if meant {
			break
		}
	}
	return out
}

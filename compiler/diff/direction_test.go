package diff

import (
	"testing"

	"github.com/modegate/modegate/evaluator"
)

// The scale, typed by hand: each outcome is stricter than the next.
func TestDirection(t *testing.T) {
	boundary := func(e evaluator.Effect, c evaluator.Confinement) Answer { return Answer{Effect: e, Confinement: c} }
	scale := []Answer{
		boundary(evaluator.Deny, 0), boundary(evaluator.Ask, 0), boundary(evaluator.Review, 0),
		boundary(evaluator.Allow, evaluator.ReadOnly), boundary(evaluator.Allow, evaluator.WorkspaceWrite), boundary(evaluator.Allow, evaluator.Unconfined),
	}
	for i, old := range scale {
		for j, new := range scale {
			want, widens := evaluator.Direction(""), false
			switch {
			case j > i:
				want, widens = evaluator.Wider, true
			case j < i:
				want = evaluator.Narrower
			}
			if d, w := direction(old, new); d != want || w != widens {
				t.Errorf("%s (%s) -> %s (%s): %q %v", old.Effect, old.Confinement, new.Effect, new.Confinement, d, w)
			}
		}
	}
	unknown := boundary(evaluator.Unknown, 0)
	for i, other := range scale {
		if d, w := direction(other, unknown); d != Changed || !w {
			t.Errorf("%s -> unknown: %q %v", other.Effect, d, w)
		}
		if d, w := direction(unknown, other); d != Changed || w != (i > 1) {
			t.Errorf("unknown -> %s: %q %v", other.Effect, d, w)
		}
	}
	if d, _ := direction(unknown, unknown); d != "" {
		t.Errorf("unknown -> unknown: %q", d)
	}
	hidden := false
	for name, other := range map[string]Answer{
		"decider":     {Effect: evaluator.Ask, Decider: evaluator.ByPerson},
		"enforcer":    {Effect: evaluator.Ask, Enforcer: evaluator.EnforcedByInstruction},
		"native":      {Effect: evaluator.Ask, Native: evaluator.NativeAnswer{Effect: evaluator.Allow}},
		"then":        {Effect: evaluator.Ask, Then: &evaluator.Then{Runs: "unsandboxed"}},
		"onDenial":    {Effect: evaluator.Ask, OnDenial: "unsandboxed"},
		"tool absent": {Effect: evaluator.Ask, ToolAbsent: true},
		"visible":     {Effect: evaluator.Ask, Visible: &hidden},
	} {
		if d, w := direction(Answer{Effect: evaluator.Ask}, other); d != Changed || w {
			t.Errorf("another %s is %q %v", name, d, w)
		}
	}
	if d, _ := direction(Answer{Effect: evaluator.Ask, Reason: "one", Rule: &evaluator.RuleRef{Index: 1}}, Answer{Effect: evaluator.Ask, Reason: "two"}); d != "" {
		t.Errorf("other words and another rule are %q", d)
	}
}

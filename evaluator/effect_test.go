package evaluator

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestZeroValuesAreSafe(t *testing.T) {
	var v Verdict
	if v.Effect != Unknown || v.Effect.String() != "unknown" {
		t.Errorf("the zero effect is %s", v.Effect)
	}
	if v.Confinement != Unconfined {
		t.Errorf("the zero confinement is %s", v.Confinement)
	}
	if got := Strictest(); got != Unknown {
		t.Errorf("no effects are strictest %s", got)
	}
	if got := Loosest(); got != Unknown {
		t.Errorf("no effects are loosest %s", got)
	}
}

func TestCombine(t *testing.T) {
	for _, c := range []struct {
		effects            []Effect
		strictest, loosest Effect
	}{
		{[]Effect{Allow, Ask, Deny}, Deny, Allow},
		{[]Effect{Allow, Review}, Review, Allow},
		{[]Effect{Review, Ask}, Ask, Review},
		{[]Effect{Allow, Unknown}, Unknown, Allow},
		{[]Effect{Deny, Unknown}, Deny, Unknown},
		{[]Effect{Ask, Unknown}, Unknown, Unknown},
		{[]Effect{Ask}, Ask, Ask},
	} {
		if got := Strictest(c.effects...); got != c.strictest {
			t.Errorf("strictest of %v: %s, want %s", c.effects, got, c.strictest)
		}
		if got := Loosest(c.effects...); got != c.loosest {
			t.Errorf("loosest of %v: %s, want %s", c.effects, got, c.loosest)
		}
	}
}

// TestCombineWhateverTheOrder holds that combining doesn't depend on order.
func TestCombineWhateverTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		effects := rapid.SliceOf(rapid.SampledFrom([]Effect{Unknown, Allow, Ask, Review, Deny})).Draw(t, "effects")
		turned := slices.Clone(effects)
		slices.Reverse(turned)
		if Strictest(effects...) != Strictest(turned...) || Loosest(effects...) != Loosest(turned...) {
			t.Fatalf("%v depends on its order", effects)
		}
	})
}

// TestStrictnessOrder is the design's scale, from strict to loose.
func TestStrictnessOrder(t *testing.T) {
	scale := []struct {
		Effect
		Confinement
	}{{Deny, Unconfined}, {Ask, Unconfined}, {Review, Unconfined}, {Allow, ReadOnly}, {Allow, WorkspaceWrite}, {Allow, Unconfined}}
	last := 1 << 30
	for _, s := range scale {
		n, ok := Strictness(s.Effect, s.Confinement)
		if !ok || n >= last {
			t.Errorf("%s %s is at %d, behind %d", s.Effect, s.Confinement, n, last)
		}
		last = n
	}
	if _, ok := Strictness(Unknown, Unconfined); ok {
		t.Error("unknown has a place on the scale")
	}
}

func TestWordsAreClosed(t *testing.T) {
	var e Effect
	var m Mode
	for _, bad := range []string{"", "Allow", "denied", "yes"} {
		if e.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q is taken for an effect", bad)
		}
		if m.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q is taken for a mode", bad)
		}
	}
}

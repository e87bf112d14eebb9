package opencode

import (
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// declare says which of the policy's rules the session's rules don't keep. It
// looks at the policy and the profile's list, never at what the native rules
// mean: that comparison comes later and must find the same.
func (w *writer) declare(base []placed, listed bool) {
	for _, kind := range compiler.ConditionKinds() {
		r := w.In.Governs(kind)
		if r == nil {
			continue
		}
		got := w.sent(kind, *r, base, listed)
		w.compare(kind, *r, got)
		if kind == evaluator.Command && compiler.Looser(evaluator.Allow, r.Effect) {
			w.Gap(kind, *r, evaluator.Wider, evaluator.Allow, "1.x asks about the commands that it finds in a text, and runs a text in which it finds none: assignments, export, redirects alone, cd")
		}
	}
	for _, r := range w.In.Narrow() {
		w.declareNarrow(r, base, listed)
	}
}

// sent is the effect that the list has for everything of a kind.
func (w *writer) sent(kind evaluator.Kind, r compiler.Rule, base []placed, listed bool) evaluator.Effect {
	if w.saysItself(r, listed) {
		return said(r.Effect)
	}
	effect := evaluator.Ask // OpenCode's default
	for _, p := range base {
		if p.Resource == "*" && (p.Action == "*" || p.Action == names[kind]) {
			effect = p.Effect
		}
	}
	for _, other := range w.In.Rules { // a rule of ours that was sent after the list
		covers := other.Kind == kind || other.Kind == evaluator.AnyKind
		if covers && other.Match == compiler.Everything && w.saysItself(other, listed) {
			effect = said(other.Effect)
		}
	}
	return effect
}

// saysItself reports whether a rule was sent as a rule of its own.
func (w *writer) saysItself(r compiler.Rule, listed bool) bool {
	switch r.Section {
	case compiler.ModeRules:
		return !listed || r.Match != compiler.Everything
	case compiler.InteractionRules:
		return !w.profile.agent
	}
	return true
}

// said is the effect as 1.x has it.
func said(e evaluator.Effect) evaluator.Effect {
	if e == evaluator.Review {
		return evaluator.Ask
	}
	return e
}

func (w *writer) compare(kind evaluator.Kind, r compiler.Rule, got evaluator.Effect) {
	switch {
	case compiler.Looser(got, r.Effect):
		w.Gap(kind, r, evaluator.Wider, got, w.why(r, got))
	case compiler.Looser(r.Effect, got):
		w.Gap(kind, r, evaluator.Narrower, got, w.why(r, got))
	}
}

func (w *writer) why(r compiler.Rule, got evaluator.Effect) string {
	switch {
	case r.Section == compiler.InteractionRules && w.profile.agent:
		return "plan is left to the plan agent, and a session's rules come after the agent's own"
	case r.Effect == evaluator.Review:
		return "OpenCode has no reviewer, so a person is asked"
	}
	return "the profile's list for this mode says " + got.String()
}

// declareNarrow declares what becomes of a rule for less than everything.
func (w *writer) declareNarrow(r compiler.Rule, base []placed, listed bool) {
	if !w.saysItself(r, listed) || r.Match == compiler.PlanFiles {
		w.compare(r.Kind, r, w.sent(r.Kind, compiler.Rule{Section: compiler.InteractionRules}, base, listed))
		return
	}
	lowered := oc.Lower(r, names, w.Env)
	switch {
	case lowered.Loss != "":
		w.Gap(r.Kind, r, evaluator.Narrower, evaluator.Ask, lowered.Loss)
	case r.Effect == evaluator.Review:
		w.Gap(r.Kind, r, evaluator.Narrower, evaluator.Ask, w.why(r, evaluator.Ask))
	}
}

package suite

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/strictjson"
)

// Cell is the row's cell, for people.
func (r Result) Cell() string {
	return fmt.Sprintf("%s, %s, %s", r.Provider.Name, r.Mode, r.Interaction)
}

// Text explains a row that failed: what was expected, what came, the rule that
// decides with its line, and the nearest that doesn't.
func (r Result) Text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-10s%s\n", name, indent(fmt.Sprintf(format, args...)))
	}
	place := func(name string, at evaluator.Source, message string) {
		if at.Line == 0 {
			line(name, "%s", message)
			return
		}
		line(name, "%s", r.files.problem(at, message))
	}
	place("test", r.Source, r.Test)
	line("action", "%s", r.action())
	for _, m := range r.Failure.Missed {
		line("expected", "%s %s", m.Field, strings.Join(m.Want, " or "))
		line("got", "%s %s", m.Field, m.Got)
	}
	line("verdict", "%s, decided by %s, enforced by %s", outcome(r.Got), r.Got.Decider, r.Got.Enforcer)
	line("why", "%s", r.Got.Reason)
	switch rule := r.Got.Rule; {
	case rule == nil:
		line("rule", "none matched: the provider's default decides")
	case rule.Source == nil:
		line("rule", "%s %d: %s", rule.Layer, rule.Index, rule.Native)
	default:
		place("rule", *rule.Source, fmt.Sprintf("%s%s %d: %s", called(*rule.Source), rule.Layer, rule.Index, rule.Native))
	}
	if w := r.Failure.Policy; w != nil {
		place("policy", w.Rule, fmt.Sprintf("%sthe policy says %s, and the provider doesn't do that", called(w.Rule), w.Effect))
		if w.Gap != nil {
			line("gap", "%s (%s): %s", w.Gap.ID, w.Gap.Direction, w.Gap.Reason)
		}
	}
	if n := r.Failure.Nearest; n != nil {
		place("nearest", n.Rule, fmt.Sprintf("rule %s (%s) doesn't decide: %s", n.Rule.ID, n.Effect, n.Reason))
	}
	return b.String()
}

// indent lines the further lines of a text up with its first.
func indent(s string) string {
	return strings.ReplaceAll(diag.Plain(s), "\n", "\n"+strings.Repeat(" ", 12))
}

func called(at evaluator.Source) string {
	if at.ID == "" {
		return ""
	}
	return "rule " + at.ID + ": "
}

// action is the row's Action as it stands in JSON, which escapes what a terminal
// would obey.
func (r Result) action() string {
	text, err := strictjson.Encode(r.Action)
	if err != nil {
		return string(r.Action.Kind)
	}
	return string(text)
}

func outcome(g *Got) string {
	if g.Effect == evaluator.Allow && g.Confinement != evaluator.Unconfined {
		return fmt.Sprintf("%s (%s)", g.Effect, g.Confinement)
	}
	return g.Effect.String()
}

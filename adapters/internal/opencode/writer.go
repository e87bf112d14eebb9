package opencode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Writer makes a session's rules, each with its place, and declares the gaps.
type Writer struct {
	In      compiler.Intent
	Env     evaluator.Env
	Names   Names
	Soften  func(lastmatch.Rule) lastmatch.Rule // what a generation can't take, taken back; nil: nothing
	Rules   []lastmatch.Rule
	Sources []compiler.SourceRef
	Gaps    []evaluator.Gap
}

// Add appends one rule.
func (w *Writer) Add(r lastmatch.Rule, at evaluator.Source) {
	w.Sources = append(w.Sources, compiler.SourceRef{Pointer: "/" + strconv.Itoa(len(w.Rules)), Source: at})
	w.Rules = append(w.Rules, r)
}

// Section says the policy rules of one section that keep accepts; a nil keep
// accepts all. The plan folder isn't said here: its rules come from the agent.
func (w *Writer) Section(s compiler.Section, keep func(compiler.Rule) bool) {
	for _, r := range w.In.Rules {
		if r.Section == s && r.Match != compiler.PlanFiles && (keep == nil || keep(r)) {
			w.lower(r, false)
		}
	}
}

// lower says one policy rule. again repeats a rule that was said before.
func (w *Writer) lower(r compiler.Rule, again bool) {
	for _, rule := range Lower(r, w.Names, w.Env).Rules {
		if w.Soften != nil {
			rule = w.Soften(rule)
		}
		if again || !Redundant(w.Rules, rule) {
			w.Add(rule, r.Source)
		}
	}
}

// Grants says what the session was allowed, outside of full access, and then
// repeats what the policy denies and what it says after that: a grant beats an
// ask and never a deny.
func (w *Writer) Grants() {
	if w.In.Cell.Mode == evaluator.FullAccess || len(w.Env.Grants) == 0 {
		return
	}
	for _, g := range w.Env.Grants {
		w.Add(lastmatch.Rule{Action: g.Action, Resource: g.Resource, Effect: evaluator.Allow}, evaluator.Source{ID: "grant"})
	}
	denied := false
	for _, r := range w.In.Rules {
		if r.Section == compiler.InteractionRules {
			continue
		}
		denied = denied || r.Effect == evaluator.Deny
		if !denied {
			continue
		}
		from := len(w.Rules)
		w.lower(r, true)
		if r.Effect != evaluator.Deny {
			w.grantsWithin(w.Rules[from:])
		}
	}
}

// grantsWithin says again the grants that lie wholly within rules that were just
// repeated: those rules ask where the grant already answered.
func (w *Writer) grantsWithin(rules []lastmatch.Rule) {
	for _, r := range slices.Clone(rules) {
		for _, g := range w.Env.Grants {
			if g.Action == r.Action && !strings.Contains(r.Resource, "?") && wildcard.Compile(r.Resource).Match(g.Resource) {
				w.Add(lastmatch.Rule{Action: g.Action, Resource: g.Resource, Effect: evaluator.Allow}, evaluator.Source{ID: "grant"})
			}
		}
	}
}

// Gap declares a gap, once for each rule and direction.
func (w *Writer) Gap(kind evaluator.Kind, r compiler.Rule, d evaluator.Direction, got evaluator.Effect, reason string) {
	g := compiler.NewGap(w.In.Cell.Provider, kind, r, d)
	g.Got, g.Reason = got, reason
	same := func(old evaluator.Gap) bool { return old.ID == g.ID && old.Direction == g.Direction }
	if !slices.ContainsFunc(w.Gaps, same) {
		w.Gaps = append(w.Gaps, g)
	}
}

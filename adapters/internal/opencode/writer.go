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

// Writer makes a session's rules, each with its place.
type Writer struct {
	In    compiler.Intent
	Env   evaluator.Env
	Names Names

	// How the generation names files: those in Root relative to it, others by
	// their absolute path, or, where Lexical is set, relative to Root, too.
	// Workspace is where the policy's own relative patterns start.
	Workspace, Root string
	Lexical         bool

	Soften  func(lastmatch.Rule) []lastmatch.Rule // what a generation can't take, said otherwise; nil: nothing
	Rules   []lastmatch.Rule
	Sources []compiler.SourceRef

	declining []evaluator.Kind // of which the adapter declines what is asked
	denied    compiler.Intent  // the policy's rules about them
}

// Add appends one rule.
func (w *Writer) Add(r lastmatch.Rule, at evaluator.Source) {
	w.Sources = append(w.Sources, compiler.SourceRef{Pointer: "/" + strconv.Itoa(len(w.Rules)), Source: at})
	w.Rules = append(w.Rules, r)
}

// Section says the policy rules of one section that keep accepts; a nil keep
// accepts all.
func (w *Writer) Section(s compiler.Section, keep func(compiler.Rule) bool) {
	for i, r := range w.In.Rules {
		if r.Section == s && (keep == nil || keep(r)) {
			w.say(i, false)
		}
	}
}

// say says one policy rule, by its place in the Intent. again repeats a rule that
// was said before. A rule for any kind or for MCP tools may also match the action
// for folders outside, of which it doesn't speak, so that the rules about those
// are said again.
func (w *Writer) say(i int, again bool) {
	r := w.In.Rules[i]
	from := len(w.Rules)
	for _, rule := range w.lower(r).Rules {
		for _, rule := range w.soft(rule) {
			if again || !Redundant(w.Rules, rule) {
				w.Add(rule, r.Source)
			}
		}
	}
	if r.Kind == evaluator.OutsideWorkspace || !slices.ContainsFunc(w.Rules[from:], func(r lastmatch.Rule) bool { return overlaps(r.Action, External) }) {
		return
	}
	for j, earlier := range w.In.Rules[:i] {
		if earlier.Kind == evaluator.OutsideWorkspace {
			w.say(j, again)
		}
	}
}

func (w *Writer) soft(r lastmatch.Rule) []lastmatch.Rule {
	if w.Soften == nil {
		return []lastmatch.Rule{r}
	}
	return w.Soften(r)
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
	for i, r := range w.In.Rules {
		if r.Section == compiler.InteractionRules {
			continue
		}
		denied = denied || r.Effect == evaluator.Deny
		if !denied {
			continue
		}
		from := len(w.Rules)
		w.say(i, true)
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

package policylint

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// The surroundings in which a policy is judged: those of no machine.
var nowhere = evaluator.Env{Workspace: "/a-workspace", Home: "/a-home"}

const planFolder = "plan-folder-of-the-provider"

// view is a policy seen from every cell in which it says something else.
type view struct {
	policy  *policies.Policy
	intents []compiler.Intent
	rules   []*ruleView // in the policy's order
	skipped int         // rules that weren't looked at, because there are too many
}

// ruleView is one rule and what becomes of it in the cells that it applies to.
type ruleView struct {
	compiler.Rule
	fates []fate
}

// fate is what becomes of a rule in one cell.
type fate struct {
	intent *compiler.Intent
	kind   fateKind
	sample evaluator.Action // one that it decides, when there is one
	over   []compiler.Rule  // those that decide in its place, when it is overruled
}

type fateKind uint8

const (
	decides   fateKind = iota // it decides something
	repeated                  // it decides nothing, and what decides says the same
	overruled                 // whatever it matches comes to another effect than its own
	unmatched                 // nothing was found that it matches
)

// maxWork bounds the search for what rules decide: rules looked at.
var maxWork = 200_000_000

// survey looks at every rule in every cell that differs from the others.
func survey(p *policies.Policy) *view {
	v := &view{policy: p, intents: distinct(p)}
	at := map[ruleKey]*ruleView{}
	work := 0
	for i := range v.intents {
		in := &v.intents[i]
		for j := range in.Rules {
			r := in.Rules[j]
			key := keyOfRule(r)
			if at[key] == nil {
				at[key] = &ruleView{Rule: r}
				v.rules = append(v.rules, at[key])
			}
			if work > maxWork {
				v.skipped++
				continue
			}
			f, looked := fateOf(in, &in.Rules[j])
			work += looked
			at[key].fates = append(at[key].fates, f)
		}
	}
	return v
}

type ruleKey struct {
	at      evaluator.Source
	section compiler.Section
}

func keyOfRule(r compiler.Rule) ruleKey { return ruleKey{r.Source, r.Section} }

// distinct lowers every cell and keeps one of those that say the same.
func distinct(p *policies.Policy) []compiler.Intent {
	seen := map[string]bool{}
	var out []compiler.Intent
	for _, provider := range evaluator.Providers() {
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				in := lower(p, evaluator.Cell{Provider: provider, Mode: mode, Interaction: interaction})
				key := fmt.Sprint(mode, interaction)
				for _, r := range in.Rules {
					key += fmt.Sprint(keyOfRule(r))
				}
				if !seen[key] {
					seen[key] = true
					out = append(out, in)
				}
			}
		}
	}
	return out
}

func lower(p *policies.Policy, cell evaluator.Cell) compiler.Intent {
	in := compiler.Lower(p, cell)
	in.PlanFiles = []string{planFolder + "/*.md"}
	return in
}

// overruledBy notes a rule that decides in another one's place.
func (f *fate) overruledBy(r compiler.Rule) {
	if f.kind == unmatched {
		f.kind = overruled
	}
	if !slices.ContainsFunc(f.over, func(o compiler.Rule) bool { return keyOfRule(o) == keyOfRule(r) }) {
		f.over = append(f.over, r)
	}
}

// fateOf judges the samples of what a rule matches, and says how many rules were
// looked at for that.
func fateOf(in *compiler.Intent, r *compiler.Rule) (f fate, looked int) {
	if r.Kind == evaluator.OutsideWorkspace && r.Effect == evaluator.Allow {
		return fateOfCondition(in, r)
	}
	f = fate{intent: in, kind: unmatched}
	alone := compiler.Intent{Cell: in.Cell, Rules: []compiler.Rule{*r}, PlanFiles: in.PlanFiles}
	for _, a := range samples(*r) {
		looked += len(in.Rules)
		w := in.Want(a, nowhere)
		switch {
		case w.Rule != r && alone.Want(a, nowhere).Rule == nil:
			continue // not a sample of it after all
		case w.Rule == r:
			return fate{intent: in, kind: decides, sample: a}, looked
		case w.Effect == r.Effect:
			f.kind = repeated
		default:
			f.overruledBy(*w.Rule)
		}
	}
	return f, looked
}

// fateOfCondition does the same for a rule that lets paths outside pass to the rules
// about what is done with them: it decides where more would be held up without it.
func fateOfCondition(in *compiler.Intent, r *compiler.Rule) (f fate, looked int) {
	f = fate{intent: in, kind: unmatched}
	gone := slices.DeleteFunc(slices.Clone(in.Rules), func(o compiler.Rule) bool { return keyOfRule(o) == keyOfRule(*r) })
	without := compiler.Intent{Cell: in.Cell, Rules: gone, PlanFiles: in.PlanFiles}
	for _, a := range samples(*r) {
		looked += 3 * len(in.Rules)
		if in.Outside(a, nowhere) != r {
			continue
		}
		switch w, other := in.Want(a, nowhere), without.Want(a, nowhere); {
		case (w.Rule == nil) != (other.Rule == nil) || w.Effect != other.Effect:
			return fate{intent: in, kind: decides, sample: a}, looked
		case w.Rule == nil || w.Effect == r.Effect:
			f.kind = repeated
		default:
			f.overruledBy(*w.Rule)
		}
	}
	return f, looked
}

// changes reports whether anything would come to another effect without a rule
// that decides it.
func (v *view) changes(r *ruleView, f fate) bool {
	if f.kind != decides {
		return false
	}
	in := v.without(f.intent.Cell, r.Rule)
	w, is := in.Want(f.sample, nowhere), f.intent.Want(f.sample, nowhere)
	return (w.Rule == nil) != (is.Rule == nil) || w.Effect != is.Effect
}

// without is what a cell says when one rule isn't there.
func (v *view) without(cell evaluator.Cell, r compiler.Rule) compiler.Intent {
	same := func(o policies.Rule) bool { return o.Source == r.Source }
	drop := func(list []policies.Rule) []policies.Rule { return slices.DeleteFunc(slices.Clone(list), same) }
	p := *v.policy
	switch r.Section {
	case compiler.ModeRules:
		mode := p.Modes[cell.Mode]
		mode.Rules = drop(mode.Rules)
		p.Modes = map[evaluator.Mode]policies.ModePolicy{cell.Mode: mode}
	case compiler.PolicyRules:
		p.Rules = drop(p.Rules)
	case compiler.InteractionRules:
		p.Interactions = map[evaluator.Interaction][]policies.Rule{cell.Interaction: drop(p.Interactions[cell.Interaction])}
	}
	return lower(&p, cell)
}

// layer is the number of the file that a place is in, base first.
func (v *view) layer(at evaluator.Source) int { return slices.Index(v.policy.Files, at.File) }

// named names a rule with its place, as seen from another one.
func named(r policies.Rule, from evaluator.Source) string {
	switch {
	case r.Source.Line == 0:
		return r.ID
	case r.Source.File != from.File:
		return fmt.Sprintf("%s (%s:%d)", r.ID, r.Source.File, r.Source.Line)
	}
	return fmt.Sprintf("%s (line %d)", r.ID, r.Source.Line)
}

func see(r policies.Rule, message string) lint.Related {
	return lint.Related{Source: r.Source, Message: message}
}

// opens reports whether something is allowed somewhere because of a rule.
func (v *view) opens(r *ruleView) bool {
	return r.Effect == evaluator.Allow && slices.ContainsFunc(r.fates, func(f fate) bool { return v.changes(r, f) })
}

// matchesNothing reports whether not one sample of a rule is what it matches.
func (r *ruleView) matchesNothing() bool {
	return len(r.fates) > 0 && !slices.ContainsFunc(r.fates, func(f fate) bool { return f.kind != unmatched })
}

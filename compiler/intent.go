package compiler

import (
	"slices"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Section says which list of the policy a rule stands in.
type Section uint8

// The sections, in the order in which their rules are judged.
const (
	ModeRules        Section = iota // the mode's own
	PolicyRules                     // in every mode
	InteractionRules                // last of all, so that nothing undoes plan
)

// Intent is what one cell of a policy means, before any provider's dialect.
// The last rule that matches decides; what no rule speaks of is unspecified.
type Intent struct {
	Cell      evaluator.Cell
	Rules     []Rule
	Profile   *policies.Node // the provider's own values, nil when the policy has none
	PlanFiles []string       // what @plan-files stands for
	Policy    PolicyRef
	globs     globs
	byKind    *index
}

// Rule is a policy rule that applies to the cell, with its section.
type Rule struct {
	policies.Rule
	Section Section
}

// PolicyRef names the policy that something was made from.
type PolicyRef struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Lower makes the Intent of one cell.
func Lower(p *policies.Policy, cell evaluator.Cell) Intent {
	in := Intent{
		Cell:    cell,
		Profile: p.Profiles[cell.Provider],
		Policy:  PolicyRef{Name: p.Name, Digest: p.Digest},
		globs:   newGlobs(),
	}
	in.add(ModeRules, p.Modes[cell.Mode].Rules)
	in.add(PolicyRules, p.Rules)
	in.add(InteractionRules, p.Interactions[cell.Interaction])
	in.byKind = newIndex(in.Rules)
	return in
}

// IntentOf makes an Intent of rules alone, for judging Actions by them.
func IntentOf(rules []policies.Rule) Intent {
	in := Intent{globs: newGlobs()}
	for _, r := range rules {
		in.Rules = append(in.Rules, Rule{Rule: r, Section: PolicyRules})
	}
	in.byKind = newIndex(in.Rules)
	return in
}

func (in Intent) index() *index {
	if in.byKind == nil || !in.byKind.about(in.Rules) { // an Intent that wasn't lowered, or was changed
		return newIndex(in.Rules)
	}
	return in.byKind
}

func (in *Intent) add(section Section, rules []policies.Rule) {
	for _, r := range rules {
		if applies(r.Modes, in.Cell.Mode) && applies(r.Providers, in.Cell.Provider) {
			in.Rules = append(in.Rules, Rule{Rule: r, Section: section})
		}
	}
}

func applies[T comparable](list []T, v T) bool { return list == nil || slices.Contains(list, v) }

// Effective lists the rules that can still decide something: those that no later
// rule for everything of their kind covers.
func (in Intent) Effective() []Rule {
	var out []Rule
	covered := map[evaluator.Kind]bool{}
	for i := len(in.Rules) - 1; i >= 0; i-- {
		r := in.Rules[i]
		if !covered[r.Kind] && (r.Kind == evaluator.OutsideWorkspace || !covered[evaluator.AnyKind]) {
			out = append(out, r)
		}
		if r.Match == Everything {
			covered[r.Kind] = true
		}
	}
	slices.Reverse(out)
	return out
}

// Everything is the match that any Action of a kind has.
const Everything = "*"

// PlanFiles is the match for the provider's own plan folder.
const PlanFiles = "@plan-files"

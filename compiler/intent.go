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
		globs:   globs{},
	}
	in.add(ModeRules, p.Modes[cell.Mode].Rules)
	in.add(PolicyRules, p.Rules)
	in.add(InteractionRules, p.Interactions[cell.Interaction])
	return in
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
	for i, r := range in.Rules {
		if !slices.ContainsFunc(in.Rules[i+1:], func(later Rule) bool { return later.covers(r) }) {
			out = append(out, r)
		}
	}
	return out
}

func (r Rule) covers(earlier Rule) bool {
	if r.Match != Everything {
		return false
	}
	return r.Kind == earlier.Kind || r.Kind == evaluator.AnyKind && earlier.Kind != evaluator.OutsideWorkspace
}

// Everything is the match that any Action of a kind has.
const Everything = "*"

// PlanFiles is the match for the provider's own plan folder.
const PlanFiles = "@plan-files"

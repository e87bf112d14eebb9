package suite

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Coverage is what the rows that ran have shown of a policy, within the chosen
// providers, modes and interaction modes.
type Coverage struct {
	Cells Share          `json:"cells"` // cells with a row
	Rules Share          `json:"rules"` // rules, once for every provider that they are for
	Each  []RuleCoverage `json:"each"`  // in the policy's order

	MissingCells []string `json:"missingCells"` // provider/mode/interaction
}

// Share is a part of a whole.
type Share struct {
	Covered int     `json:"covered"`
	Total   int     `json:"total"`
	Percent float64 `json:"percent"` // to one decimal, rounded down; 100 of nothing
}

func (s *Share) add(covered bool) {
	s.Total++
	if covered {
		s.Covered++
	}
	s.Percent = float64(s.Covered*1000/s.Total) / 10
}

func (s Share) String() string {
	return fmt.Sprintf("%d of %d (%.1f%%)", s.Covered, s.Total, s.Percent)
}

// RuleCoverage is what the rows have shown of one rule of the policy.
type RuleCoverage struct {
	Rule      evaluator.Source `json:"rule"`
	Providers []RuleRows       `json:"providers"` // those that it is for
}

// RuleRows counts the rows of a rule on one provider. The rule is covered when
// either number isn't 0: where a provider takes a mode and no rules, no native rule
// comes from it.
type RuleRows struct {
	Provider evaluator.Provider `json:"provider"`
	Governed int                `json:"governed"` // whose Action the rule decides by the policy's words
	Decided  int                `json:"decided"`  // that a native rule made from it decided
}

// Covered reports whether a row has shown the rule on the provider.
func (r RuleRows) Covered() bool { return r.Governed+r.Decided > 0 }

type coverage struct {
	rules []evaluator.Source
	rows  map[ruleKey]*RuleRows // of the rules that apply
	cells map[evaluator.Cell]bool
	order []evaluator.Cell
}

// ruleKey is a rule on a provider. No two rules have one place.
type ruleKey struct {
	rule     evaluator.Source
	provider evaluator.Provider
}

func newCoverage(p *policies.Policy, o Options) *coverage {
	c := &coverage{rows: map[ruleKey]*RuleRows{}, cells: map[evaluator.Cell]bool{}}
	for _, d := range o.Dialects {
		for _, mode := range o.Modes {
			for _, interaction := range o.Interactions {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				c.order = append(c.order, cell)
				for _, r := range compiler.Lower(p, cell).Rules {
					if r.Match != compiler.PlanFiles || len(d.PlanFiles(d.Env(interaction, policies.Test{}.Session()))) > 0 {
						c.rows[ruleKey{r.Source, cell.Provider}] = &RuleRows{Provider: cell.Provider}
					}
				}
			}
		}
	}
	for _, list := range lists(p) {
		for _, r := range list {
			c.rules = append(c.rules, r.Source)
		}
	}
	return c
}

// lists are the policy's lists of rules, in its order.
func lists(p *policies.Policy) [][]policies.Rule {
	var out [][]policies.Rule
	for _, m := range evaluator.Modes() {
		out = append(out, p.Modes[m].Rules)
	}
	out = append(out, p.Rules)
	for _, i := range evaluator.Interactions() {
		out = append(out, p.Interactions[i])
	}
	return out
}

// row counts a row: what decided it, and what the policy says of it. A native
// request isn't in the policy's words.
func (c *coverage) row(in compiler.Intent, env evaluator.Env, a evaluator.Action, v evaluator.Verdict) {
	c.cells[in.Cell] = true
	if v.Rule != nil && v.Rule.Source != nil {
		if rows := c.rows[ruleKey{*v.Rule.Source, in.Cell.Provider}]; rows != nil {
			rows.Decided++
		}
	}
	if a.Kind == evaluator.Native {
		return
	}
	for _, rule := range governing(in, env, a) {
		if rows := c.rows[ruleKey{rule.Source, in.Cell.Provider}]; rows != nil {
			rows.Governed++
		}
	}
}

// governing lists the rules that an Action comes to by the policy's words: that of
// its kind and, for a path outside of the workspace, that of outside-workspace,
// unless one of the two is stricter.
func governing(in compiler.Intent, env evaluator.Env, a evaluator.Action) []*compiler.Rule {
	all := in.Want(a, env)
	if all.Rule == nil {
		return nil
	}
	inside := in
	inside.Rules = slices.DeleteFunc(slices.Clone(in.Rules), func(r compiler.Rule) bool { return r.Kind == evaluator.OutsideWorkspace })
	var out []*compiler.Rule
	for _, r := range []*compiler.Rule{inside.Want(a, env).Rule, in.Outside(a, env)} {
		if r != nil && r.Effect == all.Effect {
			out = append(out, r)
		}
	}
	return out
}

func (c *coverage) sum() *Coverage {
	out := &Coverage{Cells: Share{Percent: 100}, Rules: Share{Percent: 100}}
	for _, cell := range c.order {
		out.Cells.add(c.cells[cell])
		if !c.cells[cell] {
			out.MissingCells = append(out.MissingCells, cell.String())
		}
	}
	for _, rule := range c.rules {
		each := RuleCoverage{Rule: rule}
		for _, p := range evaluator.Providers() {
			if rows := c.rows[ruleKey{rule, p}]; rows != nil {
				out.Rules.add(rows.Covered())
				each.Providers = append(each.Providers, *rows)
			}
		}
		if len(each.Providers) > 0 {
			out.Each = append(out.Each, each)
		}
	}
	return out
}

// missing lists the providers on which no row has shown the rule.
func (r RuleCoverage) missing() []string {
	var out []string
	for _, rows := range r.Providers {
		if !rows.Covered() {
			out = append(out, string(rows.Provider))
		}
	}
	return out
}

package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// gapKey tells gaps apart.
type gapKey struct {
	id        string
	direction evaluator.Direction
}

// gapIn is a gap in one cell, with an Action that shows it; nil where none does.
type gapIn struct {
	cell  *audited
	gap   evaluator.Gap
	shown *Shown
}

// gaps joins the cells' gaps: one for each id and direction, and a finding about it,
// or about all those that the policy accepts as one family.
func (b *builder) gaps(ctx context.Context) error {
	var order []gapKey
	all := map[gapKey][]gapIn{}
	for _, c := range b.cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		shown := c.witnesses()
		for _, g := range c.gaps {
			k := gapKey{g.ID, g.Direction}
			if all[k] == nil {
				order = append(order, k)
			}
			all[k] = append(all[k], gapIn{c, g, shown[k]})
		}
	}
	var causes []string
	families := map[string][]gapIn{} // the worst of each gap
	for _, k := range order {
		cause := string(k.direction) + " " + b.family(k.id)
		if families[cause] == nil {
			causes = append(causes, cause)
		}
		families[cause] = append(families[cause], b.gap(all[k], gapKind(k.direction)+"."+b.family(k.id)))
	}
	for _, cause := range causes {
		b.gapFinding(families[cause], all)
	}
	for _, a := range b.policy.Acknowledge {
		id := cmp.Or(a.Gap, a.Invariant)
		provider, _, _ := strings.Cut(id, ".")
		if !slices.ContainsFunc(b.Dialects, func(d compiler.Dialect) bool { return string(d.Provider()) == provider }) {
			continue
		}
		seen := slices.ContainsFunc(order, func(k gapKey) bool {
			return accepted(b.policy, k.id) != nil && accepted(b.policy, k.id).Source == a.Source
		})
		b.report.Acknowledgements = append(b.report.Acknowledgements, Acknowledgement{id, a.Reason, a.Source, seen})
	}
	return nil
}

// family is the id by which a policy accepts a gap together with others, or the
// gap's own.
func (b *builder) family(id string) string {
	if a := accepted(b.policy, id); a != nil {
		return a.Gap
	}
	return id
}

// worstOf is the one that lets most happen, the first of equals.
func worstOf(list []gapIn) gapIn {
	worst := list[0]
	for _, one := range list[1:] {
		if one.looseness() > worst.looseness() {
			worst = one
		}
	}
	return worst
}

// gap reports one gap of some cells, and returns the worst of them.
func (b *builder) gap(list []gapIn, finding string) gapIn {
	worst := worstOf(list)
	g := worst.gap
	out := Gap{
		ID: g.ID, Provider: worst.cell.Provider, Kind: g.Kind, Direction: g.Direction, Want: g.Want, Reason: g.Reason, Source: g.Source,
		Acknowledged: acceptance(accepted(b.policy, g.ID)), Finding: finding,
	}
	for _, one := range list {
		i := slices.IndexFunc(out.Got, func(o GotIn) bool { return o.Effect == one.gap.Got })
		if i < 0 {
			i = len(out.Got)
			out.Got = append(out.Got, GotIn{Effect: one.gap.Got})
		}
		out.Got[i].Cells = append(out.Got[i].Cells, one.cell.String())
	}
	b.report.Gaps = append(b.report.Gaps, out)
	return worst
}

// gapFinding is the finding about one gap, or a family of them, each with its worst
// cell.
func (b *builder) gapFinding(family []gapIn, all map[gapKey][]gapIn) {
	worst := worstOf(family)
	g := worst.gap
	f := b.finding(gapKind(g.Direction), gapKind(g.Direction)+"."+b.family(g.ID), gapTitle(worst, len(family)))
	f.Reason, f.Source, f.Acknowledged, f.Shown = g.Reason, g.Source, acceptance(accepted(b.policy, g.ID)), worst.shown
	f.Providers = []evaluator.Provider{worst.cell.Provider}
	switch {
	case f.Acknowledged != nil:
		f.Instead = "See whether the reason still holds. Else change the rule or the provider's profile, or don't offer the mode on this provider."
	case g.Direction == evaluator.Wider:
		f.Instead = fmt.Sprintf("Change the rule or the provider's profile, don't offer the mode on this provider, or acknowledge it: {gap: %s, reason: …}.", g.ID)
	}
	if g.Direction == evaluator.Wider && worst.looseness() < looseness(evaluator.Allow, evaluator.Unconfined) {
		f.Severity = lint.Warning
	}
	switch {
	case worst.shown == nil:
		f.Reason += " (declared by the dialect: no Action that was tried shows it)"
	case !strings.HasPrefix(g.Reason, compiler.Describe(worst.shown.Witness)+": ") && !strings.HasSuffix(g.Reason, worst.shown.Reason):
		f.Reason += ". Of the witness: " + worst.shown.Reason // the gap's reason is of another Action
	}
	for _, one := range family {
		f.Gaps = append(f.Gaps, one.gap.ID)
		for _, in := range all[gapKey{one.gap.ID, one.gap.Direction}] {
			if name := in.cell.String(); !slices.Contains(f.Cells, name) {
				f.Cells = append(f.Cells, name)
			}
		}
	}
	b.add(f)
}

// looseness orders a gap's cells: by what the witness comes to, or else by what the
// gap says.
func (g gapIn) looseness() int {
	if g.shown != nil {
		return g.shown.looseness()
	}
	return looseness(g.gap.Got, evaluator.Unconfined)
}

func gapKind(d evaluator.Direction) string {
	switch d {
	case evaluator.Wider:
		return kindWider
	case evaluator.Narrower:
		return kindNarrower
	}
	return kindUnknown
}

// gapTitle says what one gap is, of as many as are found together.
func gapTitle(worst gapIn, together int) string {
	g := worst.gap
	what := fmt.Sprintf("%s on %s", g.Kind, worst.cell.Provider)
	if together > 1 {
		what = fmt.Sprintf("%s, by %d rules", what, together)
	}
	if g.Direction != evaluator.Wider && g.Direction != evaluator.Narrower {
		return fmt.Sprintf("%s: the policy says %s, and what happens can't be predicted", what, g.Want)
	}
	effect := g.Got.String()
	if worst.shown != nil {
		effect = worst.shown.outcomeText()
	}
	return fmt.Sprintf("%s: the policy says %s, and it comes to %s", what, g.Want, effect)
}

// outcomeText is an effect with its confinement.
func (o Outcome) outcomeText() string { return effectText(o.Effect, o.Confinement) }

func effectText(e evaluator.Effect, c evaluator.Confinement) string {
	if e == evaluator.Allow && c != evaluator.Unconfined {
		return fmt.Sprintf("%s (%s sandbox)", e, c)
	}
	return e.String()
}

// witnesses finds the Actions that show a cell's gaps best: of a wider one the
// loosest outcome, of a narrower one the strictest, and the shortest Action that
// has it.
func (c *audited) witnesses() map[gapKey]*Shown {
	out := map[gapKey]*Shown{}
	for _, s := range c.probed {
		if s.Policy == nil || s.Policy.Direction == "" {
			continue
		}
		k := gapKey{s.gap, s.Policy.Direction}
		if out[k] == nil || better(s.Shown, out[k], k.direction) {
			out[k] = s.Shown
		}
	}
	return out
}

func better(s, than *Shown, d evaluator.Direction) bool {
	by := s.looseness() - than.looseness()
	if d == evaluator.Narrower {
		by = -by
	}
	return by > 0 || by == 0 && len(jsonText(s.Witness)) < len(jsonText(than.Witness))
}

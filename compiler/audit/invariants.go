package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// invariants finds the invariants that don't hold in the audited cells. They are
// checked over all cells of the providers in the session that is made up.
func (b *builder) invariants(ctx context.Context) error {
	if b.Invariants == nil {
		b.unchecked("invariants", "This report was made without invariants", "the program that made the report has none")
		return nil
	}
	found, err := b.Invariants(ctx, b.lenient, b.Dialects)
	var list diag.List
	switch {
	case errors.As(err, &list):
		b.unchecked("invariants", "The invariants weren't checked", "a cell of the policy has no settings: "+list[0].Message)
		return nil
	case err != nil:
		return err
	}
	for _, one := range found {
		if err := b.invariant(one); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) unchecked(what, title, reason string) {
	f := b.finding(kindUnchecked, kindUnchecked+"."+what, title)
	f.Reason = reason
	b.add(f)
}

func (b *builder) invariant(v Broken) error {
	for i := range b.report.Acknowledgements {
		if a := &b.report.Acknowledgements[i]; a.ID == v.ID {
			a.Seen = true
		}
	}
	cells := slices.DeleteFunc(slices.Clone(v.Cells), func(name string) bool { return b.cell(name) == nil })
	if len(cells) == 0 {
		return nil
	}
	title := v.Title
	if title == "" {
		title = v.ID
	}
	f := b.finding(kindInvariant, kindInvariant+"."+v.ID, fmt.Sprintf("It doesn't hold on %s: %s", v.Cell.Provider, title))
	f.Providers, f.Cells, f.Reason = []evaluator.Provider{v.Cell.Provider}, cells, v.Message
	f.Acknowledged = acceptance(v.Acknowledged)
	if f.Acknowledged == nil {
		f.Instead = strings.Replace(f.Instead, "by its id with a reason", fmt.Sprintf("{invariant: %s, reason: …}", v.ID), 1)
	}
	at := b.cell(v.Cell.String())
	if at == nil {
		at = b.cell(cells[0]) // the cell with the witness isn't audited, and another one is
	}
	shown, err := b.inMadeUp(at, v.Witness)
	if err != nil {
		return err
	}
	f.Shown = shown
	if shown.Policy != nil {
		source := shown.Policy.Source
		f.Source = &source
		if id := at.gapOf(v.Witness); slices.ContainsFunc(at.gaps, func(g evaluator.Gap) bool { return g.ID == id }) {
			f.Gaps = []string{id}
		}
	}
	b.add(f)
	return nil
}

// inMadeUp evaluates an Action in the session that invariants are checked in, and
// on the version that they are checked on.
func (b *builder) inMadeUp(c *audited, a evaluator.Action) (*Shown, error) {
	if sameEnv(b.Env, MadeUpEnv) && c.version == c.dialect.Versions()[0] {
		return c.show(a, nil)
	}
	env, usual := MadeUpEnv, *b
	usual.Version = ""
	other, err := usual.compile(c.dialect, c.Cell, env)
	if err != nil {
		return nil, err
	}
	return other.show(a, &env)
}

func (b *builder) cell(name string) *audited {
	i := slices.IndexFunc(b.cells, func(c *audited) bool { return c.String() == name })
	if i < 0 {
		return nil
	}
	return b.cells[i]
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// brokenInvariants finds the invariants that don't hold in the chosen cells, and
// that the policy doesn't acknowledge. A policy of which a cell doesn't compile has
// no matrix to check them over.
func brokenInvariants(c checked) ([]lint.Finding, error) {
	if len(c.cells) == 0 || len(c.cells) < len(c.chosen) {
		return nil, nil
	}
	found, unneeded, err := checkInvariants(context.Background(), c.policy, c.dialects(), c.invariants)
	var list diag.List
	switch {
	case errors.As(err, &list):
		f := lint.New("invariant", c.top(), "the invariants aren't checked: a cell that wasn't chosen doesn't compile", "check every mode and interaction mode")
		f.Severity = lint.Note
		return []lint.Finding{f}, nil
	case err != nil:
		return nil, err
	}
	var out []lint.Finding
	for _, b := range found {
		cells := slices.DeleteFunc(slices.Clone(b.Cells), func(name string) bool { return !c.has(name) })
		if b.Acknowledged != nil || len(cells) == 0 {
			continue
		}
		f := lint.New("invariant", c.decides(b.Shown.Cell, b.Shown.Action),
			fmt.Sprintf("the invariant %s doesn't hold: %s (%s)", b.ID, b.Shown.Message, actionText(b.Shown.Action)),
			fmt.Sprintf("change what decides there, or acknowledge it: {invariant: %s, reason: …}", b.ID))
		f.Providers, f.Cells = []evaluator.Provider{b.Shown.Cell.Provider}, cells
		out = append(out, f)
	}
	for _, a := range unneeded {
		provider, _, _ := strings.Cut(a.Invariant, ".")
		if a.Source.File != c.policy.Files[len(c.policy.Files)-1] || !c.whole(evaluator.Provider(provider)) {
			continue // a base acknowledges what it breaks itself
		}
		out = append(out, lint.New("unneeded-acknowledgement", a.Source,
			fmt.Sprintf("the invariant %s is acknowledged, and it holds, or there is none", a.Invariant), "remove the acknowledgement"))
	}
	return out, nil
}

// dialects are those of the chosen cells.
func (c checked) dialects() []compiler.Dialect {
	var out []compiler.Dialect
	for _, one := range c.chosen {
		if len(out) == 0 || out[len(out)-1].Provider() != one.Provider {
			out = append(out, one.dialect)
		}
	}
	return out
}

// has reports whether a cell is chosen.
func (c checked) has(name string) bool {
	return slices.ContainsFunc(c.chosen, func(one cell) bool { return one.String() == name })
}

// whole reports whether every cell of a provider is chosen.
func (c checked) whole(p evaluator.Provider) bool {
	n := 0
	for _, one := range c.chosen {
		if one.Provider == p {
			n++
		}
	}
	return n == len(evaluator.Modes())*len(evaluator.Interactions())
}

// decides is the line of the policy that decides an Action in a cell; where none
// does, the mode's, or the policy's first.
func (c checked) decides(at evaluator.Cell, a evaluator.Action) evaluator.Source {
	if one := c.compiled[at]; one != nil {
		if v, err := one.Evaluate(a, false); err == nil && v.Rule != nil && v.Rule.Source != nil && v.Rule.Source.File != "" {
			return *v.Rule.Source
		}
	}
	if mode, ok := c.policy.Modes[at.Mode]; ok {
		return mode.Source
	}
	return c.top()
}

// top is the beginning of the policy's last file.
func (c checked) top() evaluator.Source {
	return evaluator.Source{File: c.policy.Files[len(c.policy.Files)-1], Line: 1, Column: 1}
}

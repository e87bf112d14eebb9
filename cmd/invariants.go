package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator/rego"
	"github.com/modegate/modegate/policies"
)

// broken is an invariant that doesn't hold on one provider.
type broken struct {
	ID           string                    // provider.invariant: what a policy acknowledges
	Shown        rego.Violation            // in the first cell, with a witness
	Cells        []string                  // all of them
	Acknowledged *policies.Acknowledgement // nil when the policy doesn't accept it
}

// invariants are those that are shipped and those of the user's folders. The
// error is a diag.List of everything that is wrong with them.
func invariants(dirs []string) (*rego.Invariants, error) {
	sources := []rego.Source{{Name: policies.InvariantsName, Files: policies.Invariants()}}
	for _, dir := range dirs {
		sources = append(sources, rego.Folder(dir))
	}
	return rego.LoadInvariants(sources...)
}

// checkInvariants runs invariants over every cell that a policy has on the
// providers. unneeded are the acknowledgements of invariants that hold, or that
// aren't there. The error is that the policy doesn't compile, or that an invariant
// can't be checked.
func checkInvariants(ctx context.Context, p *policies.Policy, dialects []compiler.Dialect, in *rego.Invariants) (found []broken, unneeded []policies.Acknowledgement, err error) {
	m, err := compiler.NewMatrix(p, dialects)
	if err != nil {
		return nil, nil, err
	}
	violations, err := in.Check(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range violations {
		id := fmt.Sprintf("%s.%s", v.Cell.Provider, v.Invariant)
		i := slices.IndexFunc(found, func(b broken) bool { return b.ID == id })
		if i < 0 {
			i = len(found)
			found = append(found, broken{ID: id, Shown: v})
		}
		if cell := v.Cell.String(); !slices.Contains(found[i].Cells, cell) {
			found[i].Cells = append(found[i].Cells, cell)
		}
	}
	for i := range p.Acknowledge {
		a := &p.Acknowledge[i]
		if a.Invariant == "" {
			continue
		}
		at := slices.IndexFunc(found, func(b broken) bool { return b.ID == a.Invariant })
		if at < 0 {
			unneeded = append(unneeded, *a)
			continue
		}
		found[at].Acknowledged = a
	}
	return found, unneeded, nil
}

package compiler

import (
	"errors"

	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Validate reports everything that is wrong with the provider profiles of a policy.
// The error is a diag.List.
func Validate(p *policies.Policy, dialects []Dialect) error {
	var r policies.Reader
	for _, d := range dialects {
		if n := p.Profiles[d.Provider()]; n != nil {
			d.CheckProfile(&r, n)
		}
	}
	return p.Show(r.Problems).Err()
}

// show gives the problems in an error the lines that they are about.
func show(p *policies.Policy, err error) error {
	var list diag.List
	if errors.As(err, &list) {
		return p.Show(list).Err()
	}
	return err
}

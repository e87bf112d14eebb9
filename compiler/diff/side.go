package diff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Side is one of the two that are compared: settings by cell.
type Side struct {
	Name   string // as reports show it
	Digest string // of the policy, "" when its cells come from several
	cells  map[evaluator.Cell]*settings
}

// settings are what one cell means on one side.
type settings struct {
	set     compiler.RuleSet
	meaning evaluator.Meaning
	intent  *compiler.Intent // nil for settings without their policy
	env     evaluator.Env
}

// Options say in which cells and sessions both sides are compared.
type Options struct {
	Dialects     []compiler.Dialect
	Modes        []evaluator.Mode
	Interactions []evaluator.Interaction
	Version      string        // the provider's version, "" for each dialect's default
	Env          evaluator.Env // the session of both sides
}

func (o Options) has(c evaluator.Cell) (compiler.Dialect, bool) {
	i := slices.IndexFunc(o.Dialects, func(d compiler.Dialect) bool { return d.Provider() == c.Provider })
	if i < 0 || !slices.Contains(o.Modes, c.Mode) || !slices.Contains(o.Interactions, c.Interaction) {
		return nil, false
	}
	return o.Dialects[i], true
}

// add reads the native settings of one cell, in a session that runs the agent that
// they are for.
func (s *Side) add(d compiler.Dialect, set compiler.RuleSet, o Options) (*settings, error) {
	env := o.Env
	if env.Agent == "" {
		env.Agent = set.Agent
	}
	one := &settings{set: set, env: d.Env(set.Interaction, env)}
	var err error
	one.meaning, err = d.Read(set.Native, compiler.Setting{Version: o.Version, Env: one.env})
	if err != nil {
		return nil, err
	}
	s.cells[set.Cell()] = one
	return one, nil
}

// OfPolicy compiles the chosen cells of a policy. The error is a [diag.List] of
// what every cell that can't be compiled lacks, or the context's.
func OfPolicy(ctx context.Context, name string, p *policies.Policy, o Options) (*Side, error) {
	s := &Side{Name: name, Digest: p.Digest, cells: map[evaluator.Cell]*settings{}}
	var problems diag.List
	for _, d := range o.Dialects {
		for _, mode := range o.Modes {
			for _, interaction := range o.Interactions {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if err := s.compile(d, p, cell, o); err != nil {
					problems = append(problems, listed(name, cell, err)...)
				}
			}
		}
	}
	return s, problems.Err()
}

func (s *Side) compile(d compiler.Dialect, p *policies.Policy, cell evaluator.Cell, o Options) error {
	c, err := compiler.Compile(p, d, cell, compiler.Options{Env: o.Env, Version: o.Version})
	if err != nil {
		return err
	}
	one, err := s.add(d, c.RuleSet, o)
	if err != nil {
		return err
	}
	in := compiler.Lower(p, cell)
	in.PlanFiles = d.PlanFiles(one.env)
	one.intent = &in
	return nil
}

func listed(name string, cell evaluator.Cell, err error) diag.List {
	var list diag.List
	if errors.As(err, &list) {
		return list
	}
	message := strings.TrimPrefix(err.Error(), cell.String()+": ")
	return diag.List{{File: name, Message: fmt.Sprintf("%s: %s", cell, message)}}
}

// OfRuleSets reads the chosen cells of compiled RuleSets. The error is a
// [diag.List].
func OfRuleSets(name string, sets []compiler.RuleSet, o Options) (*Side, error) {
	s := &Side{Name: name, cells: map[evaluator.Cell]*settings{}}
	var problems diag.List
	for i, set := range sets {
		if i == 0 {
			s.Digest = set.Policy.Digest
		} else if s.Digest != set.Policy.Digest {
			s.Digest = ""
		}
		if d, ok := o.has(set.Cell()); ok {
			if _, err := s.add(d, set, o); err != nil {
				problems = append(problems, listed(name, set.Cell(), err)...)
			}
		}
	}
	return s, problems.Err()
}

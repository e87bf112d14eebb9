package suite

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// Options choose what runs. A test runs in the cells that both it and the options
// choose.
type Options struct {
	Dialects     []compiler.Dialect
	Modes        []evaluator.Mode
	Interactions []evaluator.Interaction
	Name         *regexp.Regexp // of the tests' names; nil: all
	Version      string         // the provider's version, "" for each dialect's default
	Coverage     bool
}

// Run runs the suites of one policy. The error is a [diag.List]: a cell that can't
// be compiled, or a test that can't be asked there. Then there is no outcome,
// because a test that didn't run mustn't look like one that did.
func Run(p *policies.Policy, suites []*policies.Suite, o Options) (*Outcome, error) {
	r := runner{policy: p, options: o, cells: map[cellKey]*compiled{}}
	out := &Outcome{Policy: compiler.PolicyRef{Name: p.Name, Digest: p.Digest}}
	r.coverage = newCoverage(p, o)
	for _, s := range suites {
		results := Results{File: s.File}
		for i := range s.Tests {
			if t := &s.Tests[i]; o.Name == nil || o.Name.MatchString(t.Name) {
				r.test(s, t, &results)
			}
		}
		out.add(results.Counts)
		out.Suites = append(out.Suites, results)
	}
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	if o.Coverage {
		out.Coverage = r.coverage.sum()
	}
	return out, nil
}

type runner struct {
	policy   *policies.Policy
	options  Options
	cells    map[cellKey]*compiled
	coverage *coverage
	problems diag.List
}

// cellKey is a cell in one session.
type cellKey struct {
	evaluator.Cell
	env string
}

// compiled is a cell that was compiled for a session, or why it can't be.
type compiled struct {
	*compiler.Compiled
	intent compiler.Intent
	env    evaluator.Env
	failed bool
}

// test runs one test in every cell that it chooses.
func (r *runner) test(s *policies.Suite, t *policies.Test, results *Results) {
	for _, d := range r.options.Dialects {
		if !slices.Contains(t.Providers, d.Provider()) {
			continue
		}
		for _, mode := range r.options.Modes {
			for _, interaction := range r.options.Interactions {
				if !slices.Contains(t.Modes, mode) || !slices.Contains(t.Interactions, interaction) {
					continue
				}
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				row := Result{
					Test: t.Name, Source: t.Source, Provider: evaluator.ProviderVersion{Name: cell.Provider, Version: r.version(d)},
					Mode: mode, Interaction: interaction, Action: t.Action, files: files{r.policy, s},
				}
				if r.row(d, cell, s, t, &row) {
					results.count(row.Status)
					results.Results = append(results.Results, row)
				}
			}
		}
	}
}

func (r *runner) version(d compiler.Dialect) string {
	if r.options.Version != "" {
		return r.options.Version
	}
	return d.Versions()[0]
}

// row runs a test in one cell. It returns false when the test can't be asked
// there, which is then a problem.
func (r *runner) row(d compiler.Dialect, cell evaluator.Cell, s *policies.Suite, t *policies.Test, row *Result) bool {
	if t.Skip != "" {
		row.Status, row.Skip = Skipped, t.Skip
		return true
	}
	c := r.compile(d, cell, s, t)
	if c.failed {
		return false
	}
	v, err := c.Evaluate(t.Action, false)
	if err != nil {
		r.refuse(s, t, fmt.Sprintf("%s can't be asked this: %s", cell, err))
		return false
	}
	row.Got = &Got{Effect: v.Effect, Confinement: v.Confinement, Decider: v.Decider, Enforcer: v.Enforcer, Reason: v.Reason, Rule: v.Rule}
	r.coverage.row(c.intent, c.env, t.Action, v)
	row.Status = Passed
	if missed := missed(t.Expect, v); len(missed) > 0 {
		row.Status = Failed
		row.Failure = r.failure(c, t, v, missed)
	}
	return true
}

// compile compiles a cell for the test's session, once.
func (r *runner) compile(d compiler.Dialect, cell evaluator.Cell, s *policies.Suite, t *policies.Test) *compiled {
	session := t.Session()
	text, err := strictjson.Encode(session)
	if err != nil {
		r.refuse(s, t, "env: "+err.Error())
		return &compiled{failed: true}
	}
	key := cellKey{cell, string(text)}
	if c, ok := r.cells[key]; ok {
		return c
	}
	c := &compiled{intent: compiler.Lower(r.policy, cell), env: d.Env(cell.Interaction, session)}
	c.intent.PlanFiles = d.PlanFiles(c.env)
	c.Compiled, err = compiler.Compile(r.policy, d, cell, compiler.Options{Env: session, Version: r.options.Version})
	if err != nil {
		c.failed = true
		var problems diag.List
		if errors.As(err, &problems) {
			r.problems = append(r.problems, problems...)
		} else {
			r.refuse(s, t, fmt.Sprintf("%s can't be compiled for this test's session: %s", cell, err))
		}
	}
	r.cells[key] = c
	return c
}

func (r *runner) refuse(s *policies.Suite, t *policies.Test, message string) {
	p := diag.Problem{File: t.Source.File, Line: t.Source.Line, Column: t.Source.Column, Message: message}
	r.problems = append(r.problems, s.Show(diag.List{p})...)
}

package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// snapshot is everything that is said about one policy. It never changes, but
// for the caches, which only remember.
type snapshot struct {
	policy  *policies.Policy
	header  []string // the policy's digest as a header's value
	loaded  time.Time
	cells   map[evaluator.Cell]*cell
	order   []*cell // as reports show them
	matrix  []byte
	changed chan struct{} // closed when another snapshot is in force
	byEnv   envCache
	quick   map[quickKey]*quickCell
	audited auditCache
}

// cell is one compiled cell with its encoded RuleSet.
type cell struct {
	evaluator.Cell
	dialect  compiler.Dialect
	compiled *compiler.Compiled
	body     []byte
	etag     []string
	samples  []sample
}

// build compiles every cell of a policy. It stops between two cells when the
// context ends.
func (s *Server) build(ctx context.Context, p *policies.Policy) (*snapshot, error) {
	if err := compiler.Validate(p, s.Dialects); err != nil {
		return nil, err
	}
	snap := &snapshot{
		policy: p, header: []string{p.Digest}, loaded: time.Now().UTC().Truncate(time.Second),
		cells: map[evaluator.Cell]*cell{}, changed: make(chan struct{}), quick: map[quickKey]*quickCell{},
	}
	var problems diag.List
	for _, d := range s.Dialects {
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				c, err := s.cell(p, d, evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction})
				var list diag.List
				switch {
				case errors.As(err, &list):
					problems = append(problems, list...)
				case err != nil:
					problems = append(problems, diag.Problem{Message: err.Error()})
				default:
					snap.add(c)
				}
			}
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	var err error
	snap.matrix, err = snap.encodeMatrix()
	return snap, err
}

func (snap *snapshot) add(c *cell) {
	snap.cells[c.Cell] = c
	snap.order = append(snap.order, c)
	if q := newQuickCell(c); q != nil {
		snap.quick[quickKey{string(c.Provider), string(c.Mode), string(c.Interaction)}] = q
	}
}

func (s *Server) cell(p *policies.Policy, d compiler.Dialect, at evaluator.Cell) (*cell, error) {
	compiled, err := s.compile(p, d, at, evaluator.Env{}, "")
	if err != nil {
		return nil, err
	}
	c := &cell{Cell: at, dialect: d, compiled: compiled}
	if c.body, err = strictjson.Encode(compiled.RuleSet); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	c.etag = []string{etag(compiled.RuleSet.Digest)}
	c.samples, err = judgeSamples(p, c)
	return c, err
}

func (s *Server) compile(p *policies.Policy, d compiler.Dialect, at evaluator.Cell, env evaluator.Env, version string) (*compiler.Compiled, error) {
	return compiler.Compile(p, d, at, compiler.Options{Env: env, Version: version, Proofs: s.proofs(d)})
}

func (s *Server) proofs(d compiler.Dialect) func(version string) []evaluator.Proof {
	return func(version string) []evaluator.Proof {
		if s.Proofs == nil {
			return nil
		}
		return s.Proofs(d, version)
	}
}

// etag is a digest as a strong entity tag.
func etag(digest string) string { return `"` + digest + `"` }

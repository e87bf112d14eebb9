package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Compiled is a RuleSet together with what it means.
type Compiled struct {
	RuleSet RuleSet
	version string
	meaning evaluator.Meaning
}

// Options are the inputs of Compile that aren't policy.
type Options struct {
	Env     evaluator.Env
	Version string // the provider's version, "" for the dialect's default
	Proofs  func(version string) []evaluator.Proof
}

// Compile writes one cell in the provider's dialect, reads the bytes back and
// compares them with the Intent. A wider gap that the policy doesn't acknowledge
// by id is an error of type diag.List that names the rule's place.
func Compile(p *policies.Policy, d Dialect, cell evaluator.Cell, o Options) (*Compiled, error) {
	env := d.Env(cell.Interaction, o.Env)
	in := Lower(p, cell)
	in.PlanFiles = d.PlanFiles(env)
	w, err := d.Write(in, env)
	if err != nil {
		return nil, show(p, err)
	}
	version := o.Version
	if version == "" {
		version = d.Versions()[0]
	}
	meaning, err := d.Read(w.Native, Setting{Version: version, Env: env})
	if err != nil {
		return nil, fmt.Errorf("%s: the settings that were written can't be read back: %w", cell, err)
	}
	declared, found, err := Compare(d, in, Setting{Version: version, Env: env})
	if err != nil {
		return nil, err
	}
	gaps := explained(found, declared)
	if err := acknowledge(p, cell, gaps); err != nil {
		return nil, show(p, err)
	}
	set := RuleSet{
		Provider: cell.Provider, Mode: cell.Mode, Interaction: cell.Interaction,
		Policy: in.Policy, Digest: digest(cell, w.Native), Native: w.Native, Agent: w.Agent,
		Sources: w.Sources, Gaps: gaps, Assumed: w.Assumed,
	}
	if o.Proofs != nil {
		set.Proof = o.Proofs(version)
	}
	return &Compiled{RuleSet: set, version: version, meaning: meaning}, nil
}

// Evaluate answers one Action under the compiled settings.
func (c *Compiled) Evaluate(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	v, err := evaluator.Evaluate(c.meaning, a, explain)
	if err != nil {
		return v, err
	}
	v.Policy = c.RuleSet.Policy.Digest
	v.Mode, v.Interaction = c.RuleSet.Mode, c.RuleSet.Interaction
	v.Proof = c.RuleSet.Proof
	for _, g := range c.RuleSet.Gaps {
		if g.Kind == a.Kind || g.Kind == evaluator.AnyKind || g.Kind == evaluator.OutsideWorkspace && a.Path != "" {
			v.Gaps = append(v.Gaps, g)
		}
	}
	places := map[string]evaluator.Source{}
	for _, s := range c.RuleSet.Sources {
		places[s.Pointer] = s.Source
	}
	v.EachRule(func(pointer string) *evaluator.Source {
		if s, ok := places[pointer]; ok {
			return &s
		}
		return nil
	})
	return v, nil
}

// explained joins the gaps that were found and those that the writer declared,
// whose reasons are the better ones. A gap that only one of the two has is kept:
// a writer may have overlooked it, or the probes missed it.
func explained(found, declared []evaluator.Gap) []evaluator.Gap {
	out := slices.Clone(declared)
	for _, f := range found {
		same := func(d evaluator.Gap) bool { return d.ID == f.ID && d.Direction == f.Direction }
		if !slices.ContainsFunc(declared, same) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b evaluator.Gap) int {
		return strings.Compare(a.ID+string(a.Direction), b.ID+string(b.Direction))
	})
	return out
}

// Advice ends the message of a wider gap, before the form of an acknowledgement.
const Advice = "change the rule, or acknowledge it"

// acknowledge marks the gaps that the policy accepts and refuses the wider ones
// that it doesn't. Those of several cells are one problem when they differ in
// nothing else.
func acknowledge(p *policies.Policy, cell evaluator.Cell, gaps []evaluator.Gap) error {
	var problems diag.List
	for i := range gaps {
		g := &gaps[i]
		g.Acknowledged = slices.ContainsFunc(p.Acknowledge, func(a policies.Acknowledgement) bool { return a.Accepts(g.ID) })
		if g.Acknowledged || g.Direction != evaluator.Wider {
			continue
		}
		at := evaluator.Source{}
		if g.Source != nil {
			at = *g.Source
		}
		problems = append(problems, diag.Problem{
			File: at.File, Line: at.Line, Column: at.Column, In: fmt.Sprintf("%s/%s", cell.Mode, cell.Interaction),
			Message: fmt.Sprintf("gap %s: the policy says %s, the provider does %s: %s; "+Advice+": {gap: %s, reason: …}",
				g.ID, g.Want, g.Got, g.Reason, g.ID),
		})
	}
	return problems.Err()
}

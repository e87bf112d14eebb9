package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Options are the inputs of an audit that aren't policy.
type Options struct {
	Dialects     []compiler.Dialect
	Modes        []evaluator.Mode        // nil: all
	Interactions []evaluator.Interaction // nil: all
	Version      string                  // of the only provider, "" for each dialect's default
	Env          evaluator.Env           // without a workspace or a home folder, made-up ones are taken
	Modegate     string                  // the program's version

	// Evidence says what is proven of a provider's version, nil: nothing is.
	Evidence func(d compiler.Dialect, version string) []Claim
	// Invariants checks a policy's invariants over all cells of the providers, nil:
	// there are none.
	Invariants func(ctx context.Context, p *policies.Policy, d []compiler.Dialect) ([]Broken, error)
	// Since is the earlier policy that changes are counted from, nil: none is.
	Since *diff.Side
}

// Broken is an invariant that doesn't hold on one provider.
type Broken struct {
	ID           string // provider.invariant: what a policy acknowledges
	Title        string
	Message      string // about the first cell
	Cell         evaluator.Cell
	Witness      evaluator.Action
	Cells        []string // all cells in which it doesn't hold
	Acknowledged *policies.Acknowledgement
}

// MadeUpEnv is the session that a policy is judged in when none is given: the one
// that gaps and invariants are found in.
var MadeUpEnv = evaluator.Env{Workspace: "/a-workspace", Home: "/a-home"}

// SessionOf is the session that a policy is judged in when an Env is given, or none.
func SessionOf(env evaluator.Env) evaluator.Env {
	env.Workspace = cmp.Or(env.Workspace, MadeUpEnv.Workspace)
	env.Home = cmp.Or(env.Home, MadeUpEnv.Home)
	return env
}

// builder makes one report.
type builder struct {
	Options
	policy  *policies.Policy
	lenient *policies.Policy // accepts what keeps the policy from compiling
	cells   []*audited
	report  *Report
}

// audited is one cell under audit.
type audited struct {
	evaluator.Cell
	dialect  compiler.Dialect
	version  string
	env      evaluator.Env // of the session, as the dialect completes it
	intent   compiler.Intent
	compiled *compiler.Compiled
	gaps     []evaluator.Gap
	probed   []probed // what the Actions come to that the cell is compared with its Intent on, and the samples
}

// probed is a probe's outcome, with the id of a gap of the rule that speaks of it,
// "" where none does.
type probed struct {
	*Shown
	gap string
}

// Build audits a policy. A policy that doesn't compile is audited all the same:
// what keeps it from compiling is a finding. The error is about the Env, the
// context's, or that something can't be evaluated.
func Build(ctx context.Context, p *policies.Policy, o Options) (*Report, error) {
	if len(o.Env.Grants)+len(o.Env.Saved) > 0 {
		return nil, errors.New("an audit is of what a policy says: leave grants and saved out of the Env")
	}
	o.Env = SessionOf(o.Env)
	if o.Modes == nil {
		o.Modes = evaluator.Modes()
	}
	if o.Interactions == nil {
		o.Interactions = evaluator.Interactions()
	}
	b := &builder{Options: o, policy: p, report: &Report{
		Policy: compiler.PolicyRef{Name: p.Name, Digest: p.Digest}, Files: p.Files, Modegate: o.Modegate, Env: o.Env,
		Samples: Samples(), lines: p.Lines,
	}}
	copied := *p
	b.lenient = &copied
	for _, step := range []func(context.Context) error{
		b.compileAll, b.providers, b.matrix, b.gaps, b.invariants, b.opened, b.users, b.versions, b.samples, b.lint, b.changes,
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	b.finish()
	return b.report, nil
}

// versionOf is the version of a provider that is judged.
func (b *builder) versionOf(d compiler.Dialect) string { return cmp.Or(b.Version, d.Versions()[0]) }

func (b *builder) compileAll(ctx context.Context) error {
	for _, d := range b.Dialects {
		for _, mode := range b.Modes {
			for _, interaction := range b.Interactions {
				if err := ctx.Err(); err != nil {
					return err
				}
				at := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				c, err := b.compile(d, at, b.Env)
				if err != nil {
					b.refused(at, err)
					continue
				}
				c.probe()
				b.cells = append(b.cells, c)
			}
		}
	}
	return nil
}

// compile compiles one cell. Gaps that the policy doesn't accept don't stop it.
func (b *builder) compile(d compiler.Dialect, at evaluator.Cell, env evaluator.Env) (*audited, error) {
	c := &audited{Cell: at, dialect: d, version: b.versionOf(d), env: d.Env(at.Interaction, env), intent: compiler.Lower(b.policy, at)}
	c.intent.PlanFiles = d.PlanFiles(c.env)
	options := compiler.Options{Env: env, Version: c.version}
	var err error
	if c.compiled, err = compiler.Compile(b.lenient, d, at, options); err != nil {
		if !b.accept(c) {
			return nil, err
		}
		if c.compiled, err = compiler.Compile(b.lenient, d, at, options); err != nil {
			return nil, err
		}
	}
	c.gaps = slices.Clone(c.compiled.RuleSet.Gaps)
	for i := range c.gaps {
		c.gaps[i].Acknowledged = accepted(b.policy, c.gaps[i].ID) != nil
	}
	return c, nil
}

// accept has the lenient policy accept the gaps of a cell that the policy itself
// doesn't, and says whether there are any.
func (b *builder) accept(c *audited) bool {
	declared, found, err := compiler.Compare(c.dialect, c.intent, compiler.Setting{Version: c.version, Env: c.env})
	if err != nil {
		return false
	}
	list, more := slices.Clip(b.lenient.Acknowledge), false
	for _, g := range append(declared, found...) {
		if g.Direction == evaluator.Wider && accepted(b.lenient, g.ID) == nil {
			list, more = append(list, policies.Acknowledgement{Gap: g.ID, Reason: "for the audit"}), true
			b.lenient.Acknowledge = list
		}
	}
	return more
}

// accepted finds what a policy accepts a gap by, nil where it doesn't.
func accepted(p *policies.Policy, gap string) *policies.Acknowledgement {
	i := slices.IndexFunc(p.Acknowledge, func(a policies.Acknowledgement) bool { return a.Accepts(gap) })
	if i < 0 {
		return nil
	}
	return &p.Acknowledge[i]
}

func acceptance(a *policies.Acknowledgement) *Accepted {
	if a == nil {
		return nil
	}
	return &Accepted{a.Reason, a.Source}
}

// refused keeps why a cell has no settings; one finding for one reason.
func (b *builder) refused(at evaluator.Cell, err error) {
	for _, f := range lint.Invalid(kindRefused, "", err) {
		message := strings.TrimPrefix(f.Message, at.String()+": ")
		id := fmt.Sprintf("%s.%s.%s", kindRefused, at.Provider, message)
		i := slices.IndexFunc(b.report.Findings, func(o Finding) bool { return o.ID == id })
		if i < 0 {
			i = len(b.report.Findings)
			one := b.finding(kindRefused, id, fmt.Sprintf("%s has no settings for this policy", at.Provider))
			one.Reason, one.Providers = message, []evaluator.Provider{at.Provider}
			if f.File != "" {
				one.Source = &f.Source
			}
			b.report.Findings = append(b.report.Findings, one)
		}
		b.report.Findings[i].Cells = append(b.report.Findings[i].Cells, at.String())
	}
}

// probe evaluates what the cell was compared with its Intent on. What can't be
// evaluated has no answer.
func (c *audited) probe() {
	probes := c.intent.Probes(c.env)
	for _, a := range sampleList() {
		probes = append(probes, compiler.Probe{Action: a})
	}
	for _, p := range probes {
		v, err := c.compiled.Evaluate(p.Action, false)
		if err != nil {
			continue
		}
		one := probed{Shown: c.shown(p.Action, v, nil)}
		w := p.Want(c.intent, c.env)
		if w.Rule != nil {
			one.gap = compiler.NewGap(c.Provider, w.Kind, *w.Rule, "").ID
		}
		if p.Does != nil && w.Rule != nil && (one.Policy == nil || one.Policy.Source != w.Rule.Source) {
			one.Does, one.Policy = p.Does, &Wanted{w.Rule.Effect, w.Against(p.Action, v), w.Rule.Source}
		}
		c.probed = append(c.probed, one)
	}
}

// show evaluates an Action in a cell. The Env is given where it isn't the report's.
func (c *audited) show(a evaluator.Action, env *evaluator.Env) (*Shown, error) {
	v, err := c.compiled.Evaluate(a, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return c.shown(a, v, env), nil
}

func (c *audited) shown(a evaluator.Action, v evaluator.Verdict, env *evaluator.Env) *Shown {
	return &Shown{
		Cell: c.String(), Provider: c.Provider, Version: c.version, Mode: c.Mode, Interaction: c.Interaction,
		Witness: a, Env: env, Policy: c.wanted(a, v), Outcome: outcome(v),
	}
}

// wanted is what the policy says of an Action, nil where no rule speaks of it.
func (c *audited) wanted(a evaluator.Action, v evaluator.Verdict) *Wanted {
	w := c.intent.Want(a, c.env)
	if w.Rule == nil {
		return nil
	}
	return &Wanted{w.Effect, w.Against(a, v), w.Rule.Source}
}

// gapOf is the id that a gap of the rule behind an Action has, "" where no rule
// speaks of it.
func (c *audited) gapOf(a evaluator.Action) string {
	w := c.intent.Want(a, c.env)
	if w.Rule == nil {
		return ""
	}
	return compiler.NewGap(c.Provider, w.Kind, *w.Rule, "").ID
}

// looseness orders outcomes from strict to loose. What isn't known is looser than
// all but what runs unconfined.
func looseness(e evaluator.Effect, c evaluator.Confinement) int {
	n, known := evaluator.Strictness(e, c)
	if !known {
		return -1
	}
	return -2 * n
}

func (o Outcome) looseness() int { return looseness(o.Effect, o.Confinement) }

// runs reports whether an outcome is that the Action happens and nobody is asked.
func (o Outcome) runs() bool { return o.Effect == evaluator.Allow }

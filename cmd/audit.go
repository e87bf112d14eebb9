package cmd

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/evaluator/rego"
	"github.com/modegate/modegate/policies"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	common
	invariants []string
	since      string
	failOn     string
}

func auditCommand() *cobra.Command {
	var a auditFlags
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Report to a security reviewer what a policy comes to, and what proves it",
		Long: `Report to a security reviewer what a policy comes to: the findings, the worst
first, each with an Action that shows it; for every provider, mode and kind of
action what happens, who decides and what enforces it; what can't be expressed;
what changed since an earlier policy, with --since; and what proves it all.

Everything is computed from the settings that the providers are given. A policy
with gaps that it doesn't acknowledge is reported, too: each is a finding. Equal
inputs give equal reports. docs/audit.md says what is looked for, and what the
fields of the JSON are.

-o html is one file without scripts that loads nothing from elsewhere.

The exit code is 0 whatever is found: a report isn't a yes or no. With --fail-on it
is 1 when there is a finding of that severity that the policy doesn't acknowledge.
A policy that can't be read is 2.`,
		Example: `  modegate audit -o html > audit.html
  modegate audit --policy policy.yaml --since builtin/t3code
  modegate audit --policy policy.yaml -o sarif --fail-on error > audit.sarif`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.run(cmd) },
	}
	a.choice(cmd, all)
	f := cmd.Flags()
	f.StringArrayVar(&a.policies, "policy", []string{"builtin/t3code"}, "policy: a file, a folder or builtin/NAME; may be repeated, later ones on top")
	f.StringArrayVar(&a.invariants, "invariants", nil, "a folder with further invariants in Rego; may be repeated")
	f.StringVar(&a.since, "since", "", "an earlier policy, or RuleSets that compile wrote, as for diff: report what changed")
	f.StringVar(&a.failOn, "fail-on", "", "exit 1 on findings that are at least: error, warning, note")
	f.StringVar(&a.workspace, "workspace", "", "the session's folder (default: "+audit.MadeUpEnv.Workspace+")")
	f.StringVar(&a.home, "home", "", "the user's home folder (default: "+audit.MadeUpEnv.Home+")")
	f.StringVar(&a.env, "env", "", "a file with the session's Env as JSON")
	a.addOutput(cmd, "markdown", "html", "json", "sarif")
	return cmd
}

func (a *auditFlags) run(cmd *cobra.Command) error {
	var least lint.Severity
	if a.failOn != "" {
		if err := least.UnmarshalText([]byte(a.failOn)); err != nil {
			return fmt.Errorf("--fail-on: %w", err)
		}
	}
	r, err := a.report(cmd.Context())
	if err != nil {
		return err
	}
	if err := r.Write(cmd.OutOrStdout(), a.output); err != nil {
		return err
	}
	if worst, found := r.Worst(); a.failOn != "" && found && worst >= least {
		return exit{code: exitNo}
	}
	return nil
}

func (a *auditFlags) report(ctx context.Context) (*audit.Report, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	p, err := a.load()
	if err != nil {
		return nil, err
	}
	if a.since != "" {
		o.Since, err = side(ctx, a.since, diff.Options{Dialects: o.Dialects, Modes: o.Modes, Interactions: o.Interactions, Version: o.Version, Env: o.Env})
		if err != nil {
			return nil, fmt.Errorf("--since: %w", err)
		}
	}
	return audit.Build(ctx, p, o)
}

func (a *auditFlags) options() (o audit.Options, err error) {
	if o.Dialects, err = a.dialects(); err != nil {
		return o, err
	}
	if o.Modes, err = choose("mode", a.modes, evaluator.Modes()); err != nil {
		return o, err
	}
	if o.Interactions, err = choose("interaction", a.interactions, evaluator.Interactions()); err != nil {
		return o, err
	}
	if o.Env, err = a.given(); err != nil {
		return o, err
	}
	in, err := invariants(a.invariants)
	if err != nil {
		return o, err
	}
	proven, err := evidence.Embedded()
	if err != nil {
		return o, err
	}
	o.Env = audit.SessionOf(o.Env)
	o.Version, o.Modegate = a.version, programVersion()
	o.Evidence, o.Invariants = claims(proven), broke(in)
	return o, nil
}

// programVersion is that of this build.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// claims reads what is proven of a provider out of the evidence.
func claims(proven evidence.File) func(d compiler.Dialect, version string) []audit.Claim {
	return func(d compiler.Dialect, version string) []audit.Claim {
		var out []audit.Claim
		proofs := proven.Proofs(d, version)
		for i, c := range d.Claims(version) {
			one := audit.Claim{Proof: proofs[i]}
			for _, e := range proven.Of(c.Key) {
				if e.Disagreements > 0 || e.Cases == 0 {
					e.Status = evaluator.Unverified
				}
				one.Runs = append(one.Runs, audit.Run{
					Part: strings.TrimPrefix(strings.TrimPrefix(e.Key, c.Key), "/"), Status: e.Status, By: e.By, Binary: e.Binary,
					Date: e.Date, Cases: e.Cases, Agreements: e.Agreements, Disagreements: e.Disagreements,
				})
			}
			out = append(out, one)
		}
		return out
	}
}

// broke checks invariants for an audit.
func broke(in *rego.Invariants) func(context.Context, *policies.Policy, []compiler.Dialect) ([]audit.Broken, error) {
	return func(ctx context.Context, p *policies.Policy, dialects []compiler.Dialect) ([]audit.Broken, error) {
		found, _, err := checkInvariants(ctx, p, dialects, in)
		if err != nil {
			return nil, err
		}
		var out []audit.Broken
		for _, b := range found {
			out = append(out, audit.Broken{
				ID: b.ID, Title: b.Shown.Title, Message: b.Shown.Message, Cell: b.Shown.Cell, Witness: b.Shown.Action,
				Cells: b.Cells, Acknowledged: b.Acknowledged,
			})
		}
		return out, nil
	}
}

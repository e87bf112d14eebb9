package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/compiler/lint/policylint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/evaluator/rego"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// checkFlags are the flags of check.
type checkFlags struct {
	common
	native     []string
	failOn     string
	invariants []string

	loaded *rego.Invariants
}

// checkers look for faults in a policy that can be read. Another kind of check is
// another line.
var checkers = []func(checked) ([]lint.Finding, error){
	func(c checked) ([]lint.Finding, error) { return policylint.All(c.policy, c.cells), nil },
	brokenInvariants,
}

// checked is one policy under check.
type checked struct {
	policy     *policies.Policy
	invariants *rego.Invariants
	chosen     []cell
	cells      []lint.Cell // in report order, those that compile
	compiled   map[evaluator.Cell]*compiler.Compiled
}

func checkCommand() *cobra.Command { return new(checkFlags).command() }

func (c *checkFlags) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check PATH…",
		Short: "Look for faults in policies and in native settings",
		Long: `Look for faults in policies: what is malformed or doesn't compile, rules that
never decide, patterns that never match, grants that are wider than they look,
invariants that don't hold. Every finding says where, why and what to write instead.

PATH is a policy file, builtin/NAME, or a folder: of policies, when each of its
files has a name, else of the layers of one policy. --native looks for faults in
settings that you have, in the provider's own form: a file, or a folder with such
files, as for eval; it may be repeated, and needs one provider.

The exit code is 1 when an error is found, with --fail-on warning also when a
warning is. -o json and -o sarif are for programs; LINTS.md says what is looked
for, and what the fields of the JSON are.`,
		Example: `  modegate check policy.yaml
  modegate check -p claude --native .claude/settings.json
  modegate check -o sarif policies/ > check.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.choice(cmd, all)
	c.addOutput(cmd, "text", "json", "sarif")
	f := cmd.Flags()
	f.StringArrayVar(&c.native, "native", nil, "a file with native settings, or a folder of such files; - is stdin")
	f.StringArrayVar(&c.invariants, "invariants", nil, "a folder with further invariants in Rego; may be repeated")
	f.StringVar(&c.failOn, "fail-on", lint.Error.String(), "the least severity that makes the exit code 1: error, warning, note")
	f.StringVar(&c.workspace, "workspace", "", "the session's folder (default: not known)")
	f.StringVar(&c.home, "home", "", "the user's home folder (default: not known)")
	f.StringVar(&c.env, "env", "", "a file with the session's Env as JSON")
	return cmd
}

func (c *checkFlags) run(cmd *cobra.Command, args []string) error {
	var least lint.Severity
	if err := least.UnmarshalText([]byte(c.failOn)); err != nil {
		return fmt.Errorf("--fail-on: %w", err)
	}
	r, err := c.report(cmd, args)
	if err != nil {
		return err
	}
	if err := r.print(cmd.OutOrStdout(), c.output); err != nil {
		return err
	}
	if worst, found := lint.Worst(r.Findings); found && worst >= least {
		return exit{code: exitNo}
	}
	return nil
}

// report checks everything that is given. The error is about wrong usage, or input
// that can't be read.
func (c *checkFlags) report(cmd *cobra.Command, args []string) (*checkReport, error) {
	cells := cmd.Flags().Changed("mode") || cmd.Flags().Changed("interaction")
	switch {
	case len(args)+len(c.native) == 0:
		return nil, errors.New("nothing to check: give a policy, or settings with --native; see: modegate check --help")
	case len(args) == 0 && cells:
		return nil, errors.New("-m and -i choose cells of a policy: native settings are what they are")
	}
	var err error
	if c.loaded, err = invariants(c.invariants); err != nil {
		return nil, err
	}
	r := &checkReport{files: diag.Files{}}
	for _, path := range args {
		if err := c.policiesAt(path, r); err != nil {
			return nil, err
		}
	}
	return r, c.nativeFiles(cmd.InOrStdin(), r)
}

// policiesAt checks every policy that a path stands for. The error is about a path
// that can't be read, or about flags.
func (c *checkFlags) policiesAt(path string, r *checkReport) error {
	each, err := policies.Each(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, paths := range each {
		if err := c.policy(paths, r); err != nil {
			return err
		}
	}
	return nil
}

func (c *checkFlags) policy(paths []string, r *checkReport) error {
	s := subject{Name: strings.Join(paths, " ")}
	p, err := policies.Load(paths...)
	if err != nil {
		r.refused(s, err)
		return nil
	}
	if err := compiler.Validate(p, adapters.Table()); err != nil {
		r.refused(s, err)
		return nil
	}
	for _, name := range p.Files {
		r.files[name] = p.Lines(name)
	}
	under := checked{policy: p, invariants: c.loaded, compiled: map[evaluator.Cell]*compiler.Compiled{}}
	found, err := c.compileAll(&under)
	if err != nil {
		return err
	}
	for _, check := range checkers {
		more, err := check(under)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		found = append(found, more...)
	}
	s.Cells = len(under.cells)
	r.add(s, found)
	return nil
}

// compileAll compiles the chosen cells. Those that don't compile are findings.
func (c *checkFlags) compileAll(under *checked) ([]lint.Finding, error) {
	var err error
	if under.chosen, err = c.cells(); err != nil {
		return nil, err
	}
	env, err := c.given()
	if err != nil {
		return nil, err
	}
	var found []lint.Finding
	for _, cell := range under.chosen {
		one, err := compileCell(under.policy, cell, env, c.version)
		if err != nil {
			found = refusals(found, under.policy, cell, err)
			continue
		}
		under.compiled[cell.Cell] = one
		setting := compiler.Setting{Version: c.version, Env: cell.dialect.Env(cell.Interaction, env)}
		under.cells = append(under.cells, lint.Cell{Dialect: cell.dialect, Set: one.RuleSet, Setting: setting})
	}
	return found, nil
}

// refusals adds what keeps a cell from compiling: of several cells with one gap,
// the reason of the first. What has no place of its own is about the whole policy.
func refusals(found []lint.Finding, p *policies.Policy, c cell, err error) []lint.Finding {
	for _, f := range lint.Invalid("refused", p.Files[len(p.Files)-1], err) {
		f.Providers, f.Cells = []evaluator.Provider{c.Provider}, []string{c.String()}
		f.Line, f.Column = max(f.Line, 1), max(f.Column, 1)
		f.Message = strings.TrimPrefix(f.Message, c.String()+": ")
		if message, rest, ok := strings.Cut(f.Message, "; "+compiler.Advice); ok {
			f.Message, f.Instead = message, compiler.Advice+rest
		}
		about, _, _ := strings.Cut(f.Message, ":")
		i := slices.IndexFunc(found, func(o lint.Finding) bool { return o.Source == f.Source && strings.HasPrefix(o.Message, about+":") })
		if i < 0 {
			found = append(found, f)
			continue
		}
		found[i].Cells = append(found[i].Cells, c.String())
	}
	return found
}

// nativeFiles checks the files of --native.
func (c *checkFlags) nativeFiles(in io.Reader, r *checkReport) error {
	if len(c.native) == 0 {
		return nil
	}
	dialects, err := c.dialects()
	if err != nil {
		return err
	}
	if len(dialects) != 1 {
		return errors.New("--native needs one provider: choose it with -p")
	}
	linter, ok := dialects[0].(lint.Linter)
	if !ok {
		return fmt.Errorf("nothing is known of what can be wrong with settings of %s", dialects[0].Provider())
	}
	env, err := c.given()
	if err != nil {
		return err
	}
	files, err := readNative(dialects[0], c.native, in)
	if err != nil {
		return err
	}
	setting := compiler.Setting{Version: c.version, Env: env}
	for _, f := range files {
		refused := refusedSettings(dialects[0], f.SettingsFile, setting)
		for _, one := range append([]compiler.SettingsFile{f.SettingsFile}, f.Beside...) {
			if r.files[one.Name] != nil {
				continue // named by itself, too
			}
			r.files.Add(one.Name, one.Text)
			found := withRefused(lint.File(linter, one.Name, one.Text, setting), one.Name, refused, r.files)
			r.add(subject{Name: one.Name, Provider: dialects[0].Provider()}, found)
		}
	}
	return nil
}

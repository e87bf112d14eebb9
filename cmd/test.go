package cmd

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/suite"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// testFlags are the flags of test.
type testFlags struct {
	common
	run          string
	coverage     bool
	requireTests bool
}

func testCommand() *cobra.Command {
	var t testFlags
	cmd := &cobra.Command{
		Use:   "test PATH...",
		Short: "Run policy test suites",
		Long: `Run policy test suites. PATH is a test file (NAME_test.yaml), the policy that it
tests, a folder (every policy and test file in it and below), or builtin/NAME.

NAME_test.yaml tests NAME.yaml beside it. With --policy, every suite tests that
policy instead.

  apiVersion: modegate/v1
  tests:
    - name: a force push never runs unattended
      providers: [codex, opencode2]     # all when left out
      modes: all
      interaction: default              # default, plan or all
      action: {kind: command, command: git push --force}
      expect: {effect: [ask, deny]}     # one or a list; also confinement, decider,
                                        # enforcer, rule (a policy rule's id, or a
                                        # native rule)
      skip: ""                          # a reason skips it

A test is run in every cell that it chooses: a row each, answered from the cell's
native bytes as eval answers. env says what the session knows, as in --env; its
folder is /workspace and its home folder /home/user where env doesn't say, so that
the answers are the same on every machine. effect compares the effect alone: a
sandboxed allow is an allow, and confinement tells them apart. What can't be
predicted (unknown) meets no expectation that doesn't list it.

A row that fails is shown with the rule that decides, and with the rule that comes
nearest to deciding and why it doesn't. --coverage adds which of the policy's rules
and which cells the rows have shown, within -p, -m and -i.

Exit 1 when a row fails; with --require-tests also when no test ran for a policy
among the paths. Exit 2 when nothing is chosen, when a file is malformed, and when a
cell that a test needs can't be compiled: then no test has run.`,
		Example: `  modegate test policies
  modegate test acme_test.yaml --run 'force push' -p codex,claude
  modegate test builtin/t3code --coverage
  modegate test --policy policies -o junit --require-tests tests > junit.xml`,
		Args: arguments(1, -1, "the tests to run"),
		RunE: func(cmd *cobra.Command, paths []string) error { return t.test(cmd, paths) },
	}
	f := cmd.Flags()
	f.StringVar(&t.run, "run", "", "run the tests whose name matches this regular expression")
	f.BoolVar(&t.coverage, "coverage", false, "report which rules and cells the tests have shown")
	f.BoolVar(&t.requireTests, "require-tests", false, "fail when no test ran for a policy")
	t.choice(cmd, all)
	f.StringArrayVar(&t.policies, "policy", nil, "the policy that every suite tests (default: the one beside each suite): a file, a folder or builtin/NAME; may be repeated, later ones on top")
	t.addOutput(cmd, "table", "json", "junit")
	return cmd
}

func (t *testFlags) test(cmd *cobra.Command, paths []string) error {
	options, err := t.options()
	if err != nil {
		return err
	}
	targets, err := policies.Targets(paths...)
	if err != nil {
		return err
	}
	report, err := t.report(targets, options)
	if err != nil {
		return err
	}
	untested := len(report.Untested) > 0 && t.requireTests
	if report.Rows() == 0 && !untested {
		return t.nothing(targets)
	}
	if err := t.print(cmd, report); err != nil {
		return err
	}
	switch {
	case untested:
		return exit{exitNo, "no test ran for " + strings.Join(report.Untested, ", ")}
	case report.Failed > 0:
		return exit{code: exitNo}
	}
	return nil
}

func (t *testFlags) options() (suite.Options, error) {
	o := suite.Options{Version: t.version, Coverage: t.coverage}
	var bad error
	o.Dialects, bad = t.dialects()
	if bad != nil {
		return o, bad
	}
	if o.Modes, bad = choose("mode", t.modes, evaluator.Modes()); bad != nil {
		return o, bad
	}
	if o.Interactions, bad = choose("interaction", t.interactions, evaluator.Interactions()); bad != nil {
		return o, bad
	}
	if t.run != "" {
		if o.Name, bad = regexp.Compile(t.run); bad != nil {
			return o, fmt.Errorf("--run: %w", bad)
		}
	}
	return o, nil
}

// job is a policy and the suites that test it.
type job struct {
	name   string // of the policy, as it was given
	paths  []string
	suites []*policies.Suite
}

// jobs joins the suites with the policies that they test.
func (t *testFlags) jobs(targets []policies.Target) ([]job, error) {
	if t.policies != nil {
		one := job{name: strings.Join(t.policies, " + "), paths: t.policies}
		for _, target := range targets {
			if target.Suite != nil {
				one.suites = append(one.suites, target.Suite)
			}
		}
		return []job{one}, nil
	}
	var out []job
	var problems diag.List
	for _, target := range targets {
		one := job{name: target.Policy, paths: []string{target.Policy}}
		if target.Suite != nil {
			one.suites = []*policies.Suite{target.Suite}
		}
		if target.Policy == "" {
			name := target.Suite.File
			problems = append(problems, diag.Problem{File: name, Message: fmt.Sprintf("there is no %s beside this suite: name its policy with --policy", strings.Replace(name, "_test.", ".", 1))})
		}
		out = append(out, one)
	}
	return out, problems.Err()
}

// report runs every job. What is wrong with any of them is reported at once, and
// then there is no report.
func (t *testFlags) report(targets []policies.Target, o suite.Options) (*suite.Report, error) {
	jobs, err := t.jobs(targets)
	if err != nil {
		return nil, err
	}
	out := &suite.Report{}
	var bad []error
	for _, j := range jobs {
		ran := 0
		if len(j.suites) > 0 {
			outcome, err := j.run(o)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			out.Add(outcome)
			ran = outcome.Ran()
		}
		if ran == 0 {
			out.Untested = append(out.Untested, j.name)
		}
	}
	return out, errors.Join(bad...)
}

func (j job) run(o suite.Options) (*suite.Outcome, error) {
	p, err := policies.Load(j.paths...)
	if err != nil {
		return nil, err
	}
	if err := compiler.Validate(p, adapters.Table()); err != nil {
		return nil, err
	}
	return suite.Run(p, j.suites, o)
}

// nothing says that no row was chosen: a run that looks at nothing must not pass.
func (t *testFlags) nothing(targets []policies.Target) error {
	tests := 0
	for _, target := range targets {
		if target.Suite != nil {
			tests += len(target.Suite.Tests)
		}
	}
	if tests == 0 {
		return errors.New("there is no test file (*_test.yaml): nothing was tested")
	}
	return fmt.Errorf("none of the %d tests is chosen by --run, -p, -m and -i: nothing was tested", tests)
}

func (t *testFlags) print(cmd *cobra.Command, r *suite.Report) error {
	switch t.output {
	case "json":
		return write(cmd, "json", r)
	case "junit":
		return r.JUnit(cmd.OutOrStdout())
	}
	return r.Table(cmd.OutOrStdout())
}

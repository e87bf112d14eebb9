package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

func compileCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "compile",
		Short: "Print the RuleSet of the chosen cell, or a list of them",
		Long: `Print the RuleSet of the chosen cell: the native settings byte for byte as an
adapter sends them, where each part came from, and every gap. Several cells make
a list. -o native prints the bytes alone.`,
		Example: `  modegate compile -p opencode2 -m approval-required
  modegate compile -p codex -m auto -i plan -o native`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.compile(cmd) },
	}
	c.add(cmd, "json", "native", "yaml")
	return cmd
}

func (c *common) compile(cmd *cobra.Command) error {
	compiled, err := c.compileCells()
	if err != nil {
		return err
	}
	if c.output == "native" {
		if len(compiled) != 1 {
			return errors.New("-o native prints one cell: choose it with -p, -m and -i")
		}
		_, err := cmd.OutOrStdout().Write(append(compiled[0].RuleSet.Native, '\n'))
		return err
	}
	var sets []compiler.RuleSet
	for _, one := range compiled {
		sets = append(sets, one.RuleSet)
	}
	var result any = sets
	if len(sets) == 1 {
		result = sets[0]
	}
	return write(cmd, c.output, result)
}

// compileCells compiles every chosen cell. The error has what is wrong in any.
func (c *common) compileCells() ([]*compiler.Compiled, error) {
	cells, err := c.cells()
	if err != nil {
		return nil, err
	}
	policy, err := c.load()
	if err != nil {
		return nil, err
	}
	env, err := c.session()
	if err != nil {
		return nil, err
	}
	var out []*compiler.Compiled
	var problems diag.List
	for _, cell := range cells {
		one, err := compileCell(policy, cell, env, c.version)
		var list diag.List
		switch {
		case errors.As(err, &list):
			problems = append(problems, list...)
		case err != nil:
			return nil, err
		}
		out = append(out, one)
	}
	return out, problems.Err()
}

func compileCell(p *policies.Policy, c cell, env evaluator.Env, version string) (*compiler.Compiled, error) {
	proven, err := evidence.Embedded()
	if err != nil {
		return nil, err
	}
	return compiler.Compile(p, c.dialect, c.Cell, compiler.Options{
		Env: env, Version: version,
		Proofs: func(version string) []evaluator.Proof { return proven.Proofs(c.dialect, version) },
	})
}

// write prints a result as JSON or YAML.
func write(cmd *cobra.Command, format string, result any) error {
	data, err := strictjson.Indent(result)
	if err != nil {
		return err
	}
	if format == "yaml" {
		if data, err = policies.FormatYAML(data); err != nil {
			return err
		}
	} else {
		data = append(data, '\n')
	}
	_, err = cmd.OutOrStdout().Write(data)
	return err
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	common
	failOn string
}

func diffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two policies, or compiled RuleSets, by what they mean",
		Long: `Compare two policies, or compiled RuleSets, by what they mean. OLD and NEW are
each a policy file, a folder (the layers of one policy), builtin/NAME, or a .json
file that compile wrote.

Both sides are asked, in every cell, about Actions at the boundaries of their rules.
Where their answers differ, that is a change, with the cell, the shortest Action that
shows it, both answers and the policy lines behind them, and a direction:

  wider     more may happen
  narrower  less may happen
  changed   the effect is the same, and something else isn't: who decides, who
            enforces it, what follows; or an answer can't be predicted

From strict to loose: deny, ask, review, allow in a read-only sandbox, allow in a
workspace-write sandbox, allow. What can't be predicted has no place among them: an
answer that becomes unknown counts as wider for --fail-on, and so does an unknown
one that becomes looser than ask.

Texts, names and an order that change no answer are no change. Cells with the same
native settings on both sides aren't probed. The last line says what was compared.
RuleSets are read in the session that --workspace, --home and --env say: give those
that they were compiled with. Requests in a provider's own form aren't asked about.

Exit 1 with --fail-on wider when more may happen, with --fail-on any when anything
is different, a cell that one side lacks too. Exit 2 when a side can't be read or
compiled, or the two have no cell in common.`,
		Example: `  modegate diff builtin/t3code policies
  modegate diff old.yaml new.yaml -o markdown --fail-on wider
  modegate compile -i all > before.json; modegate diff before.json policy.yaml`,
		Args: arguments(2, 2, "OLD and NEW"),
		RunE: func(cmd *cobra.Command, args []string) error { return d.diff(cmd, args[0], args[1]) },
	}
	cmd.Flags().StringVar(&d.failOn, "fail-on", "", "exit 1 on: wider, any")
	d.choice(cmd, all)
	d.addSession(cmd)
	d.addOutput(cmd, "text", "json", "markdown")
	return cmd
}

func (d *diffFlags) diff(cmd *cobra.Command, old, new string) error {
	if words := []string{"", "wider", "any"}; !slices.Contains(words, d.failOn) {
		return fmt.Errorf("unknown --fail-on %q: use wider, any", d.failOn)
	}
	options, err := d.options()
	if err != nil {
		return err
	}
	a, errOld := side(cmd.Context(), old, options)
	b, errNew := side(cmd.Context(), new, options)
	if err := errors.Join(errOld, errNew); err != nil {
		return err
	}
	report, err := diff.Compare(cmd.Context(), a, b)
	if err != nil {
		return err
	}
	if err := d.print(cmd, report); err != nil {
		return err
	}
	if d.failOn == "wider" && report.Widened() || d.failOn == "any" && report.Differs() {
		return exit{code: exitNo}
	}
	return nil
}

func (d *diffFlags) options() (diff.Options, error) {
	o := diff.Options{Version: d.version}
	var err error
	if o.Dialects, err = d.dialects(); err != nil {
		return o, err
	}
	if o.Modes, err = choose("mode", d.modes, evaluator.Modes()); err != nil {
		return o, err
	}
	if o.Interactions, err = choose("interaction", d.interactions, evaluator.Interactions()); err != nil {
		return o, err
	}
	o.Env, err = d.session()
	return o, err
}

// side reads one of the two: RuleSets from a .json file, or else a policy.
func side(ctx context.Context, path string, o diff.Options) (*diff.Side, error) {
	if strings.HasSuffix(path, ".json") {
		data, err := readFile(path)
		if err != nil {
			return nil, err
		}
		sets, err := compiler.ReadRuleSets(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return diff.OfRuleSets(path, sets, o)
	}
	p, err := policies.Load(path)
	if err != nil {
		return nil, err
	}
	if err := compiler.Validate(p, adapters.Table()); err != nil {
		return nil, err
	}
	return diff.OfPolicy(ctx, path, p, o)
}

func (d *diffFlags) print(cmd *cobra.Command, r *diff.Report) error {
	switch d.output {
	case "json":
		return write(cmd, "json", r)
	case "markdown":
		return r.Markdown(cmd.OutOrStdout())
	}
	return r.Text(cmd.OutOrStdout())
}

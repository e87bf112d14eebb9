package cmd

import (
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// importFlags are the flags of import.
type importFlags struct {
	common
	name   string
	file   string
	strict bool
}

func importCommand() *cobra.Command {
	var i importFlags
	cmd := &cobra.Command{
		Use:   "import PATH…",
		Short: "Turn settings that you have into a policy",
		Long: `Turn a provider's settings files into a policy file: what a policy's own words
say exactly becomes rules, each with the place that it came from; the rest stands
in the provider's profile, in its own words. What neither says is lost: it is
listed on top of the policy and on stderr.

PATH is a settings file, or a folder that holds them; several are layers, as
LAYER=PATH where the path doesn't tell (see: modegate eval --help). The policy
gives their meaning to every runtime mode, or to those that -m chooses.

Before it is printed, the policy is compiled and compared with the settings, inside
and outside of every rule: where they part, that is a loss, too.`,
		Example: `  modegate import -p claude .claude/settings.json
  modegate import -p codex ~/.codex -o acme.yaml
  modegate import -p opencode --strict opencode.json`,
		Args: arguments(1, -1, "the settings to import"),
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&i.providers, "provider", "p", "", "provider whose settings they are")
	f.StringVarP(&i.modes, "mode", "m", "all", "runtime modes that get the settings' meaning: a name, a comma-separated list, or all")
	f.StringVar(&i.version, "provider-version", "", "the provider's version that is judged (default: the newest known)")
	f.StringVar(&i.workspace, "workspace", "", "the session's folder (default: the current folder)")
	f.StringVar(&i.home, "home", "", "the user's home folder (default: yours)")
	f.StringVar(&i.env, "env", "", "a file with the session's Env as JSON")
	f.StringVar(&i.name, "name", "imported", "the policy's name")
	f.StringVarP(&i.file, "output", "o", "-", "where the policy is written; - is stdout")
	f.BoolVar(&i.strict, "strict", false, "exit 1 when anything is lost")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit{exitUsage, fmt.Sprintf("%v; see: modegate %s --help", err, cmd.Name())}
	})
	return cmd
}

var policyName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (i *importFlags) run(cmd *cobra.Command, args []string) error {
	if !policyName.MatchString(i.name) {
		return fmt.Errorf("--name %q isn't a policy's name: use small letters, digits and -", i.name)
	}
	const which = "import needs one provider: choose it with -p"
	if i.providers == "" {
		return errors.New(which)
	}
	dialects, err := i.dialects()
	if err != nil {
		return err
	}
	if len(dialects) != 1 {
		return errors.New(which)
	}
	d, ok := dialects[0].(compiler.SettingsReader)
	if !ok {
		return fmt.Errorf("settings files of %s can't be read", dialects[0].Provider())
	}
	modes, err := choose("mode", i.modes, evaluator.Modes())
	if err != nil {
		return err
	}
	files, err := readNative(d, args, cmd.InOrStdin())
	if err != nil {
		return err
	}
	for _, f := range files {
		if !d.IsSettings(f.Text) {
			return fmt.Errorf("%s: this isn't a settings file, but what an adapter sends: only people's own settings can be imported", f.Name)
		}
	}
	env, err := i.session()
	if err != nil {
		return err
	}
	got, err := compiler.Import(d, settingsOf(files), compiler.ImportOptions{
		Name: i.name, Modes: modes, Setting: compiler.Setting{Version: i.version, Env: atHome(env)},
	})
	if err != nil {
		return err
	}
	return i.write(cmd, got)
}

// write prints the policy, and what is lost to stderr.
func (i *importFlags) write(cmd *cobra.Command, got *compiler.Imported) error {
	var err error
	if i.file == "-" {
		_, err = cmd.OutOrStdout().Write(got.Text)
	} else {
		err = os.WriteFile(i.file, got.Text, 0o644)
	}
	if err != nil {
		return err
	}
	for _, l := range got.Losses {
		p := l.Problem()
		p.Message = "lost: " + p.Message
		fmt.Fprintln(cmd.ErrOrStderr(), diag.List{p})
	}
	if i.strict && len(got.Losses) > 0 {
		return exit{code: exitNo}
	}
	return nil
}

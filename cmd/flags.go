package cmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// all chooses every provider, mode or interaction mode.
const all = "all"

// common are the flags that most verbs share.
type common struct {
	providers    string
	modes        string
	interactions string
	version      string
	policies     []string
	workspace    string
	home         string
	env          string
	output       string
}

// add declares the flags. formats are the verb's output formats, the default
// first.
func (c *common) add(cmd *cobra.Command, formats ...string) {
	c.choice(cmd, string(evaluator.Default))
	f := cmd.Flags()
	f.StringArrayVar(&c.policies, "policy", []string{"builtin/t3code"}, "policy: a file, a folder or builtin/NAME; may be repeated, later ones on top")
	c.addSession(cmd)
	c.addOutput(cmd, formats...)
}

// addSession declares the flags that say what the session knows.
func (c *common) addSession(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.workspace, "workspace", "", "the session's folder (default: the current folder)")
	f.StringVar(&c.home, "home", "", "the user's home folder (default: written <home>)")
	f.StringVar(&c.env, "env", "", "a file with the session's Env as JSON")
}

// choice declares the flags that choose cells, and says where a flag error's help
// is.
func (c *common) choice(cmd *cobra.Command, interactions string) {
	f := cmd.Flags()
	f.StringVarP(&c.providers, "provider", "p", all, "provider: a name, a comma-separated list, or all")
	f.StringVarP(&c.modes, "mode", "m", all, "runtime mode: a name, a comma-separated list, or all")
	f.StringVarP(&c.interactions, "interaction", "i", interactions, "interaction mode: default, plan, or all")
	f.StringVar(&c.version, "provider-version", "", "the provider's version that is judged (default: the newest known)")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit{exitUsage, fmt.Sprintf("%v; see: modegate %s --help", err, cmd.Name())}
	})
}

func (c *common) addOutput(cmd *cobra.Command, formats ...string) {
	cmd.Flags().StringVarP(&c.output, "output", "o", formats[0], "output: "+strings.Join(formats, ", "))
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains(formats, c.output) {
			return fmt.Errorf("unknown output %q: use %s", c.output, strings.Join(formats, ", "))
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
}

// cell is a cell together with the dialect that speaks for it.
type cell struct {
	evaluator.Cell
	dialect compiler.Dialect
}

// cells lists the chosen cells in report order.
func (c *common) cells() ([]cell, error) {
	dialects, err := c.dialects()
	if err != nil {
		return nil, err
	}
	modes, err := choose("mode", c.modes, evaluator.Modes())
	if err != nil {
		return nil, err
	}
	interactions, err := choose("interaction", c.interactions, evaluator.Interactions())
	if err != nil {
		return nil, err
	}
	var out []cell
	for _, d := range dialects {
		for _, m := range modes {
			for _, i := range interactions {
				out = append(out, cell{evaluator.Cell{Provider: d.Provider(), Mode: m, Interaction: i}, d})
			}
		}
	}
	return out, nil
}

func (c *common) dialects() ([]compiler.Dialect, error) {
	names, err := choose("provider", c.providers, evaluator.Providers())
	if err != nil {
		return nil, err
	}
	if c.version != "" && len(names) != 1 {
		return nil, errors.New("--provider-version needs one provider: choose it with -p")
	}
	var out []compiler.Dialect
	for _, d := range adapters.Table() {
		if !slices.Contains(names, d.Provider()) {
			continue
		}
		if c.version != "" && !slices.Contains(d.Versions(), c.version) {
			return nil, fmt.Errorf("unknown version %q of %s: use %s", c.version, d.Provider(), strings.Join(d.Versions(), ", "))
		}
		out = append(out, d)
	}
	return out, nil
}

// choose reads a flag that takes a word, a list of words or all, and returns
// the words in their own order.
func choose[T ~string](flag, value string, known []T) ([]T, error) {
	if value == all {
		return known, nil
	}
	words := strings.Split(value, ",")
	for _, w := range words {
		if !slices.Contains(known, T(w)) {
			all := make([]string, len(known))
			for i, k := range known {
				all[i] = string(k)
			}
			return nil, fmt.Errorf("unknown %s %q: use %s, or all", flag, w, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(known), func(k T) bool { return !slices.Contains(words, string(k)) }), nil
}

// load reads the chosen policy, its provider profiles checked.
func (c *common) load() (*policies.Policy, error) {
	p, err := policies.Load(c.policies...)
	if err != nil {
		return nil, err
	}
	return p, compiler.Validate(p, adapters.Table())
}

// session is the Env of the flags; a session runs in the current folder when
// nobody says where.
func (c *common) session() (evaluator.Env, error) {
	env, err := c.given()
	if err != nil || env.Workspace != "" {
		return env, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return env, fmt.Errorf("the current folder isn't known (%w): set --workspace", err)
	}
	env.Workspace = dir
	return env, env.Check()
}

// given reads the Env file and puts the flags on top of it.
func (c *common) given() (evaluator.Env, error) {
	var env evaluator.Env
	if c.env != "" {
		data, err := readFile(c.env)
		if err != nil {
			return env, err
		}
		if err := strictjson.DecodeNoNull(data, &env); err != nil {
			return env, fmt.Errorf("%s:%w", c.env, err)
		}
	}
	if c.workspace != "" {
		env.Workspace = c.workspace
	}
	if c.home != "" {
		env.Home = c.home
	}
	return env, env.Check()
}

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	common
	action   string
	native   []string
	explain  bool
	exitCode bool
}

func evalCommand() *cobra.Command {
	var e evalFlags
	cmd := &cobra.Command{
		Use:   "eval [KIND VALUE]",
		Short: "Say what a provider does with an action",
		Long: `Say what a provider does with one Action, or with the Actions of a file.

KIND VALUE is one of: command TEXT, file-read PATH, file-change PATH,
web-fetch URL, web-search TEXT, mcp-tool SERVER/TOOL, subagent NAME,
question TEXT. --action takes JSON instead, one Action or a list, - for stdin.

--native evaluates settings in the provider's own form instead of a policy's;
they say what the mode is, so -m means nothing then. It takes what compile -o
native prints, or the settings files that you have: Claude's settings.json,
Codex's config.toml with the rules folder beside it, OpenCode's opencode.json; or
a folder that holds them. Several files are layers: repeat it, with LAYER=FILE
where the path doesn't tell (claude: user, project, local, flag, managed; codex:
user, project; opencode: global, custom, project, folder, managed).`,
		Example: `  modegate eval -p opencode2 -m approval-required command 'git push origin main'
  modegate compile -p opencode -m auto -o native | modegate eval -p opencode --native - file-change src/a.go
  modegate eval -p claude --native .claude/settings.json --native ~/.claude/settings.json command 'npm test'
  modegate eval -p opencode2 -m auto --action actions.json -o json`,
		Args: arguments(0, 2, "KIND and VALUE, or --action"),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args) },
	}
	e.add(cmd, "text", "json")
	cmd.Flags().StringVar(&e.action, "action", "", "a file with an Action as JSON, or a list of them; - is stdin")
	cmd.Flags().StringArrayVar(&e.native, "native", nil, "a file with native settings, - for stdin; may be repeated, as LAYER=FILE")
	cmd.Flags().BoolVar(&e.explain, "explain", false, "add every rule that was looked at")
	cmd.Flags().BoolVar(&e.exitCode, "exit-code", false, "exit 0 allow, 10 ask, 11 review, 12 deny, 13 unknown")
	return cmd
}

func (e *evalFlags) run(cmd *cobra.Command, args []string) error {
	actions, many, err := e.actions(cmd.InOrStdin(), args)
	if err != nil {
		return err
	}
	judges, err := e.judges(cmd.InOrStdin())
	if err != nil {
		return err
	}
	if e.exitCode && len(judges)*len(actions) != 1 {
		return errors.New("--exit-code answers for one action in one cell: choose it with -p, -m and -i")
	}
	var verdicts []evaluator.Verdict
	for i, a := range actions {
		for _, judge := range judges {
			v, err := judge(a, e.explain)
			if err != nil {
				return fmt.Errorf("%s%w", e.place(i, many), err)
			}
			verdicts = append(verdicts, v)
		}
	}
	if err := e.print(cmd, actions, verdicts, many); err != nil {
		return err
	}
	if e.exitCode {
		return exitFor(verdicts[0].Effect)
	}
	return nil
}

func (e *evalFlags) print(cmd *cobra.Command, actions []evaluator.Action, verdicts []evaluator.Verdict, many bool) error {
	switch {
	case e.output == "text":
		return printVerdicts(cmd.OutOrStdout(), actions, verdicts, e.explain)
	case len(verdicts) == 1 && !many:
		return write(cmd, "json", verdicts[0])
	}
	return write(cmd, "json", verdicts)
}

func exitFor(e evaluator.Effect) error {
	code := map[evaluator.Effect]int{evaluator.Allow: 0, evaluator.Ask: 10, evaluator.Review: 11, evaluator.Deny: 12, evaluator.Unknown: 13}[e]
	if code == 0 {
		return nil
	}
	return exit{code: code}
}

// place names an action for an error.
func (e *evalFlags) place(i int, many bool) string {
	switch {
	case e.action == "":
		return ""
	case many:
		return fmt.Sprintf("%s: /%d: ", e.action, i)
	}
	return e.action + ": "
}

// judge answers one Action.
type judge func(a evaluator.Action, explain bool) (evaluator.Verdict, error)

// judges are the chosen cells of the policy, or the native settings.
func (e *evalFlags) judges(in io.Reader) ([]judge, error) {
	if len(e.native) > 0 {
		j, err := e.nativeJudge(in)
		return []judge{j}, err
	}
	compiled, err := e.compileCells()
	if err != nil {
		return nil, err
	}
	var out []judge
	for _, c := range compiled {
		out = append(out, c.Evaluate)
	}
	return out, nil
}

func (e *evalFlags) nativeJudge(in io.Reader) (judge, error) {
	if slices.Contains(e.native, "-") && e.action == "-" {
		return nil, errors.New("--native and --action can't both be stdin")
	}
	dialects, err := e.dialects()
	if err != nil {
		return nil, err
	}
	if len(dialects) != 1 {
		return nil, errors.New("--native needs one provider: choose it with -p")
	}
	d := dialects[0]
	interactions, err := choose("interaction", e.interactions, evaluator.Interactions())
	if err != nil || len(interactions) != 1 {
		return nil, errors.Join(err, errors.New("--native needs one interaction mode: choose it with -i"))
	}
	files, err := readNative(d, e.native, in)
	if err != nil {
		return nil, err
	}
	m, err := e.meaning(d, files, interactions[0])
	if err != nil {
		return nil, err
	}
	proven, err := evidence.Embedded()
	if err != nil {
		return nil, err
	}
	return func(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
		v, err := evaluator.Evaluate(m, a, explain)
		v.Proof = proven.Proofs(d, v.Provider.Version)
		return v, err
	}, nil
}

// actions reads the Action of the arguments, or those of a file.
func (e *evalFlags) actions(in io.Reader, args []string) (list []evaluator.Action, many bool, err error) {
	switch {
	case e.action != "" && len(args) > 0:
		return nil, false, errors.New("give KIND VALUE or --action, not both")
	case e.action != "":
		return readActions(e.action, in)
	case len(args) == 1 && args[0] == string(evaluator.Question):
		args = append(args, "")
	case len(args) != 2:
		return nil, false, errors.New("give KIND and VALUE, or --action; see: modegate eval --help")
	}
	a, err := argumentAction(args[0], args[1])
	if err == nil {
		err = a.Check()
	}
	return []evaluator.Action{a}, false, err
}

// argumentAction makes an Action of KIND VALUE.
func argumentAction(kind, value string) (evaluator.Action, error) {
	a := evaluator.Action{Kind: evaluator.Kind(kind)}
	switch a.Kind {
	case evaluator.Command:
		a.Command = value
	case evaluator.FileRead, evaluator.FileChange:
		a.Path = value
	case evaluator.WebFetch:
		if u, err := url.Parse(value); err != nil || u.Scheme == "" || u.Host == "" {
			return a, fmt.Errorf("web-fetch %q: write an address with its scheme and host, as in https://example.com/", value)
		}
		a.URL = value
	case evaluator.WebSearch:
		a.Query = value
	case evaluator.MCPTool:
		server, tool, ok := strings.Cut(value, "/")
		if !ok {
			return a, fmt.Errorf("mcp-tool %q: write SERVER/TOOL", value)
		}
		a.Server, a.Tool = server, tool
	case evaluator.Subagent:
		a.Agent = value
	case evaluator.Question:
		a.Text = value
	case evaluator.Native:
		a.Request = []byte(value)
	}
	return a, nil
}

func readActions(path string, in io.Reader) (list []evaluator.Action, many bool, err error) {
	data, err := readInput(path, in)
	if err != nil {
		return nil, false, err
	}
	if many = bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")); many {
		err = strictjson.DecodeNoNull(data, &list)
	} else {
		list = make([]evaluator.Action, 1)
		err = strictjson.DecodeNoNull(data, &list[0])
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s:%w", inputName(path), err)
	}
	if len(list) == 0 {
		return nil, false, fmt.Errorf("%s: no action to answer", inputName(path))
	}
	for i, a := range list {
		if err := a.Check(); err != nil {
			return nil, false, fmt.Errorf("%s: /%d: %w", inputName(path), i, err)
		}
	}
	return list, many, nil
}

func readInput(path string, in io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(in)
	}
	return readFile(path)
}

func inputName(path string) string {
	if path == "-" {
		return "<stdin>"
	}
	return path
}

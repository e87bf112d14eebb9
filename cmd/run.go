package cmd

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// runFlags are the flags of run, on top of the cell, the policy and the folder.
type runFlags struct {
	common
	binary  string
	url     string
	session string
	model   string
	agent   string
	log     bool
	server  string
	token   string
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run -p PROVIDER -m MODE [flags] -- PROMPT",
		Short: "Run a real agent under a mode, and bring what it asks to this terminal",
		Long: `Run one prompt with a real agent: OpenCode 1.x, started here (from PATH or
--binary, with your own configuration, models and keys) or running at --url; or
OpenCode 2 (-p opencode2), running at --url. The
session gets the rules of the chosen cell before its first prompt, and they are
read back: the prompt is sent only when they are in force.

What the agent asks is shown here. Answer with one line each:

  accept    allow this once
  session   allow this and what the label names, for this session alone
  decline   refuse this; the agent reads that, and goes on
  cancel    refuse this and end the run; a question is dismissed

A question takes a number, a label or your own text, and where several may be
chosen, several with commas between. Answers may be piped in: they are taken in
order. When stdin has ended and something is asked, nobody is there: it is
rejected and the run ends. Ctrl-C, SIGTERM, the end of the terminal and the end
of the program that started this one reject what waits, then abort the run.

With --server, what the agent asks goes to the inbox of a modegate service instead:
it is answered there, by the service's web page or its HTTP interface, and nothing
is read from stdin. The service's policy is what holds, with what is granted there
and the mode that is set there while the agent runs. When the service is lost, what
waits is refused and the run fails. The service gets the token of --token-file, or
of MODEGATE_TOKEN, which needs the scope adapter.

A grant for the session lasts as long as this command. --session continues a
session by the id that is printed at the end. A server at --url that wants a
password gets OPENCODE_SERVER_PASSWORD.`,
		Example: `  modegate run -p opencode -m approval-required -- 'fix the failing test'
  modegate run -p opencode -m auto-accept-edits -i plan --model anthropic/claude-sonnet-4-5 -- 'plan the change'
  modegate run -p opencode -m full-access --session ses_... -- 'go on'
  modegate run -p opencode2 -m auto --url http://127.0.0.1:4096 -- 'fix the failing test'
  modegate run -p opencode -m approval-required --server http://127.0.0.1:7420 --token-file modegate-data/admin-token -- 'fix the failing test'`,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return errors.New("run needs a prompt: modegate run -p opencode -m MODE -- PROMPT")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, strings.Join(args, " ")) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.providers, "provider", "p", "", "provider: opencode or opencode2")
	fl.StringVarP(&f.modes, "mode", "m", "", "runtime mode")
	fl.StringVarP(&f.interactions, "interaction", "i", "default", "interaction mode: default or plan")
	fl.StringArrayVar(&f.policies, "policy", []string{"builtin/t3code"}, "policy: a file, a folder or builtin/NAME; may be repeated, later ones on top")
	fl.StringVar(&f.workspace, "workspace", "", "the agent's folder (default: the current folder, or the continued session's)")
	fl.StringVar(&f.binary, "binary", "", "the agent's program (default: opencode from PATH)")
	fl.StringVar(&f.url, "url", "", "a running OpenCode server to use, instead of starting one")
	fl.StringVar(&f.session, "session", "", "the session to continue")
	fl.StringVar(&f.model, "model", "", "model: PROVIDER/ID (default: the agent's own choice)")
	fl.StringVar(&f.agent, "agent", "", "the provider's agent (default: its own choice; plan in plan)")
	fl.StringVar(&f.server, "server", "", "a modegate service that decides, with the inbox that is answered in")
	fl.StringVar(&f.token, "token-file", "", "a file with the token for --server (default: MODEGATE_TOKEN)")
	fl.BoolVar(&f.log, "log", false, "show the started server's log on stderr")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit{exitUsage, fmt.Sprintf("%v; see: modegate run --help", err)}
	})
	return cmd
}

// oneCell is the cell that -p, -m and -i choose.
func (f *runFlags) oneCell() (cell, error) {
	if f.providers == "" || f.modes == "" {
		return cell{}, errors.New("run needs a provider and a mode: -p opencode -m MODE")
	}
	cells, err := f.cells()
	if err != nil {
		return cell{}, err
	}
	if len(cells) != 1 {
		return cell{}, errors.New("run drives one cell: one provider, one mode and one interaction mode")
	}
	if p := cells[0].Provider; p != evaluator.OpenCode && p != evaluator.OpenCode2 {
		return cell{}, fmt.Errorf("run can't drive %s yet: use opencode or opencode2", p)
	}
	return cells[0], nil
}

func (f *runFlags) run(cmd *cobra.Command, prompt string) error {
	c, err := f.oneCell()
	if err != nil {
		return err
	}
	o := live.DriverOptions{Session: f.session, Cell: c.Cell, Agent: f.agent, Translator: opencode.Boundary()}
	if f.model != "" {
		provider, id, ok := strings.Cut(f.model, "/")
		if !ok || provider == "" || id == "" {
			return fmt.Errorf("--model %q: use PROVIDER/ID", f.model)
		}
		o.ProviderID, o.ModelID = provider, id
	}
	dir, err := f.folder()
	if err != nil {
		return err
	}
	ctx, leave, stop := watch(cmd.Context())
	defer stop()
	t := newTerminal(cmd.OutOrStdout(), cmd.ErrOrStderr(), isTerminal(cmd.InOrStdin()), leave)
	if f.server != "" {
		return f.served(ctx, cmd, c, dir, o, t, prompt)
	}
	if f.token != "" {
		return errors.New("--token-file goes with --server")
	}
	policy, err := f.load()
	if err != nil {
		return err
	}
	// What is wrong with the policy is found before anything is started.
	if _, err := compileCell(policy, c, evaluator.Env{Workspace: dir}, ""); err != nil {
		return err
	}
	o.Compile = func(env evaluator.Env) (*compiler.Compiled, error) { return compileCell(policy, c, env, "") }
	if c.Provider == evaluator.OpenCode2 {
		return f.runOpenCode2(ctx, cmd, o, dir, t, prompt)
	}
	return f.runOpenCode(ctx, cmd, o, dir, t, prompt)
}

// ended is the exit that a run's outcome comes to.
func ended(out broker.Outcome) error {
	if out.End == broker.Ended {
		return nil
	}
	return exit{exitNo, fmt.Sprintf("the run %s: %s", out.End, out.Reason)}
}

// folder is the agent's folder.
func (f *runFlags) folder() (string, error) {
	dir := f.workspace
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("--workspace: %w", err)
	}
	if f.url != "" {
		return dir, nil // the server's, perhaps on another machine
	}
	if info, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("--workspace: %w", err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("--workspace: %s is not a folder", dir)
	}
	return dir, nil
}

// checkURL refuses a --url that is no address of a server.
func (f *runFlags) checkURL() error {
	u, err := url.Parse(f.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("--url %q: use http://HOST:PORT", f.url)
	}
	return nil
}

func isTerminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

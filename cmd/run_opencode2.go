package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters/broker/remote"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode2"
	live2 "github.com/modegate/modegate/adapters/opencode2/live"
)

// runOpenCode2 runs a prompt on an OpenCode 2 server, which must be running.
func (f *runFlags) runOpenCode2(ctx context.Context, cmd *cobra.Command, o live.DriverOptions, dir string, t *terminal, prompt string) error {
	options, err := f.optionsOpenCode2(o)
	if err != nil {
		return err
	}
	d, err := f.openOpenCode2(ctx, options, dir)
	if err != nil {
		return err
	}
	defer d.Close()
	compiled, err := d.Sync(ctx)
	if err != nil {
		return exit{exitNo, err.Error()}
	}
	t.answer = d.Answer
	t.begin(d.ID(), "2", compiled.RuleSet)
	go t.read(cmd.InOrStdin())
	out := d.Run(ctx, prompt, t)
	t.end(d.ID(), out)
	return ended(out)
}

// openOpenCode2 opens the session, which must lie where it is said to.
func (f *runFlags) openOpenCode2(ctx context.Context, o live2.Options, dir string) (*live2.Driver, error) {
	d, err := live2.Open(ctx, live2.NewClient(f.url, os.Getenv("OPENCODE_SERVER_PASSWORD"), dir, nil), o)
	if live2.IsUnauthorized(err) {
		return nil, exit{exitNo, "the OpenCode server wants another password: set OPENCODE_SERVER_PASSWORD"}
	}
	if err != nil {
		return nil, exit{exitNo, fmt.Sprintf("the OpenCode 2 server can't be used: %v", err)}
	}
	if f.session != "" && f.workspace != "" && d.Directory() != dir {
		d.Close()
		return nil, fmt.Errorf("session %s lies in %s, not in --workspace %s", f.session, d.Directory(), dir)
	}
	return d, nil
}

// hostOpenCode2 is a server of OpenCode 2 for a run that others decide about.
func (f *runFlags) hostOpenCode2(o live.DriverOptions, dir string) (host, error) {
	options, err := f.optionsOpenCode2(o)
	if err != nil {
		return host{}, err
	}
	options.Translator = remote.Asking(options.Translator)
	open := func(ctx context.Context, at turn) (driven, func(), error) {
		o := options
		o.Session, o.Cell, o.Compile = at.session, at.cell, at.compile
		d, err := f.openOpenCode2(ctx, o, dir)
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	}
	return host{"2", open, func() {}}, nil
}

// optionsOpenCode2 are the options of a run on OpenCode 2, which takes less than
// one on 1.x.
func (f *runFlags) optionsOpenCode2(o live.DriverOptions) (live2.Options, error) {
	switch {
	case f.url == "":
		return live2.Options{}, errors.New("run doesn't start OpenCode 2: start its server, and name it with --url http://HOST:PORT")
	case f.binary != "" || f.log:
		return live2.Options{}, errors.New("--binary and --log are for a server that run starts, and it doesn't start OpenCode 2")
	case f.agent != "":
		return live2.Options{}, errors.New("--agent: OpenCode 2's plan is a matter of rules, and run leaves its agent alone")
	case f.session != "" && o.ModelID != "":
		return live2.Options{}, errors.New("--model chooses the model of a new session: leave it out with --session")
	}
	if err := f.checkURL(); err != nil {
		return live2.Options{}, err
	}
	options := live2.Options{
		Session: f.session, Cell: o.Cell, NeedsAgents: opencode2.NeedsAgents,
		Translator: opencode2.Boundary(), Compile: o.Compile,
	}
	if o.ModelID != "" {
		options.Model = &live2.Model{ProviderID: o.ProviderID, ID: o.ModelID}
	}
	return options, nil
}

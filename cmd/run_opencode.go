package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/remote"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
)

// runOpenCode runs a prompt on OpenCode 1.x: on a server that is started here, or
// on the one at --url.
func (f *runFlags) runOpenCode(ctx context.Context, cmd *cobra.Command, o live.DriverOptions, dir string, t *terminal, prompt string) error {
	c, err := f.connect(ctx, cmd, dir, &o)
	if err != nil {
		return err
	}
	defer c.stop()
	version, err := f.version(ctx, c.Client, t)
	if err != nil {
		return err
	}
	d, err := live.Open(ctx, c.Client, o)
	if err := f.placed(d, c.Client, err); err != nil {
		return err
	}
	compiled, err := broker.Sync(ctx, d, o.Compile)
	if err != nil {
		return exit{exitNo, err.Error()}
	}
	t.answer = d.Answer
	t.begin(d.ID(), version, compiled.RuleSet)
	go t.read(cmd.InOrStdin())
	out := d.Run(ctx, prompt, t)
	t.end(d.ID(), out)
	return ended(out)
}

// hostOpenCode is a server of OpenCode 1.x for a run that others decide about.
func (f *runFlags) hostOpenCode(ctx context.Context, cmd *cobra.Command, o live.DriverOptions, dir string, t *terminal) (host, error) {
	c, err := f.connect(ctx, cmd, dir, &o)
	if err != nil {
		return host{}, err
	}
	version, err := f.version(ctx, c.Client, t)
	if err != nil {
		c.stop()
		return host{}, err
	}
	o.Translator = remote.Asking(o.Translator)
	open := func(ctx context.Context, at turn) (driven, func(), error) {
		o := o
		o.Session, o.Cell, o.Compile = at.session, at.cell, at.compile
		d, err := openRested(ctx, c.Client, o, at.again)
		if err := f.placed(d, c.Client, err); err != nil {
			return nil, nil, err
		}
		return d, func() {}, nil
	}
	return host{version, open, c.stop}, nil
}

// A session that was just stopped may take a moment until it rests.
const (
	restWithin = 15 * time.Second
	restEvery  = 100 * time.Millisecond
)

// openRested opens a session; one that was just stopped to be started again is
// waited for.
func openRested(ctx context.Context, c *live.Client, o live.DriverOptions, again bool) (*live.Driver, error) {
	for until := time.Now().Add(restWithin); ; {
		d, err := live.Open(ctx, c, o)
		if !again || !errors.Is(err, live.ErrBusy) || time.Now().After(until) {
			return d, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(restEvery):
		}
	}
}

// version asks the server what it is, and refuses what can't be driven.
func (f *runFlags) version(ctx context.Context, c *live.Client, t *terminal) (string, error) {
	version, err := c.Version(ctx)
	var status *live.StatusError
	if errors.As(err, &status) && status.Status == http.StatusUnauthorized {
		return "", exit{exitNo, "the OpenCode server wants another password: set OPENCODE_SERVER_PASSWORD"}
	}
	if err != nil {
		return "", exit{exitNo, fmt.Sprintf("the OpenCode server doesn't answer: %v", err)}
	}
	if !strings.HasPrefix(version, "1.") {
		return "", fmt.Errorf("this is OpenCode %s: run drives 1.x", version)
	}
	if known := opencode.New().Versions(); !slices.Contains(known, version) {
		t.note(fmt.Sprintf("this is OpenCode %s; what is said of it was measured on %s", version, strings.Join(known, ", ")))
	}
	return version, nil
}

// placed is what is wrong with a session that was opened: it must lie where it is
// said to.
func (f *runFlags) placed(d *live.Driver, c *live.Client, err error) error {
	if err != nil {
		return exit{exitNo, err.Error()}
	}
	if f.session != "" && f.workspace != "" && d.Directory() != c.Directory() {
		return fmt.Errorf("session %s lies in %s, not in --workspace %s", f.session, d.Directory(), c.Directory())
	}
	return nil
}

// connection is a client and how to end what was started for it.
type connection struct {
	*live.Client
	stop func()
}

// connect starts a server, or takes the one at --url.
func (f *runFlags) connect(ctx context.Context, cmd *cobra.Command, dir string, o *live.DriverOptions) (connection, error) {
	if f.url != "" {
		if f.binary != "" {
			return connection{}, errors.New("--url and --binary exclude each other")
		}
		if err := f.checkURL(); err != nil {
			return connection{}, err
		}
		return connection{live.NewClient(f.url, os.Getenv("OPENCODE_SERVER_PASSWORD"), dir), func() {}}, nil
	}
	name := f.binary
	if name == "" {
		name = "opencode"
	}
	binary, err := exec.LookPath(name)
	if err != nil {
		return connection{}, fmt.Errorf("no OpenCode to run (%w): install it, or name it with --binary", err)
	}
	log := io.Discard
	if f.log {
		log = cmd.ErrOrStderr()
	}
	s, err := live.Start(ctx, live.Options{Binary: binary, Dir: dir, Log: log, StopTimeout: 5 * time.Second})
	if err != nil {
		return connection{}, exit{exitNo, err.Error()}
	}
	o.Gone = s.Done()
	return connection{s.Client(dir), s.Stop}, nil
}

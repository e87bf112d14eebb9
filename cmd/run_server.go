package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/remote"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// tokenEnv is the variable with the service's token.
const tokenEnv = "MODEGATE_TOKEN"

// serviceTimes are how long a run waits for its service; tests have less time.
var serviceTimes remote.Times

// service finds the service of --server, before anything is started.
func (f *runFlags) service(ctx context.Context, cmd *cobra.Command, t *terminal) (*remote.Client, error) {
	if cmd.Flags().Changed("policy") {
		return nil, errors.New("--server and --policy exclude each other: the service's policy holds")
	}
	token := os.Getenv(tokenEnv)
	if f.token != "" {
		data, err := os.ReadFile(f.token)
		if err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		token = string(data)
	}
	if token == "" {
		return nil, fmt.Errorf("--server needs a token: give --token-file, or set %s", tokenEnv)
	}
	c, err := remote.NewClient(f.server, token, serviceTimes)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	degraded, err := c.Ready(ctx)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("--server %s: %w", c.Base(), err)
	}
	if degraded != "" {
		t.note("the modegate service is degraded: " + degraded)
	}
	return c, nil
}

// goOn is what the agent is told when it is started anew under another mode.
const goOn = "The mode of this session is %s from now on, and what you were doing was interrupted for it. Go on with the task; what asked or was allowed before may be decided otherwise now."

// served runs the prompt with a service that decides.
func (f *runFlags) served(ctx context.Context, cmd *cobra.Command, c cell, dir string, o live.DriverOptions, t *terminal, prompt string) (err error) {
	if c.Provider != evaluator.OpenCode {
		return fmt.Errorf("run can't drive %s with --server yet: use opencode", c.Provider)
	}
	service, err := f.service(ctx, cmd, t)
	if err != nil {
		return err
	}
	defer service.Close()
	connection, err := f.connect(ctx, cmd, dir, &o)
	if err != nil {
		return err
	}
	defer connection.stop()
	version, err := f.version(ctx, connection.Client, t)
	if err != nil {
		return err
	}
	o.Translator = remote.Asking(o.Translator)
	session := service.NewSession(c.Cell)
	t.out.inbox = service.Base()
	defer func() {
		if lost := session.Unload(context.WithoutCancel(ctx)); lost != nil {
			t.note(fmt.Sprintf("session %s can't be unloaded: %v", session.ID(), lost))
			if err == nil {
				err = exit{exitNo, lost.Error()}
			}
		}
	}()
	for first := true; ; first = false {
		run := &servedRun{session: session, dialect: c.dialect, t: t, version: version, first: first}
		d, err := run.begin(ctx, f, connection.Client, &o)
		if err != nil {
			return run.cantBegin(ctx, err)
		}
		out, again, err := run.drive(ctx, d, prompt)
		if err != nil {
			return run.cantBegin(ctx, err)
		}
		if !again {
			t.end(d.ID(), out)
			return ended(out)
		}
		o.Session, o.Cell = d.ID(), run.next
		prompt = fmt.Sprintf(goOn, o.Cell.Mode)
	}
}

// servedRun is one turn of a run with a service.
type servedRun struct {
	session *remote.Session
	dialect compiler.Dialect
	t       *terminal
	version string
	first   bool

	mu   sync.Mutex
	next evaluator.Cell // that the session has from the next turn on
}

// errChanged stops a run whose session has another mode.
var errChanged = errors.New("the session's mode was changed at the modegate service")

// begin starts a turn at the service, and applies the rules that it has for it.
func (r *servedRun) begin(ctx context.Context, f *runFlags, c *live.Client, o *live.DriverOptions) (*live.Driver, error) {
	for {
		d, err := r.open(ctx, f, c, *o)
		if err != nil {
			return nil, err
		}
		known := d.ID() != ""
		env, err := d.Env(ctx)
		if err != nil {
			return nil, err
		}
		set, err := r.session.Begin(ctx, env, d.ID())
		if err != nil {
			return nil, err
		}
		if r.session.Cell() != o.Cell { // somebody was faster, and the Env is another's
			o.Cell = r.session.Cell()
			continue
		}
		compiled, err := compiler.Take(set, r.dialect, o.Cell, compiler.Options{Env: env})
		if err != nil {
			return nil, err
		}
		if err := d.Apply(ctx, compiled.RuleSet); err != nil {
			return nil, err
		}
		if !known {
			if err := r.session.Native(ctx, d.ID()); err != nil {
				return nil, err
			}
		}
		r.t.begin(d.ID(), r.version, compiled.RuleSet)
		return d, nil
	}
}

// A session that was just stopped may take a moment until it rests.
const (
	restWithin = 15 * time.Second
	restEvery  = 100 * time.Millisecond
)

// open opens the session, and waits for one that was stopped to be started anew.
func (r *servedRun) open(ctx context.Context, f *runFlags, c *live.Client, o live.DriverOptions) (*live.Driver, error) {
	for until := time.Now().Add(restWithin); ; {
		d, err := live.Open(ctx, c, o)
		if r.first || !errors.Is(err, live.ErrBusy) || time.Now().After(until) {
			return d, f.placed(d, c, err)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(restEvery):
		}
	}
}

// cantBegin is the exit of a turn that can't begin: a service that says no at the
// start is wrong usage.
func (r *servedRun) cantBegin(ctx context.Context, err error) error {
	_ = r.session.End(context.WithoutCancel(ctx), remote.Failed) // what it can't be told is told by err
	var already exit
	switch {
	case errors.As(err, &already):
		return err
	case ctx.Err() != nil:
		return exit{exitNo, context.Cause(ctx).Error()}
	case r.first && remote.Service(err):
		return exit{exitUsage, err.Error()}
	}
	return exit{exitNo, err.Error()}
}

// drive runs the prompt, and tells the service how it ended. again says that the
// session goes on under another cell.
func (r *servedRun) drive(ctx context.Context, d *live.Driver, prompt string) (out broker.Outcome, again bool, err error) {
	running, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	person, err := r.session.NewPerson(ctx, d, r.t, remote.Ends{
		Fail: leave,
		Changed: func(mode evaluator.Mode, interaction evaluator.Interaction) {
			r.mu.Lock()
			r.next = r.session.Cell()
			r.next.Mode, r.next.Interaction = mode, interaction
			r.mu.Unlock()
			leave(errChanged)
		},
	})
	if err != nil {
		return out, false, err
	}
	out = d.Run(running, prompt, person)
	after := context.WithoutCancel(ctx)
	lost := person.Stop(after)
	if lost == nil {
		status := map[broker.End]string{broker.Ended: remote.Completed, broker.Failed: remote.Failed, broker.Cancelled: remote.Cancelled}[out.End]
		if again = out.End == broker.Cancelled && errors.Is(context.Cause(running), errChanged); again {
			status = remote.Restarted
		}
		lost = r.session.End(after, status)
	}
	if lost != nil {
		again = false
		if out.End != broker.Failed {
			out = broker.Outcome{End: broker.Failed, Reason: lost.Error()}
		}
	}
	return out, again, nil
}

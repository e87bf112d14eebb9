package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

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

// driven is a session that is open for a turn.
type driven interface {
	broker.Performer
	ID() string
}

// turn says what a session is opened for.
type turn struct {
	session string // "" for a new one
	cell    evaluator.Cell
	compile broker.Compile
	again   bool // it has just been stopped, to be started again
}

// host is a provider's server.
type host struct {
	version string
	open    func(context.Context, turn) (d driven, end func(), err error)
	stop    func()
}

// served runs the prompt with a service that decides.
func (f *runFlags) served(ctx context.Context, cmd *cobra.Command, c cell, dir string, o live.DriverOptions, t *terminal, prompt string) (err error) {
	service, err := f.service(ctx, cmd, t)
	if err != nil {
		return err
	}
	defer service.Close()
	var at host
	if c.Provider == evaluator.OpenCode2 {
		at, err = f.hostOpenCode2(o, dir)
	} else {
		at, err = f.hostOpenCode(ctx, cmd, o, dir, t)
	}
	if err != nil {
		return err
	}
	defer at.stop()
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
	next := turn{session: f.session, cell: c.Cell}
	for {
		run := &servedRun{session: session, dialect: c.dialect, t: t, host: at, turn: next}
		out, again, err := run.drive(ctx, prompt)
		if err != nil {
			return run.cantBegin(ctx, err)
		}
		if !again {
			t.end(run.id, out)
			return ended(out)
		}
		next = turn{session: run.id, cell: run.changed, again: true}
		prompt = fmt.Sprintf(goOn, next.cell.Mode)
	}
}

// servedRun is one turn of a run with a service.
type servedRun struct {
	session *remote.Session
	dialect compiler.Dialect
	t       *terminal
	host    host
	turn    turn
	id      string // the provider's, of its session

	mu      sync.Mutex
	changed evaluator.Cell // that the session has from the next turn on
}

// errChanged stops a run whose session has another mode.
var errChanged = errors.New("the session's mode was changed at the modegate service")

// drive runs the prompt under the rules that the service has for it, and tells the
// service how it ended. again says that the session goes on under another cell.
func (r *servedRun) drive(ctx context.Context, prompt string) (out broker.Outcome, again bool, err error) {
	d, end, err := r.begin(ctx)
	if err != nil {
		return out, false, err
	}
	defer end()
	running, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	person, err := r.session.NewPerson(ctx, d, r.t, remote.Ends{
		Fail: leave,
		Changed: func(mode evaluator.Mode, interaction evaluator.Interaction) {
			r.mu.Lock()
			r.changed = r.turn.cell
			r.changed.Mode, r.changed.Interaction = mode, interaction
			r.mu.Unlock()
			leave(errChanged)
		},
		Ruled: func(ctx context.Context) error { return synced(ctx, d, r.compile(ctx)) },
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

// begin starts a turn at the service, and applies the rules that it has for it.
func (r *servedRun) begin(ctx context.Context) (driven, func(), error) {
	for {
		at := r.turn
		at.compile = r.compile(context.WithoutCancel(ctx))
		d, end, err := r.host.open(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		as, err := r.start(ctx, d)
		switch {
		case err == nil && as == r.turn.cell:
			return d, end, nil
		case err == nil: // somebody was faster, and what was opened is for another cell
			r.turn.cell, r.turn.session = as, d.ID()
		}
		end()
		if err != nil {
			return nil, nil, err
		}
	}
}

// start begins the turn of a session that is open, and returns its cell: rules of
// another than it was opened for aren't applied.
func (r *servedRun) start(ctx context.Context, d driven) (as evaluator.Cell, err error) {
	env, err := d.Env(ctx)
	if err != nil {
		return as, err
	}
	known := d.ID()
	set, err := r.session.Begin(ctx, env, known)
	if as = r.session.Cell(); err != nil || as != r.turn.cell {
		return as, err
	}
	compiled, err := compiler.Take(set, r.dialect, as, compiler.Options{Env: env})
	if err == nil {
		err = d.Apply(ctx, compiled.RuleSet)
	}
	if r.id = d.ID(); err == nil && known == "" {
		err = r.session.Native(ctx, r.id)
	}
	if err == nil {
		r.t.begin(r.id, r.host.version, compiled.RuleSet)
	}
	return as, err
}

// compile takes the rules that the service has for the session now.
func (r *servedRun) compile(ctx context.Context) broker.Compile {
	return func(env evaluator.Env) (*compiler.Compiled, error) {
		set, err := r.session.Ruleset(ctx)
		if err != nil {
			return nil, err
		}
		as := r.turn.cell
		as.Mode, as.Interaction = set.Mode, set.Interaction
		return compiler.Take(set, r.dialect, as, compiler.Options{Env: env})
	}
}

// synced brings a session's rules up to date while it runs.
func synced(ctx context.Context, d driven, compile broker.Compile) error {
	if own, ok := d.(interface {
		Sync(context.Context) (*compiler.Compiled, error)
	}); ok {
		_, err := own.Sync(ctx)
		return err
	}
	_, err := broker.Sync(ctx, d, compile)
	return err
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
	case !r.turn.again && remote.Service(err):
		return exit{exitUsage, err.Error()}
	}
	return exit{exitNo, err.Error()}
}

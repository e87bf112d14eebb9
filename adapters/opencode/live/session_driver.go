package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// A Driver is the live half of 1.x for one session: a [broker.Session].
type Driver struct {
	c     *Client
	o     DriverOptions
	notes []string // for the next run

	applying sync.Mutex // held while the session is given rules

	mu     sync.Mutex
	id     string // the session's, "" until the first Apply makes one
	env    evaluator.Env
	agent  string // whom prompts name
	rules  []Rule // that were applied
	grants []evaluator.Grant
	follow broker.Translator // as the rules in force say, nil before the first Apply
	run    *run              // the one that is under way
}

// DriverOptions say what a Driver drives, and under which cell.
type DriverOptions struct {
	Session    string // the session to continue, "" to make one
	Cell       evaluator.Cell
	Agent      string // "" for the cell's own choice, else the server's default
	ProviderID string // with ModelID: the prompts' model; empty means the default
	ModelID    string
	Translator broker.Translator
	Compile    broker.Compile
	Gone       <-chan struct{} // closed when the server has ended; nil when others may use it, too
	Times      Times
}

var _ broker.Performer = (*Driver)(nil)

// ErrBusy says that the session to continue runs a prompt already.
var ErrBusy = errors.New("the session runs a prompt already, which rules sent now wouldn't reach")

// Open looks up the session to continue, if there is one.
func Open(ctx context.Context, c *Client, o DriverOptions) (*Driver, error) {
	o.Times = o.Times.withDefaults()
	d := &Driver{c: c, o: o, id: o.Session}
	if o.Session == "" {
		return d, nil
	}
	s, err := c.Session(ctx, o.Session)
	if err != nil {
		return nil, err
	}
	if s.Directory != "" && s.Directory != c.dir {
		// Requests of a session are answered in its own directory alone.
		d.c = NewClient(c.base, c.password, s.Directory)
	}
	status, err := d.c.Statuses(ctx)
	if err != nil {
		return nil, err
	}
	if is := status[o.Session].Type; is != "" && is != StatusIdle {
		return nil, fmt.Errorf("session %s: %w", o.Session, ErrBusy)
	}
	return d, nil
}

// ID is the session's id, "" before it was made.
func (d *Driver) ID() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.id
}

// translator answers by itself what the rules in force say.
func (d *Driver) translator() broker.Translator {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.follow == nil {
		return d.o.Translator
	}
	return d.follow
}

// known is the session's Env as it was asked for last.
func (d *Driver) known() evaluator.Env {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.env
}

// Directory is the session's folder.
func (d *Driver) Directory() string { return d.c.dir }

// Env asks the server what it knows: the folder, the git worktree and the
// agents' rules, which precede the session's.
func (d *Driver) Env(ctx context.Context) (evaluator.Env, error) {
	list, err := d.c.Agents(ctx)
	if err != nil {
		return evaluator.Env{}, err
	}
	paths, err := d.c.Paths(ctx)
	if err != nil {
		return evaluator.Env{}, err
	}
	env := evaluator.Env{Workspace: paths.Directory, Home: paths.Home, Agents: []evaluator.Agent{}}
	if slices.Contains([]string{"linux", "darwin", "windows"}, runtime.GOOS) {
		env.Platform = runtime.GOOS
	}
	if env.Facts, err = json.Marshal(map[string]string{"worktree": paths.Worktree}); err != nil {
		return env, err
	}
	for _, a := range list {
		agent, err := envAgent(a)
		if err != nil {
			return env, err
		}
		env.Agents = append(env.Agents, agent)
	}
	env.Agent = d.o.Agent
	if env.Agent == "" && d.o.Cell.Interaction != evaluator.Plan {
		if env.Agent, err = d.defaultAgent(ctx, list); err != nil {
			return env, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	env.Grants = slices.Clone(d.grants)
	d.env, d.agent = env, env.Agent
	return env, nil
}

func envAgent(a Agent) (evaluator.Agent, error) {
	out := evaluator.Agent{ID: a.Name, Permissions: []evaluator.AgentRule{}}
	for _, r := range a.Permission {
		rule := evaluator.AgentRule{Action: r.Permission, Resource: r.Pattern}
		if err := rule.Effect.UnmarshalText([]byte(r.Action)); err != nil {
			return out, fmt.Errorf("agent %s: %w", a.Name, err)
		}
		out.Permissions = append(out.Permissions, rule)
	}
	return out, nil
}

// defaultAgent is the agent that the server runs when none is named. It is then
// named all the same: a session that ran another agent before could keep it.
func (d *Driver) defaultAgent(ctx context.Context, list []Agent) (string, error) {
	raw, err := d.c.Config(ctx)
	if err != nil {
		return "", err
	}
	var config struct {
		DefaultAgent string `json:"default_agent"`
	}
	if err := json.Unmarshal(raw, &config); err != nil {
		return "", fmt.Errorf("opencode: its configuration: %w", err)
	}
	if config.DefaultAgent != "" {
		return config.DefaultAgent, nil
	}
	first := ""
	for _, a := range list {
		if a.Name == "build" {
			return a.Name, nil
		}
		if first == "" && a.Mode != "subagent" && !a.Hidden {
			first = a.Name
		}
	}
	return first, nil
}

package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/modegate/modegate/evaluator"
)

// For a while after a directory is touched the server has no agents: how often it
// is asked again, and how long (the founding description's times).
const (
	agentsAgain = 250 * time.Millisecond
	agentsLimit = 5 * time.Second
)

// Env is the folder, the server's agents, whose rules precede the session's, and
// what the session has granted. Without an answer about agents it has none, and
// what is compiled from it says so.
func (d *Driver) Env(ctx context.Context) (evaluator.Env, error) {
	agents, err := d.listAgents(ctx)
	if err != nil {
		return evaluator.Env{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.env = evaluator.Env{Workspace: d.c.dir, Agent: d.agent, Agents: agents, Grants: unique(d.grants)}
	return d.env, nil
}

// listAgents asks for the agents until there are any, and remembers those alone.
func (d *Driver) listAgents(ctx context.Context) ([]evaluator.Agent, error) {
	d.mu.Lock()
	known, cell := d.agents, d.cell
	d.mu.Unlock()
	if known != nil || d.o.NeedsAgents != nil && !d.o.NeedsAgents(cell) {
		return known, nil
	}
	limited, cancel := context.WithTimeout(ctx, agentsLimit)
	defer cancel()
	until := time.Now().Add(agentsLimit)
	again := time.NewTicker(agentsAgain)
	defer again.Stop()
	for {
		list, err := d.c.Agents(limited)
		if len(list) > 0 {
			return d.remember(list)
		}
		if IsUnauthorized(err) || hasNoRoute(err) {
			return nil, err
		}
		select {
		case <-again.C:
		case <-limited.Done():
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !time.Now().Before(until) {
			d.box.Post(func() { d.note("the server names no agents: the rules are without their paths") })
			return nil, nil
		}
	}
}

func (d *Driver) remember(list []Agent) ([]evaluator.Agent, error) {
	agents := []evaluator.Agent{}
	for _, a := range list {
		agent := evaluator.Agent{ID: a.ID, Permissions: []evaluator.AgentRule{}}
		for _, r := range a.Permissions {
			rule := evaluator.AgentRule{Action: r.Action, Resource: r.Resource}
			if err := rule.Effect.UnmarshalText([]byte(r.Effect)); err != nil {
				return nil, fmt.Errorf("agent %s: %w", a.ID, err)
			}
			agent.Permissions = append(agent.Permissions, rule)
		}
		agents = append(agents, agent)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.agents = agents
	return agents, nil
}

func unique(grants []evaluator.Grant) []evaluator.Grant {
	var out []evaluator.Grant
	for _, g := range grants {
		if !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

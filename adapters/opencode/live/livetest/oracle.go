package livetest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modegate/modegate/adapters/opencode/live"
)

// NativeConfig writes an opencode.json that holds nothing but agents with
// native rules. In the directory of such a file the 1.x surface answers 400;
// the native one loads the rules exactly as they are, except that "~" and
// "$HOME" at the beginning of a resource of read, edit and external_directory
// are expanded.
func NativeConfig(agents map[string][]live.NativeRule) ([]byte, error) {
	type agent struct {
		Permissions []live.NativeRule `json:"permissions"`
	}
	file := struct {
		Agents map[string]agent `json:"agents"`
	}{Agents: map[string]agent{}}
	for name, rules := range agents {
		if rules == nil {
			rules = []live.NativeRule{}
		}
		file.Agents[name] = agent{rules}
	}
	return json.Marshal(file)
}

// An Oracle asks the native evaluator of a running OpenCode about the agents of
// one directory. It may be used by one goroutine at a time.
type Oracle struct {
	client  *live.Client
	session string
	agents  map[string][]live.NativeRule
}

// OracleTimeout bounds the wait for a directory's agents, which took 0.7 to 7
// seconds where it was measured.
const OracleTimeout = time.Minute

// NewOracle opens the client's directory and waits until at least n agents are
// there. An evaluation before that would be answered with deny.
func NewOracle(ctx context.Context, c *live.Client, n int) (*Oracle, error) {
	ctx, cancel := context.WithTimeout(ctx, OracleTimeout)
	defer cancel()
	session, err := c.CreateNativeSession(ctx)
	if err != nil {
		return nil, err
	}
	o := &Oracle{client: c, session: session}
	for {
		agents, err := c.NativeAgents(ctx)
		if err != nil {
			return nil, err
		}
		if len(agents) >= n && n > 0 || len(agents) > 0 && n == 0 {
			o.agents = map[string][]live.NativeRule{}
			for _, a := range agents {
				o.agents[a.ID] = a.Permissions
			}
			return o, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d agents were loaded: %w", len(agents), n, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Rules are the rules of an agent as the server loaded them.
func (o *Oracle) Rules(agent string) []live.NativeRule { return o.agents[agent] }

// Evaluate returns the effect for an action on resources under an agent's
// rules. The request that an ask leaves behind is answered at once.
func (o *Oracle) Evaluate(ctx context.Context, agent, action string, resources ...string) (string, error) {
	got, err := o.client.Evaluate(ctx, o.session, live.Evaluation{Action: action, Resources: resources, Agent: agent})
	if err != nil {
		return "", err
	}
	if got.Effect == live.ActionAsk {
		if err := o.client.ReplyNative(ctx, o.session, got.ID, live.Reply{Reply: live.ReplyOnce}); err != nil {
			return "", err
		}
	}
	return got.Effect, nil
}

package oracle

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/compiler"
)

// Native asks the native evaluator: each row's rules become an agent of a
// configuration file, which is then asked about the row's resources.
type Native struct {
	*started
	serial int
}

// OpenNative starts the binary.
func OpenNative(bin string) (*Native, error) {
	ctx, cancel := context.WithTimeout(context.Background(), agentsTimeout)
	defer cancel()
	s, err := start(ctx, bin, map[string]any{"autoupdate": false, "share": "disabled"})
	if err != nil {
		return nil, err
	}
	return &Native{started: s}, nil
}

// Close stops the binary.
func (n *Native) Close() error { n.stop(); return nil }

// agentsTimeout bounds the wait for a directory's agents.
const agentsTimeout = 2 * time.Minute

// nobody is an agent without rules: whatever it is asked, it asks.
const nobody = "zz-nobody"

func agentOf(i int) string { return fmt.Sprintf("c%05d", i) }

type permissions struct {
	Permissions []live.NativeRule `json:"permissions"`
}

// Answer loads the rows' rules in a directory of their own and asks.
func (n *Native) Answer(ctx context.Context, _ compiler.CaseFile, rows []jsontext.Value) ([]compiler.Answer, error) {
	parsed, out := make([]row, len(rows)), make([]compiler.Answer, len(rows))
	agents := map[string]permissions{nobody: {[]live.NativeRule{}}}
	for i, raw := range rows {
		if err := json.Unmarshal(raw, &parsed[i]); err != nil {
			return nil, err
		}
		r := &parsed[i]
		if r.In != nil {
			r.Rules = []live.NativeRule{{Action: r.Action, Resource: *r.In, Effect: live.ActionAllow}}
		} else if homely(r.Rules) {
			out[i] = compiler.Answer{Skipped: "rules that a configuration file changes"}
			continue
		}
		if r.Rules == nil {
			r.Rules = []live.NativeRule{}
		}
		agents[agentOf(i)] = permissions{r.Rules}
	}
	n.serial++
	dir := filepath.Join(n.root, fmt.Sprint("rules", n.serial))
	if err := writeConfig(filepath.Join(dir, "opencode.json"), map[string]any{"agents": agents}); err != nil {
		return nil, err
	}
	client := n.server.Client(dir)
	session, err := client.CreateNativeSession(ctx)
	if err != nil {
		return nil, err
	}
	loaded, err := waitForAgents(ctx, client, len(agents))
	if err != nil {
		return nil, err
	}
	for i, r := range parsed {
		switch {
		case out[i].Skipped != "":
		case r.In != nil:
			out[i] = n.shortcut(rows[i], loaded[agentOf(i)])
		default:
			effect, err := ask(ctx, client, session, i, r)
			if err != nil {
				out[i] = compiler.Answer{Failed: err.Error()}
				continue
			}
			out[i] = compiler.Answered(rows[i], effect, map[string]any{"effect": effect})
		}
	}
	return out, ctx.Err()
}

// shortcut is what a home shortcut became on loading.
func (n *Native) shortcut(raw jsontext.Value, rules []live.NativeRule) compiler.Answer {
	if len(rules) != 1 {
		return compiler.Answer{Failed: fmt.Sprintf("one rule became %d", len(rules))}
	}
	got := rules[0].Resource
	if rest, ok := strings.CutPrefix(got, n.home); ok {
		got = "<home>" + rest
	}
	return compiler.Answered(raw, got, map[string]any{"out": got})
}

// homely reports whether a rule's text is one that a configuration file changes.
func homely(rules []live.NativeRule) bool {
	for _, r := range rules {
		if strings.HasPrefix(r.Resource, "~") || strings.HasPrefix(r.Resource, "$HOME") {
			return true
		}
	}
	return false
}

// waitForAgents waits until a directory's agents are loaded: before that every
// evaluation is answered with deny.
func waitForAgents(ctx context.Context, c *live.Client, count int) (map[string][]live.NativeRule, error) {
	ctx, cancel := context.WithTimeout(ctx, agentsTimeout)
	defer cancel()
	for {
		list, err := c.NativeAgents(ctx)
		if err != nil {
			return nil, err
		}
		if len(list) >= count {
			out := map[string][]live.NativeRule{}
			for _, a := range list {
				out[a.ID] = a.Permissions
			}
			return out, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("only %d of %d agents were loaded: %w", len(list), count, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ask grants what the row has saved, asks the evaluator, and clears up.
func ask(ctx context.Context, c *live.Client, session string, i int, r row) (string, error) {
	for j, g := range r.Saved {
		e, err := c.Evaluate(ctx, session, live.Evaluation{
			Action: g.Action, Resources: []string{fmt.Sprintf("\x01seed %d.%d", i, j)}, Save: []string{g.Resource}, Agent: nobody,
		})
		if err != nil {
			return "", fmt.Errorf("granting: %w", err)
		}
		if e.Effect != live.ActionAsk { // an earlier grant covers it
			continue
		}
		if err := c.ReplyNative(ctx, session, e.ID, live.Reply{Reply: live.ReplyAlways}); err != nil {
			return "", fmt.Errorf("granting: %w", err)
		}
	}
	e, err := c.Evaluate(ctx, session, live.Evaluation{Action: r.Action, Resources: r.Resources, Agent: agentOf(i)})
	if err != nil {
		return "", err
	}
	if e.Effect == live.ActionAsk {
		if err := c.ReplyNative(ctx, session, e.ID, live.Reply{Reply: live.ReplyOnce}); err != nil {
			return "", err
		}
	}
	if len(r.Saved) > 0 {
		grants, err := c.Grants(ctx)
		if err != nil {
			return "", err
		}
		for _, g := range grants {
			if err := c.DeleteGrant(ctx, g.ID); err != nil {
				return "", err
			}
		}
	}
	return e.Effect, nil
}

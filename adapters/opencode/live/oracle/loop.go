package oracle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/scripted"
)

// Loop asks the agent loop of 1.x: a session with the row's rules, in which the
// model calls grep with the row's text.
type Loop struct {
	*started
	model *scripted.Server
	dir   string
	base  []live.NativeRule // the default agent's, which precede every session's
}

// OpenLoop starts the binary and its model.
func OpenLoop(bin string) (*Loop, error) {
	ctx, cancel := context.WithTimeout(context.Background(), agentsTimeout)
	defer cancel()
	l := &Loop{model: scripted.Start()}
	model := map[string]any{"name": "scripted", "tool_call": true, "limit": map[string]int{"context": 4_000_000, "output": 8000}}
	var err error
	l.started, err = start(ctx, bin, map[string]any{
		"provider": map[string]any{"fake": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Fake", // bundled in the binary
			"options": map[string]string{"baseURL": l.model.BaseURL(), "apiKey": "none"},
			"models":  map[string]any{"scripted": model},
		}},
		"model": "fake/scripted", "small_model": "fake/scripted", "enabled_providers": []string{"fake"},
		"share": "disabled", "autoupdate": false, "snapshot": false, "lsp": false, "formatter": false,
	})
	if err != nil {
		l.model.Close()
		return nil, err
	}
	l.dir = filepath.Join(l.root, "ws")
	if err := l.learn(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Close stops the binary and the model.
func (l *Loop) Close() error {
	l.stop()
	l.model.Close()
	return nil
}

// learn reads the rules of the default agent.
func (l *Loop) learn(ctx context.Context) error {
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(l.dir, "a.txt"), []byte("text\n"), 0o644); err != nil {
		return err
	}
	agents, err := l.server.Client(l.dir).Agents(ctx)
	if err != nil {
		return err
	}
	for _, a := range agents {
		if a.Name != "build" {
			continue
		}
		for _, r := range a.Permission {
			l.base = append(l.base, live.NativeRule{Action: r.Permission, Resource: r.Pattern, Effect: r.Action})
		}
		return nil
	}
	return fmt.Errorf("the server has no agent build, but %d others", len(agents))
}

// own are the rules of a row behind those of the default agent; folders in those
// may be others. Where the default agent's aren't the same there are none.
func (l *Loop) own(rules []live.NativeRule) ([]live.Rule, bool) {
	if len(rules) < len(l.base) {
		return nil, false
	}
	for i, r := range l.base {
		if r.Action != rules[i].Action || r.Effect != rules[i].Effect {
			return nil, false
		}
	}
	out := []live.Rule{}
	for _, r := range rules[len(l.base):] {
		out = append(out, live.Rule{Permission: r.Action, Pattern: r.Resource, Action: r.Effect})
	}
	return out, true
}

// Answer asks rows that share their rules in one session.
func (l *Loop) Answer(ctx context.Context, _ compiler.CaseFile, rows []jsontext.Value) ([]compiler.Answer, error) {
	out := make([]compiler.Answer, len(rows))
	parsed := make([]row, len(rows))
	done := make([]bool, len(rows))
	for i, raw := range rows {
		if err := json.Unmarshal(raw, &parsed[i]); err != nil {
			return nil, err
		}
	}
	for i, r := range parsed {
		if done[i] {
			continue
		}
		rules, ok := l.own(r.Rules)
		if !ok || r.Action != "grep" || len(r.Resources) != 1 {
			out[i], done[i] = compiler.Answer{Skipped: "rows that aren't grep under this server's default rules"}, true
			continue
		}
		var group []int
		var texts []string
		for j := i; j < len(parsed); j++ {
			q := parsed[j]
			if !done[j] && slices.Equal(q.Rules, r.Rules) && len(q.Resources) == 1 && q.Action == "grep" && !slices.Contains(texts, q.Resources[0]) {
				group, texts, done[j] = append(group, j), append(texts, q.Resources[0]), true
			}
		}
		effects, err := l.run(ctx, rules, texts)
		for k, j := range group {
			if err != nil {
				out[j] = compiler.Answer{Failed: err.Error()}
				continue
			}
			out[j] = compiler.Answered(rows[j], effects[k], map[string]any{"effect": effects[k]})
		}
	}
	return out, ctx.Err()
}

// turnTimeout bounds one prompt.
const turnTimeout = 90 * time.Second

// run has the model call grep with each text, approves whatever is asked, and
// tells what was done with each call.
func (l *Loop) run(ctx context.Context, rules []live.Rule, texts []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	c := l.server.Client(l.dir)
	s, err := c.CreateSession(ctx, live.NewSession{Permission: rules})
	if err != nil {
		return nil, err
	}
	var step scripted.Step
	for i, text := range texts {
		step.Calls = append(step.Calls, scripted.Call{ID: fmt.Sprint("call_", i), Tool: "grep", Args: map[string]any{"pattern": text}})
	}
	prompt, err := scripted.Script{step}.Prompt()
	if err != nil {
		return nil, err
	}
	asks, end, err := listen(ctx, c)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := c.PromptAsync(ctx, s.ID, live.Prompt{Text: prompt}); err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the turn did not end: %w", ctx.Err())
		case p := <-asks:
			if p.SessionID == s.ID && p.Tool != nil && p.Permission == "grep" {
				asked[p.Tool.CallID] = true
			}
			if err := c.ReplyPermission(ctx, p.ID, live.Reply{Reply: live.ReplyOnce}); err != nil && !live.IsNotFound(err) {
				return nil, err
			}
			continue
		case <-tick.C:
		}
		messages, err := c.Messages(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		if effects := told(messages, asked, len(texts)); effects != nil {
			return effects, nil
		}
	}
}

// listen follows the directory's events until end is called: the list of what
// waits can't be read while a request of grep is in it.
func listen(ctx context.Context, c *live.Client) (asks chan live.PermissionRequest, end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	asks = make(chan live.PermissionRequest)
	connected, over := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(over)
		_ = c.Events(ctx, live.Hooks{
			Connected: func(context.Context, bool) { once.Do(func() { close(connected) }) },
			Event: func(e live.Event) {
				var p live.PermissionRequest
				if e.Type != live.EventAsked || e.Decode(&p) != nil {
					return
				}
				select {
				case asks <- p:
				case <-ctx.Done():
				}
			},
		})
	}()
	end = func() { cancel(); <-over }
	select {
	case <-connected:
		return asks, end, nil
	case <-ctx.Done():
		end()
		return nil, nil, ctx.Err()
	}
}

// told reads what was done with each call, nil while one of them isn't over.
func told(messages []live.Message, asked map[string]bool, calls int) []string {
	out := make([]string, calls)
	over := 0
	for _, m := range messages {
		for _, p := range m.Parts {
			var i int
			if _, err := fmt.Sscanf(p.CallID, "call_%d", &i); err != nil || p.Type != "tool" || i >= calls || !p.State.Over() {
				continue
			}
			over++
			switch {
			case asked[p.CallID]:
				out[i] = live.ActionAsk
			case strings.Contains(p.State.Error, "specified a rule"):
				out[i] = live.ActionDeny
			default:
				out[i] = live.ActionAllow
			}
		}
	}
	if over < calls {
		return nil
	}
	return out
}

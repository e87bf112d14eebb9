package live

import (
	"context"
	"strings"
	"time"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/scripted"
)

// Oracle answers rows of Codex's case file from the real binary: one agent for
// each text of rules.
type Oracle struct {
	bin    string
	agents map[string]*agent
}

// OpenOracle makes an oracle of a binary.
func OpenOracle(bin string) (*Oracle, error) {
	return &Oracle{bin: bin, agents: map[string]*agent{}}, nil
}

// Close ends the agents.
func (o *Oracle) Close() error {
	for rules, a := range o.agents {
		a.stop()
		delete(o.agents, rules)
	}
	return nil
}

// row is the inputs of a row.
type row struct {
	Approval      any            `json:"approvalPolicy"`
	Sandbox       sandbox        `json:"sandboxPolicy"`
	Reviewer      string         `json:"approvalsReviewer"`
	Collaboration string         `json:"collaborationMode"`
	Rules         string         `json:"rules"`
	Action        map[string]any `json:"action"`
	Outcome       string         `json:"outcome"` // tells only which rows can't be told apart
}

type sandbox struct {
	Type string `json:"type"`
}

func (r row) skipped() string {
	switch tool, _ := r.Action["tool"].(string); {
	case strings.HasPrefix(tool, "mcp:"):
		return "MCP tools, whose server is another program"
	case r.Reviewer != "user" && r.Outcome == "runs-sandboxed":
		return "the reviewer's part in a retry, which can't be told from outside"
	}
	return ""
}

// rowTimeout bounds one row.
const rowTimeout = 60 * time.Second

// Answer asks the binary. A row without an answer is asked once more, of a new
// agent.
func (o *Oracle) Answer(ctx context.Context, _ compiler.CaseFile, rows []jsontext.Value) ([]compiler.Answer, error) {
	out := make([]compiler.Answer, len(rows))
	for i, raw := range rows {
		var r row
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		if why := r.skipped(); why != "" {
			out[i] = compiler.Answer{Skipped: why}
			continue
		}
		for range 2 {
			word, err := o.ask(ctx, r)
			if err == nil && word == unplaced {
				out[i] = compiler.Answer{Skipped: "commands that run without a login shell: nothing marks where"}
				break
			}
			if err == nil {
				out[i] = compiler.Answered(raw, word, map[string]any{"outcome": word}, "onDenial", "afterApproval")
				break
			}
			out[i] = compiler.Answer{Failed: err.Error()}
			if a := o.agents[r.Rules]; a != nil {
				a.stop()
				delete(o.agents, r.Rules)
			}
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
		}
	}
	return out, ctx.Err()
}

// ask runs a row in a thread of its own.
func (o *Oracle) ask(ctx context.Context, r row) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, rowTimeout)
	defer cancel()
	a := o.agents[r.Rules]
	if a == nil {
		var err error
		if a, err = startAgent(ctx, o.bin, r.Rules); err != nil {
			return "", err
		}
		o.agents[r.Rules] = a
	}
	if err := a.place.reset(); err != nil {
		return "", err
	}
	start := map[string]any{
		"cwd": a.place.ws(), "ephemeral": true, "approvalPolicy": r.Approval, "approvalsReviewer": r.Reviewer,
		"sandbox": map[string]string{"readOnly": "read-only", "workspaceWrite": "workspace-write", "dangerFullAccess": "danger-full-access"}[r.Sandbox.Type],
	}
	result, err := a.call(ctx, "thread/start", start)
	if err != nil {
		return "", err
	}
	var thread struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := stdjson.Unmarshal(result, &thread); err != nil {
		return "", err
	}
	s, err := a.turn(ctx, thread.Thread.ID, map[string]any{
		"approvalPolicy": r.Approval, "approvalsReviewer": r.Reviewer, "sandboxPolicy": r.Sandbox,
		"collaborationMode": map[string]any{"mode": r.Collaboration, "settings": map[string]any{"model": "mock-model"}},
	}, r.call(a.place))
	if err != nil {
		return "", err
	}
	return s.word(r.Sandbox.Type == "dangerFullAccess"), nil
}

// call is the row's action as the model makes it: a patch comes as a command.
func (r row) call(p place) scripted.Call {
	c := scripted.Call{Args: map[string]any{}}
	for k, v := range r.Action {
		if s, ok := v.(string); ok {
			v = p.names(s)
		}
		if k == "tool" {
			c.Tool, _ = v.(string)
			continue
		}
		c.Args[k] = v
	}
	switch c.Tool {
	case "apply_patch":
		c.Tool = "exec_command"
	case "request_user_input":
		c.Args["questions"] = []any{map[string]any{"id": "q1", "header": "H", "question": "Which?", "options": []any{
			map[string]any{"label": "A", "description": "a"}, map[string]any{"label": "B", "description": "b"},
		}}}
	}
	return c
}

package opencode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/internal/scripted"
	"github.com/modegate/modegate/policies"
)

// deed is something that the real agent is made to do, whose traces are on disk.
type deed struct {
	name   string
	action evaluator.Action
	call   scripted.Call
	path   string // exists afterwards if and only if the deed was done, relative to the workspace
}

func deeds(outside string) []deed {
	shell := func(command string) scripted.Call {
		return scripted.Call{Tool: "bash", Args: map[string]any{"command": command, "description": "a deed"}}
	}
	write := func(path string) scripted.Call {
		return scripted.Call{Tool: "write", Args: map[string]any{"filePath": path, "content": "x"}}
	}
	return []deed{
		{"command", evaluator.Action{Kind: evaluator.Command, Command: "touch by-command"}, shell("touch by-command"), "by-command"},
		{"several commands", evaluator.Action{Kind: evaluator.Command, Command: "true && touch by-list"}, shell("true && touch by-list"), "by-list"},
		{"a text without a command", evaluator.Action{Kind: evaluator.Command, Command: "> by-redirect"}, shell("> by-redirect"), "by-redirect"},
		{"edit", evaluator.Action{Kind: evaluator.FileChange, Path: "by-edit"}, write("by-edit"), "by-edit"},
		{"edit by another spelling", evaluator.Action{Kind: evaluator.FileChange, Path: "sub/../by-dots"}, write("sub/../by-dots"), "by-dots"},
		{"edit in a closed folder", evaluator.Action{Kind: evaluator.FileChange, Path: "closed/by-edit"}, write("closed/by-edit"), "closed/by-edit"},
		{"edit outside", evaluator.Action{Kind: evaluator.FileChange, Path: filepath.Join(outside, "by-edit")}, write(filepath.Join(outside, "by-edit")), "../out/by-edit"},
	}
}

// closed denies one folder on top of the built-in policy, so that a refusal is
// seen in every mode, too.
const closed = `
apiVersion: modegate/v1
name: closed
extends: builtin/t3code
rules:
  - {id: closed, kind: file-change, match: closed/**, effect: deny}
acknowledge:
  - {gap: opencode.file-change.closed, reason: what is moved into the folder isn't compared}
`

// TestAgentLoopDoesAsSaid drives the real 1.18.33 under every mode: what was
// said of an action is what ran, asked or was refused, by the files on disk.
func TestAgentLoopDoesAsSaid(t *testing.T) {
	h := livetest.Start(t, livetest.Options{})
	policy, err := policies.Parse(policies.File{Name: "closed.yaml", Data: []byte(closed)})
	if err != nil {
		t.Fatal(err)
	}
	cases, disagreements := 0, 0
	for _, mode := range evaluator.Modes() {
		for _, interaction := range evaluator.Interactions() {
			cell := evaluator.Cell{Provider: evaluator.OpenCode, Mode: mode, Interaction: interaction}
			t.Run(cell.String(), func(t *testing.T) {
				root := filepath.Join(h.Root, string(mode)+"-"+string(interaction))
				ws, outside := filepath.Join(root, "ws"), filepath.Join(root, "out")
				livetest.Git(t, ws)
				if err := os.MkdirAll(outside, 0o755); err != nil {
					t.Fatal(err)
				}
				p := h.In(ws)
				env := evaluator.Env{Workspace: ws, Home: h.Home, Agents: realAgents(t, p.Client)}
				c, err := compiler.Compile(policy, opencode.New(), cell, compiler.Options{Env: env})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range deeds(outside) {
					for _, reply := range []string{live.ReplyReject, live.ReplyOnce} {
						cases++
						if !doesAsSaid(t, p, c, d, reply, filepath.Join(ws, d.path)) {
							disagreements++
						}
					}
				}
			})
		}
	}
	evidencetest.Record(t, "opencode.loop", livebin.OpenCode, cases, disagreements)
}

// realAgents are the agents that the real server lists, in the Env's words.
func realAgents(t *testing.T, c *live.Client) []evaluator.Agent {
	t.Helper()
	list, err := c.Agents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []evaluator.Agent
	for _, a := range list {
		agent := evaluator.Agent{ID: a.Name}
		for _, r := range a.Permission {
			var e evaluator.Effect
			if err := e.UnmarshalText([]byte(r.Action)); err != nil {
				t.Fatal(err)
			}
			agent.Permissions = append(agent.Permissions, evaluator.AgentRule{Action: r.Permission, Resource: r.Pattern, Effect: e})
		}
		out = append(out, agent)
	}
	return out
}

// doesAsSaid makes the agent do a deed in a fresh session of the cell and
// compares what happened with the Verdict. Every ask gets the same reply.
func doesAsSaid(t *testing.T, p *livetest.Place, c *compiler.Compiled, d deed, reply, trace string) bool {
	t.Helper()
	os.Remove(trace)
	v, err := c.Evaluate(d.action, false)
	if err != nil {
		t.Fatal(err)
	}
	var rules []live.Rule
	if err := json.Unmarshal(c.RuleSet.Native, &rules); err != nil {
		t.Fatal(err)
	}
	s, err := p.Client.CreateSession(t.Context(), live.NewSession{Permission: rules})
	if err != nil {
		t.Fatal(err)
	}
	answer := live.Reply{Reply: reply}
	if reply == live.ReplyReject {
		answer.Message = "not now"
	}
	turn := p.Run(s.ID, scripted.Script{{Calls: []scripted.Call{d.call}}}, live.Prompt{Agent: c.RuleSet.Agent}, livetest.Always(answer))
	_, err = os.Stat(trace)
	done, asked := err == nil, len(turn.Asks) > 0
	wantAsked := v.Effect == evaluator.Ask
	wantDone := v.Effect == evaluator.Allow || wantAsked && reply == live.ReplyOnce
	if asked != wantAsked || done != wantDone {
		t.Errorf("%s, asks answered %s: we say %s (%s), the real agent asked: %v, did it: %v", d.name, reply, v.Effect, v.Reason, asked, done)
		return false
	}
	return true
}

package adapters_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
	"github.com/modegate/modegate/internal/strictjson"
)

// guardrails are some that admins may have, as plain functions.
var guardrails = map[string]func(evaluator.GuardrailInput) evaluator.Effect{
	"deny everything": func(evaluator.GuardrailInput) evaluator.Effect { return evaluator.Deny },
	"ask everything":  func(evaluator.GuardrailInput) evaluator.Effect { return evaluator.Ask },
	"deny changes": func(in evaluator.GuardrailInput) evaluator.Effect {
		return when(in.Action.Kind == evaluator.FileChange, evaluator.Deny)
	},
	"deny changes below src": func(in evaluator.GuardrailInput) evaluator.Effect {
		return when(strings.HasPrefix(in.Action.Path, "src/"), evaluator.Deny)
	},
	"ask before a push": func(in evaluator.GuardrailInput) evaluator.Effect {
		return when(strings.HasPrefix(in.Action.Command, "git push"), evaluator.Ask)
	},
	"deny a push": func(in evaluator.GuardrailInput) evaluator.Effect {
		return when(strings.HasPrefix(in.Action.Command, "git push"), evaluator.Deny)
	},
	"deny full access": func(in evaluator.GuardrailInput) evaluator.Effect {
		return when(in.Mode == evaluator.FullAccess, evaluator.Deny)
	},
	"deny fetching and tools": func(in evaluator.GuardrailInput) evaluator.Effect {
		return when(in.Action.Kind == evaluator.WebFetch || in.Action.Kind == evaluator.MCPTool, evaluator.Deny)
	},
}

func when(b bool, e evaluator.Effect) evaluator.Effect {
	if b {
		return e
	}
	return evaluator.Allow
}

func asking(name string) compiler.AskGuardrails {
	return func(in evaluator.GuardrailInput) ([]evaluator.Said, error) {
		return []evaluator.Said{{Guardrail: evaluator.Guardrail{Name: name}, Effect: guardrails[name](in), Reason: "r"}}, nil
	}
}

// live writes the request that a provider makes of its client about one part of a
// Verdict, in the forms that are recorded; false where none is.
func live(t *testing.T, p evaluator.Provider, a evaluator.Action, part jsontext.Value) (jsontext.Value, bool) {
	t.Helper()
	v, err := loosejson.Parse(part)
	if err != nil {
		t.Fatal(err)
	}
	object := func(pairs ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1]
		}
		return out
	}
	question := []any{object("id", "q", "question", "Which?", "prompt", "Which?", "header", "H", "options", []any{object("id", "a", "label", "a")})}
	tool, input := v.Get("tool").Text(), v.Get("input")
	acp := func(kind string, input any) map[string]any {
		call := object("toolCallId", "c", "kind", kind, "rawInput", input)
		return object("jsonrpc", "2.0", "id", 1, "method", "session/request_permission", "params", object("sessionId", "s", "toolCall", call))
	}
	rpc := func(method string, params map[string]any) map[string]any {
		return object("id", 1, "method", method, "params", params)
	}
	var out map[string]any
	switch p {
	case evaluator.OpenCode:
		metadata := object()
		if v.Get("permission").Text() == "bash" {
			metadata = object("command", a.Command)
		}
		out = object("id", "per_1", "sessionID", "ses_1", "permission", v.Get("permission").Text(), "patterns", v.Get("patterns").Texts(), "always", []string{}, "metadata", metadata)
	case evaluator.OpenCode2:
		out = object("type", "permission.asked", "data", object("id", "per_1", "sessionID", "ses_1", "action", v.Get("action").Text(), "resources", v.Get("resources").Texts()))
	case evaluator.Claude:
		out = object("type", "control_request", "request_id", "r", "request", object("subtype", "can_use_tool", "tool_name", tool, "input", input.Raw(), "tool_use_id", "t"))
	case evaluator.Grok:
		if tool == "ask_user_question" {
			out = object("jsonrpc", "2.0", "id", 1, "method", "_x.ai/ask_user_question", "params", object("sessionId", "s", "questions", question))
			break
		}
		kind := map[string]string{"run_terminal_command": "execute", "write": "edit", "search_replace": "edit"}[tool]
		if kind == "" {
			return nil, false
		}
		out = acp(kind, input.Raw())
	case evaluator.Cursor:
		if tool == "AskQuestion" {
			out = object("jsonrpc", "2.0", "id", 1, "method", "cursor/ask_question", "params", object("sessionId", "s", "questions", question))
			break
		}
		kind := map[string]string{"Shell": "execute", "WebFetch": "fetch"}[tool]
		if kind == "" {
			return nil, false
		}
		out = acp(kind, input.Raw())
	case evaluator.Codex:
		switch {
		case tool == "exec_command":
			quoted := "'" + strings.ReplaceAll(v.Get("cmd").Text(), "'", `'\''`) + "'"
			out = rpc("item/commandExecution/requestApproval", object("itemId", "i", "threadId", "t", "kind", "command", "command", "/bin/bash -lc "+quoted, "cwd", "/work/app"))
		case tool == "apply_patch":
			out = rpc("item/fileChange/requestApproval", object("itemId", "i", "threadId", "t"))
		case strings.HasPrefix(tool, "mcp:"):
			out = rpc("mcpServer/elicitation/request", object("threadId", "t", "serverName", v.Get("server").Text(), "mode", "form", "_meta", object("tool_name", strings.TrimPrefix(tool, "mcp:"))))
		case tool == "request_user_input":
			out = rpc("item/tool/requestUserInput", object("threadId", "t", "itemId", "i", "questions", question))
		default:
			return nil, false
		}
	}
	text, err := strictjson.Encode(out)
	if err != nil {
		t.Fatal(err)
	}
	return text, true
}

// played is what becomes of an Action when the agent really tries it: each part
// that the provider asks about comes to the gate as the request that it makes,
// the guardrail sees what is shown there, and then our callback answers, or a
// person does.
func played(t *testing.T, d compiler.Dialect, name string, a evaluator.Action, v evaluator.Verdict) evaluator.Effect {
	t.Helper()
	var ends []evaluator.Effect
	for _, part := range v.Parts {
		end := part.Effect
		if end == evaluator.Ask {
			end = v.Effect // a person, or our callback's allow
			if request, ok := live(t, d.Provider(), a, part.Request); ok {
				for _, s := range shown(t, d.Provider(), request, "/work/app") {
					in := evaluator.GuardrailInput{Verdict: evaluator.Verdict{Mode: v.Mode, Interaction: v.Interaction}, Action: s}
					end = evaluator.Strictest(end, guardrails[name](in))
				}
			}
		}
		ends = append(ends, end)
	}
	switch d.Provider() { // typed by hand: whose parts are ways of doing the same
	case evaluator.Codex, evaluator.Claude, evaluator.Grok:
		return evaluator.Loosest(ends...)
	}
	return evaluator.Strictest(ends...)
}

// TestGuardedVerdictsPredict is law 4 for every provider: under a guardrail a
// Verdict never says stricter than what comes of the Action at the real gate, and
// never changes where the provider doesn't ask.
func TestGuardedVerdictsPredict(t *testing.T) {
	actions := []evaluator.Action{
		{Kind: evaluator.Command, Command: "git push origin main"},
		{Kind: evaluator.Command, Command: "cd src && git push"},
		{Kind: evaluator.Command, Command: "npm test && git push origin 'main'"},
		{Kind: evaluator.Command, Command: "ls"},
		{Kind: evaluator.Command, Command: "echo $(git push)"},
		{Kind: evaluator.Command, Command: "for f in a b; do git push $f; done"},
		{Kind: evaluator.Command, Command: "git push", Cwd: "src"},
		{Kind: evaluator.Command, Command: "git 'push"},
		{Kind: evaluator.FileChange, Path: "src/a.go"},
		{Kind: evaluator.FileChange, Path: "/work/app/src/a.go"},
		{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/b.go"},
		{Kind: evaluator.FileChange, Path: "/etc/hosts"},
		{Kind: evaluator.FileRead, Path: "src/a.go"},
		{Kind: evaluator.FileRead, Path: "/etc/hosts"},
		{Kind: evaluator.WebFetch, URL: "https://example.test/"},
		{Kind: evaluator.WebSearch, Query: "x"},
		{Kind: evaluator.MCPTool, Server: "github", Tool: "create_issue"},
		{Kind: evaluator.Subagent, Agent: "general"},
		{Kind: evaluator.Question},
	}
	tightened := map[string]int{}
	for _, d := range adapters.Table() {
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				c, err := compiler.Compile(t3code, d, cell, compiler.Options{Env: evaluator.Env{Workspace: "/work/app", Home: "/h"}})
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range actions {
					for name := range guardrails {
						before, err := c.Evaluate(a, false)
						if err != nil {
							t.Fatal(err)
						}
						v := before
						if err := compiler.Guard(d, &v, a, evaluator.GuardrailSession{Workspace: "/work/app"}, false, asking(name)); err != nil {
							t.Fatal(err)
						}
						end := played(t, d, name, a, before)
						what := fmt.Sprintf("%s, %+v, %s: %s, with the guardrail %s, at the gate %s", cell, a, name, before.Effect, v.Effect, end)
						switch {
						case v.Effect == before.Effect:
						case before.Native.Effect != evaluator.Ask:
							t.Errorf("%s: the provider doesn't ask", what)
						case compiler.Stricter(v.Effect, end):
							t.Errorf("UNSAFE %s", what)
						default:
							tightened[fmt.Sprintf("%s %s", d.Provider(), v.Effect)]++
						}
						if a.Kind != evaluator.Question && compiler.Stricter(end, v.Effect) && name != "ask everything" && name != "deny everything" && name != "deny full access" {
							t.Errorf("%s: the gate is stricter, and the verdict doesn't say so", what)
						}
					}
				}
			}
		}
	}
	for _, want := range []string{"codex deny", "claude ask", "claude deny", "grok ask", "grok deny", "opencode deny", "opencode2 deny"} {
		if tightened[want] == 0 {
			t.Errorf("%s: no Verdict was tightened: %v", want, tightened)
		}
	}
	t.Log(tightened)
}

package claude

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// Actions are what can_use_tool asks for.
func (boundary) Actions(r broker.Request) []evaluator.Action {
	q, err := readControl(r.Native)
	if err != nil || !q.asksForTool() {
		return nil
	}
	return toolActions(q.tool(), q.input())
}

// Asked are the Actions that Claude's request to us is about.
func (dialect) Asked(_ evaluator.Action, part jsontext.Value) []evaluator.Action {
	v, err := loosejson.Parse(part)
	if err != nil {
		return nil
	}
	return toolActions(v.Get("tool").Text(), v.Get("input"))
}

// AnyPart is true: the parts are tools that do the same.
func (dialect) AnyPart() bool { return true }

// toolActions is what a call of a tool comes to; nothing for a tool that no
// Action is like.
func toolActions(tool string, input loosejson.Value) []evaluator.Action {
	text := func(name string) string { return input.Get(name).Text() }
	a := evaluator.Action{}
	switch tool {
	case "Bash":
		a.Kind, a.Command = evaluator.Command, text("command")
	case "Read":
		a.Kind, a.Path = evaluator.FileRead, text("file_path")
	case "Write", "Edit", "MultiEdit":
		a.Kind, a.Path = evaluator.FileChange, text("file_path")
	case "NotebookEdit":
		a.Kind, a.Path = evaluator.FileChange, text("notebook_path")
	case "WebFetch":
		a.Kind, a.URL = evaluator.WebFetch, text("url")
	case "WebSearch":
		a.Kind, a.Query = evaluator.WebSearch, text("query")
	case "Agent", "Task":
		a.Kind, a.Agent = evaluator.Subagent, text("subagent_type")
	case "AskUserQuestion":
		a.Kind = evaluator.Question
	default:
		server, name, ok := mcpTool(tool)
		if !ok {
			return nil
		}
		a.Kind, a.Server, a.Tool = evaluator.MCPTool, server, name
	}
	return []evaluator.Action{a}
}

package grok

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// request is one tool call of Grok: the form of a native request.
type request struct {
	Tool  string         `json:"tool"`
	Input jsontext.Value `json:"input"`
}

// input is what a verdict needs of any tool's arguments. Other arguments are
// the tool's own affair.
type input struct {
	Command   string `json:"command"`
	FilePath  string `json:"file_path"`
	Target    string `json:"target_file"`
	Directory string `json:"target_directory"`
	Path      string `json:"path"`
	URL       string `json:"url"`
	ToolName  string `json:"tool_name"`
}

// The tools of Grok that the dialect names itself.
const (
	shellTool    = "run_terminal_command"
	monitorTool  = "monitor"
	readTool     = "read_file"
	listTool     = "list_dir"
	grepTool     = "grep"
	writeTool    = "write"
	replaceTool  = "search_replace"
	searchTool   = "web_search"
	fetchTool    = "web_fetch"
	mcpTool      = "use_tool"
	subagentTool = "spawn_subagent"
	askTool      = "ask_user_question"
	planExitTool = "exit_plan_mode"
)

// readRequest decodes a native request strictly, but for the tool's arguments.
func readRequest(raw jsontext.Value) (request, input, error) {
	var r request
	var in input
	if err := strictjson.Decode(raw, &r); err != nil {
		return r, in, fmt.Errorf("native request: %w", err)
	}
	if r.Tool == "" {
		return r, in, errors.New(`native request: "tool" is missing: name one of Grok's tools`)
	}
	if len(r.Input) == 0 {
		r.Input = jsontext.Value("{}")
	}
	if err := looseDecode(r.Input, &in); err != nil {
		return r, in, fmt.Errorf("native request: input: %w", err)
	}
	if isShell(r.Tool) && in.Command == "" {
		return r, in, fmt.Errorf("native request: %s has no command", r.Tool)
	}
	return r, in, nil
}

func isShell(tool string) bool { return tool == shellTool || tool == monitorTool }

// requests turns an Action into the tool calls with which Grok's model could do
// it. Any of them will do, so the loosest decides.
func requests(a evaluator.Action) ([]request, error) {
	one := func(tool string, in any) ([]request, error) {
		r, err := call(tool, in)
		return []request{r}, err
	}
	switch a.Kind {
	case evaluator.Command:
		in := map[string]string{"command": a.Command}
		if a.Cwd != "" && a.Cwd != "." {
			in["command"] = "cd " + quote(a.Cwd) + " && " + a.Command
		}
		return one(shellTool, in)
	case evaluator.FileRead:
		return one(readTool, map[string]string{"target_file": a.Path})
	case evaluator.FileChange:
		if a.To != "" { // no tool moves a file
			return one(shellTool, map[string]string{"command": "mv " + quote(a.Path) + " " + quote(a.To)})
		}
		write, err := call(writeTool, map[string]string{"file_path": a.Path})
		if err != nil {
			return nil, err
		}
		replace, err := call(replaceTool, map[string]string{"file_path": a.Path})
		return []request{write, replace}, err
	case evaluator.WebFetch:
		return one(fetchTool, map[string]string{"url": a.URL})
	case evaluator.WebSearch:
		return one(searchTool, map[string]string{"query": a.Query})
	case evaluator.MCPTool:
		return one(mcpTool, map[string]string{"tool_name": a.Server + "__" + a.Tool})
	case evaluator.Subagent:
		return one(subagentTool, map[string]string{"agent": a.Agent})
	case evaluator.Question:
		return one(askTool, struct{}{})
	}
	r, _, err := readRequest(a.Request)
	return []request{r}, err
}

func call(tool string, in any) (request, error) {
	b, err := strictjson.Encode(in)
	return request{tool, b}, err
}

package cursor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// request is one thing that Cursor's agent does, in the words of its permission
// tokens: the form of a native request. Cursor doesn't document its tools.
type request struct {
	Tool  string `json:"tool"`
	Input input  `json:"input"`
}

type input struct {
	Command string `json:"command,omitempty"`
	Path    string `json:"path,omitempty"`
	URL     string `json:"url,omitempty"`
	Query   string `json:"query,omitempty"`
	Server  string `json:"server,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Text    string `json:"text,omitempty"`
}

// The tools. The first five are words of Cursor's permission tokens.
const (
	shellTool     = "Shell"
	readTool      = "Read"
	writeTool     = "Write"
	webFetchTool  = "WebFetch"
	mcpTool       = "Mcp"
	webSearchTool = "WebSearch"
	taskTool      = "Task"
	questionTool  = "AskQuestion"
)

// needs says which field a tool must have.
func (r request) missing() string {
	fields := map[string]string{
		shellTool: r.Input.Command, readTool: r.Input.Path, writeTool: r.Input.Path,
		webFetchTool: r.Input.URL, mcpTool: r.Input.Tool, webSearchTool: r.Input.Query,
	}
	names := map[string]string{
		shellTool: "command", readTool: "path", writeTool: "path",
		webFetchTool: "url", mcpTool: "tool", webSearchTool: "query",
	}
	if v, ok := fields[r.Tool]; ok && v == "" {
		return names[r.Tool]
	}
	return ""
}

func readRequest(raw jsontext.Value) (request, error) {
	var r request
	if err := strictjson.Decode(raw, &r); err != nil {
		return r, fmt.Errorf("native request: %w", err)
	}
	if r.Tool == "" {
		return r, errors.New(`native request: "tool" is missing: use Shell, Read, Write, WebFetch, WebSearch, Mcp, Task, AskQuestion`)
	}
	if field := r.missing(); field != "" {
		return r, fmt.Errorf("native request: %s needs input.%s", r.Tool, field)
	}
	return r, nil
}

// requests turns an Action into what Cursor's agent would do, all of it.
func requests(a evaluator.Action) ([]request, error) {
	switch a.Kind {
	case evaluator.Command:
		text := a.Command
		if a.Cwd != "" && a.Cwd != "." {
			text = "cd " + quote(a.Cwd) + " && " + text
		}
		return []request{{shellTool, input{Command: text}}}, nil
	case evaluator.FileRead:
		return []request{{readTool, input{Path: a.Path}}}, nil
	case evaluator.FileChange:
		out := []request{{writeTool, input{Path: a.Path}}}
		if a.To != "" {
			out = append(out, request{writeTool, input{Path: a.To}})
		}
		return out, nil
	case evaluator.WebFetch:
		return []request{{webFetchTool, input{URL: a.URL}}}, nil
	case evaluator.WebSearch:
		return []request{{webSearchTool, input{Query: a.Query}}}, nil
	case evaluator.MCPTool:
		return []request{{mcpTool, input{Server: a.Server, Tool: a.Tool}}}, nil
	case evaluator.Subagent:
		return []request{{taskTool, input{Agent: a.Agent}}}, nil
	case evaluator.Question:
		return []request{{questionTool, input{Text: a.Text}}}, nil
	}
	r, err := readRequest(a.Request)
	return []request{r}, err
}

func encoded(v any) jsontext.Value {
	b, err := strictjson.Encode(v)
	if err != nil {
		return jsontext.Value("null")
	}
	return b
}

// quote writes a path as one word of a shell.
func quote(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-~", r)
	}
	if s != "" && strings.TrimFunc(s, safe) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

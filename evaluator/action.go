package evaluator

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind says what an Action does.
type Kind string

// The kinds of Action. OutsideWorkspace and AnyKind are kinds of rules alone:
// no Action has them.
const (
	Command          Kind = "command"
	FileRead         Kind = "file-read"
	FileChange       Kind = "file-change"
	WebFetch         Kind = "web-fetch"
	WebSearch        Kind = "web-search"
	MCPTool          Kind = "mcp-tool"
	Subagent         Kind = "subagent"
	Question         Kind = "question"
	Native           Kind = "native"
	OutsideWorkspace Kind = "outside-workspace"
	AnyKind          Kind = "any"
)

// ActionKinds lists the kinds that an Action may have.
func ActionKinds() []Kind {
	return []Kind{Command, FileRead, FileChange, WebFetch, WebSearch, MCPTool, Subagent, Question, Native}
}

// RuleKinds lists the kinds that a policy rule may speak of.
func RuleKinds() []Kind {
	return []Kind{Command, FileRead, FileChange, OutsideWorkspace, WebFetch, WebSearch, MCPTool, Subagent, Question, AnyKind}
}

// UnmarshalText accepts the kinds of Actions and of rules.
func (k *Kind) UnmarshalText(b []byte) error {
	return setWord(k, b, "kind", append(ActionKinds(), OutsideWorkspace, AnyKind))
}

// Action is one thing that an agent wants to do. Only the fields of its kind
// may be set. Paths are relative to the workspace, or absolute; links are not
// read from disk (see [Env.Resolved]).
type Action struct {
	Kind        Kind           `json:"kind"`
	Command     string         `json:"command,omitempty"`     // command: the text that the agent's shell tool gets
	Cwd         string         `json:"cwd,omitempty"`         // command: where it runs, the workspace when empty
	Path        string         `json:"path,omitempty"`        // file-read, file-change
	To          string         `json:"to,omitempty"`          // file-change: the file is moved there
	URL         string         `json:"url,omitempty"`         // web-fetch
	Query       string         `json:"query,omitempty"`       // web-search
	Server      string         `json:"server,omitempty"`      // mcp-tool
	Tool        string         `json:"tool,omitempty"`        // mcp-tool
	Annotations *Annotations   `json:"annotations,omitempty"` // mcp-tool: what the server says of the tool
	Agent       string         `json:"agent,omitempty"`       // subagent
	Text        string         `json:"text,omitempty"`        // question
	Request     jsontext.Value `json:"request,omitempty"`     // native: one request in the provider's own form
}

// Annotations are an MCP tool's own hints (Model Context Protocol, ToolAnnotations).
// A nil hint wasn't given.
type Annotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
}

// field is one field of an Action: its name, and whether it is set.
type field struct {
	name string
	set  bool
}

// Check reports the first field that is missing or that the Action's kind
// doesn't have. It doesn't look into a native request: its dialect does.
func (a Action) Check() error {
	required, optional := a.Kind.Fields()
	if required == nil {
		if a.Kind == "" {
			return fmt.Errorf("kind is missing: use %s", kindWords())
		}
		return fmt.Errorf("an action can't have kind %q: use %s", a.Kind, kindWords())
	}
	allowed := map[string]bool{}
	for _, name := range append(required, optional...) {
		allowed[name] = true
	}
	set := map[string]bool{}
	for _, f := range a.all() {
		set[f.name] = f.set
		if f.set && !allowed[f.name] {
			return fmt.Errorf("a %s has no %q", a.Kind, f.name)
		}
	}
	for _, name := range required {
		if !set[name] {
			return fmt.Errorf("a %s needs %q", a.Kind, name)
		}
	}
	return nil
}

func kindWords() string {
	s := ""
	for i, k := range ActionKinds() {
		if i > 0 {
			s += ", "
		}
		s += string(k)
	}
	return s
}

// Fields names what an Action of this kind must and may set beside its kind, as
// JSON names; required is nil for a kind that no Action has.
func (k Kind) Fields() (required, optional []string) {
	switch k {
	case Command:
		return []string{"command"}, []string{"cwd"}
	case FileRead:
		return []string{"path"}, nil
	case FileChange:
		return []string{"path"}, []string{"to"}
	case WebFetch:
		return []string{"url"}, nil
	case WebSearch:
		return []string{"query"}, nil
	case MCPTool:
		return []string{"server", "tool"}, []string{"annotations"}
	case Subagent:
		return []string{"agent"}, nil
	case Question:
		return []string{}, []string{"text"}
	case Native:
		return []string{"request"}, nil
	}
	return nil, nil
}

func (a Action) all() []field {
	return []field{
		{"command", a.Command != ""},
		{"cwd", a.Cwd != ""},
		{"path", a.Path != ""},
		{"to", a.To != ""},
		{"url", a.URL != ""},
		{"query", a.Query != ""},
		{"server", a.Server != ""},
		{"tool", a.Tool != ""},
		{"annotations", a.Annotations != nil},
		{"agent", a.Agent != ""},
		{"text", a.Text != ""},
		{"request", len(a.Request) > 0},
	}
}

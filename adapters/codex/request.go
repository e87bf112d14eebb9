package codex

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// request is one tool call in Codex's own form: the tool's name beside its
// arguments. An MCP tool is "mcp:NAME", with its server, what the server says of
// it and whether it asks its client something (elicits).
type request struct {
	Tool string `json:"tool"`

	Cmd         string   `json:"cmd,omitempty"`     // exec_command; apply_patch as its heredoc
	Workdir     string   `json:"workdir,omitempty"` // exec_command
	Permissions string   `json:"sandbox_permissions,omitempty"`
	Reason      string   `json:"justification,omitempty"`
	PrefixRule  []string `json:"prefix_rule,omitempty"` // what an approval would save; decides nothing
	Shell       string   `json:"shell,omitempty"`
	Login       *bool    `json:"login,omitempty"`
	TTY         *bool    `json:"tty,omitempty"`

	// What decides nothing here.
	Additional jsontext.Value `json:"additional_permissions,omitempty"`
	Yield      *float64       `json:"yield_time_ms,omitempty"`
	MaxTokens  *float64       `json:"max_output_tokens,omitempty"`

	Input string `json:"input,omitempty"` // apply_patch: the patch
	Path  string `json:"path,omitempty"`  // view_image
	Agent string `json:"agent,omitempty"` // spawn_agent
	Query string `json:"query,omitempty"` // web_search

	Server      string                 `json:"server,omitempty"`
	Annotations *evaluator.Annotations `json:"annotations,omitempty"`
	Elicits     bool                   `json:"elicits,omitzero"`

	Unsandboxed bool `json:"sessionUnsandboxed,omitzero"` // write_stdin: how the session was launched

	// denied is whether the sandboxed attempt is known to fail in a way that Codex
	// takes for the sandbox's doing; nil when it isn't known.
	denied *bool
	paths  []string // apply_patch from an Action: the paths, as the Action writes them
}

// The tools that are modelled. Others are unknown.
const (
	execCommand        = "exec_command"
	applyPatch         = "apply_patch"
	writeStdin         = "write_stdin"
	requestUserInput   = "request_user_input"
	requestPermissions = "request_permissions"
	mcpPrefix          = "mcp:"
)

// The values of sandbox_permissions.
const (
	useDefault     = "use_default"
	escalated      = "require_escalated"
	withAdditional = "with_additional_permissions"
)

// readRequest decodes one native request strictly.
func readRequest(raw jsontext.Value) (request, error) {
	var q request
	if err := strictjson.Decode(raw, &q); err != nil {
		return q, err
	}
	if q.Tool == "" {
		return q, errors.New("the request has no tool")
	}
	return q, q.check()
}

// check refuses arguments that the tool doesn't have.
func (q request) check() error {
	var allowed []string
	name := q.Tool
	switch {
	case q.Tool == execCommand:
		allowed = []string{"cmd", "workdir", "sandbox_permissions", "justification", "prefix_rule", "shell", "login", "tty", "additional_permissions", "yield_time_ms", "max_output_tokens"}
		if q.Cmd == "" {
			return errors.New("exec_command needs cmd")
		}
	case q.Tool == applyPatch:
		allowed = []string{"cmd", "input", "workdir"}
		if (q.Cmd == "") == (q.Input == "") {
			return errors.New("apply_patch needs input (the patch) or cmd (its heredoc), not both")
		}
	case strings.HasPrefix(q.Tool, mcpPrefix):
		allowed = []string{"server", "annotations", "elicits"}
	case q.Tool == writeStdin:
		allowed = []string{"sessionUnsandboxed"}
	default:
		return nil
	}
	for field, set := range map[string]bool{
		"cmd": q.Cmd != "", "workdir": q.Workdir != "", "sandbox_permissions": q.Permissions != "", "justification": q.Reason != "",
		"prefix_rule": q.PrefixRule != nil, "shell": q.Shell != "", "login": q.Login != nil, "tty": q.TTY != nil, "input": q.Input != "",
		"server": q.Server != "", "annotations": q.Annotations != nil, "elicits": q.Elicits, "sessionUnsandboxed": q.Unsandboxed,
		"additional_permissions": len(q.Additional) > 0, "yield_time_ms": q.Yield != nil, "max_output_tokens": q.MaxTokens != nil,
	} {
		if set && !slices.Contains(allowed, field) {
			return fmt.Errorf("%s has no %s", name, field)
		}
	}
	switch q.Permissions {
	case "", useDefault, escalated, withAdditional:
	default:
		return fmt.Errorf("unknown sandbox_permissions %q: use %s, %s or %s", q.Permissions, useDefault, escalated, withAdditional)
	}
	return nil
}

// native writes the request for a Verdict's parts.
func (q request) native() (jsontext.Value, error) { return strictjson.Encode(q) }

// requests lists the tool calls with which an agent could do an Action. One of
// them is enough, so that the loosest decides.
func requests(a evaluator.Action) []request {
	shell := func(cmd string) request { return request{Tool: execCommand, Cmd: cmd, Workdir: a.Cwd} }
	switch a.Kind {
	case evaluator.Command:
		return []request{shell(a.Command)}
	case evaluator.FileRead:
		// Codex has no tool for reading but that for images: any program does it, and
		// rules for one program don't speak of the others.
		out := []request{shell("cat " + quote(a.Path)), shell("cat < " + quote(a.Path))}
		if isImage(a.Path) {
			out = append(out, request{Tool: viewImage, Path: a.Path})
		}
		return out
	case evaluator.FileChange:
		patch := request{Tool: applyPatch, Input: patchText(a.Path, a.To), paths: []string{a.Path}}
		write := shell("cat > " + quote(a.Path))
		if a.To != "" {
			patch.paths = append(patch.paths, a.To)
			write = shell("cat < " + quote(a.Path) + " > " + quote(a.To) + " && unlink " + quote(a.Path))
		}
		up := write
		up.Permissions = escalated
		return []request{patch, write, up}
	case evaluator.WebFetch:
		// No tool fetches: any program does. It needs the network, which an escalated
		// call has.
		out := []request{shell("curl " + quote(a.URL)), shell("curl " + quote(a.URL) + " < /dev/null")}
		for _, q := range out[:2] {
			q.Permissions = escalated
			out = append(out, q)
		}
		return out
	case evaluator.MCPTool:
		return []request{{Tool: mcpPrefix + a.Tool, Server: a.Server, Annotations: a.Annotations}}
	case evaluator.Question:
		return []request{{Tool: requestUserInput}}
	case evaluator.Subagent:
		return []request{{Tool: "spawn_agent", Agent: a.Agent}}
	case evaluator.WebSearch:
		return []request{{Tool: "web_search", Query: a.Query}}
	}
	return nil
}

// quote writes a text as one shell word.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func patchText(path, to string) string {
	if to == "" {
		return "*** Begin Patch\n*** Add File: " + path + "\n+…\n*** End Patch"
	}
	return "*** Begin Patch\n*** Update File: " + path + "\n*** Move to: " + to + "\n@@\n-…\n+…\n*** End Patch"
}

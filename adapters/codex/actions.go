package codex

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
)

// Actions are what a request of the app-server asks for. One to change files
// names none of them in 0.171.0: they are in the item/started before it.
func (boundary) Actions(r broker.Request) []evaluator.Action {
	q, err := readAsked(r.Native)
	if err != nil {
		return nil
	}
	p := q.params
	about := func(kind evaluator.Kind) []evaluator.Action { return about(kind, r.Resources) }
	switch q.method {
	case "item/commandExecution/requestApproval":
		a := evaluator.Action{Kind: evaluator.Command, Command: unwrapped(p.Get("command").Text()), Cwd: p.Get("cwd").Text()}
		out := []evaluator.Action{a}
		if n := p.Get("networkApprovalContext"); n.Get("host").Text() != "" {
			out = append(out, evaluator.Action{Kind: evaluator.WebFetch, URL: n.Get("protocol").Text() + "://" + n.Get("host").Text() + "/"})
		}
		return out
	case "execCommandApproval":
		return []evaluator.Action{{Kind: evaluator.Command, Command: script(p.Get("command").Texts()), Cwd: p.Get("cwd").Text()}}
	case "item/fileChange/requestApproval", "applyPatchApproval":
		return about(evaluator.FileChange)
	case "item/fileRead/requestApproval":
		return about(evaluator.FileRead)
	case "item/permissions/requestApproval":
		wanted := wantedPaths(p.Get("permissions", "fileSystem"))
		var out []evaluator.Action
		if p.Get("permissions", "network", "enabled").True() {
			out = append(out, evaluator.Action{Kind: evaluator.WebFetch})
		}
		for _, path := range wanted["write"] {
			out = append(out, evaluator.Action{Kind: evaluator.FileChange, Path: path})
		}
		for _, path := range wanted["read"] {
			out = append(out, evaluator.Action{Kind: evaluator.FileRead, Path: path})
		}
		return out
	case "mcpServer/elicitation/request":
		if tool := p.Get("_meta", "tool_name").Text(); tool != "" {
			return []evaluator.Action{{Kind: evaluator.MCPTool, Server: p.Get("serverName").Text(), Tool: tool}}
		}
	case "item/tool/requestUserInput":
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	return nil
}

// about is one Action for each path, or one that names none.
func about(kind evaluator.Kind, list []string) []evaluator.Action {
	if len(list) == 0 {
		return []evaluator.Action{{Kind: kind}}
	}
	var out []evaluator.Action
	for _, path := range list {
		out = append(out, evaluator.Action{Kind: kind, Path: path})
	}
	return out
}

// unwrapped takes the shell off that Codex puts around a script:
// /bin/bash -lc 'git push'.
func unwrapped(command string) string {
	s, err := bash.Parse(command)
	if err != nil {
		return command
	}
	all := s.Commands()
	if len(all) != 1 || s.Source(all[0].Node) != strings.TrimSpace(command) {
		return command
	}
	words, static := s.Words(all[0])
	if slices.Contains(static, false) || !wraps(words) {
		return command
	}
	return words[2]
}

// script is what an argv runs.
func script(argv []string) string {
	if wraps(argv) {
		return argv[2]
	}
	return words(argv)
}

func wraps(argv []string) bool {
	return len(argv) == 3 && isShell(argv[0]) && (argv[1] == "-lc" || argv[1] == "-c")
}

// Asked are the Actions that Codex's request to us is about.
func (dialect) Asked(_ evaluator.Action, part jsontext.Value) []evaluator.Action {
	q, err := readRequest(part)
	if err != nil {
		return nil
	}
	switch {
	case q.Tool == execCommand:
		return []evaluator.Action{{Kind: evaluator.Command, Command: q.Cmd, Cwd: q.Workdir}}
	case q.Tool == applyPatch && q.Cmd == "":
		return about(evaluator.FileChange, nil)
	case strings.HasPrefix(q.Tool, mcpPrefix) && !q.Elicits && q.Server != "":
		return []evaluator.Action{{Kind: evaluator.MCPTool, Server: q.Server, Tool: strings.TrimPrefix(q.Tool, mcpPrefix)}}
	case q.Tool == requestUserInput:
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	return nil
}

// AnyPart is true: the parts are ways of doing the same.
func (dialect) AnyPart() bool { return true }

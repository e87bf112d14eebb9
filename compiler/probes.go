package compiler

import (
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// probes lists the Actions on which an Intent and its settings are compared: a
// hand list of what providers are known to treat apart, and for every pattern
// in play one Action inside and one outside of it.
func probes(in Intent, env evaluator.Env) []evaluator.Action {
	out := handProbes()
	for _, glob := range in.PlanFiles {
		out = append(out, pathProbes(paths.Home(env.Home, concrete(glob)))...)
	}
	for _, r := range in.Rules {
		if r.Match != Everything && r.Match != PlanFiles {
			out = append(out, ruleProbes(r, env)...)
		}
	}
	for _, agent := range env.Agents {
		for _, rule := range agent.Permissions {
			if strings.Contains(rule.Resource, "/") || strings.Contains(rule.Resource, ".") {
				out = append(out, pathProbes(concrete(rule.Resource))...)
			}
		}
	}
	return out
}

func handProbes() []evaluator.Action {
	out := []evaluator.Action{
		{Kind: evaluator.Command, Command: "ls", Cwd: "/outside-of-everything"},
		{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/b.go"},
		{Kind: evaluator.WebFetch, URL: "https://example.test/"},
		{Kind: evaluator.WebSearch, Query: "example"},
		{Kind: evaluator.MCPTool, Server: "example", Tool: "write"},
		{Kind: evaluator.Subagent, Agent: "general"},
		{Kind: evaluator.Question},
	}
	for _, c := range []string{
		"ls", "git push origin main", "npm test && rm -rf build", "echo $(id)",
		"export A=1", "A=1", "> out.txt", "cd src",
	} {
		out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c})
	}
	for _, p := range []string{"src/a.go", "src/../src/a.go", ".env", "/outside-of-everything/a.txt", "../sibling/a.txt"} {
		out = append(out, pathProbes(p)...)
	}
	return out
}

func pathProbes(path string) []evaluator.Action {
	return []evaluator.Action{{Kind: evaluator.FileRead, Path: path}, {Kind: evaluator.FileChange, Path: path}}
}

// ruleProbes makes one Action inside the rule's pattern and one just outside.
func ruleProbes(r Rule, env evaluator.Env) []evaluator.Action {
	inside := concrete(r.Match)
	switch r.Kind {
	case evaluator.Command:
		bare := strings.TrimSuffix(r.Match, " *")
		var out []evaluator.Action
		for _, c := range []string{bare, bare + " x", bare + "x", "cd . && " + bare, "export A=1 && " + bare, strings.ReplaceAll(bare, " ", "  ")} {
			out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c})
		}
		return out
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
		inside = paths.Home(env.Home, inside)
		return append(pathProbes(inside), pathProbes(inside+"x")...)
	case evaluator.WebFetch:
		return []evaluator.Action{{Kind: r.Kind, URL: inside}, {Kind: r.Kind, URL: inside + "x"}}
	case evaluator.WebSearch:
		return []evaluator.Action{{Kind: r.Kind, Query: inside}, {Kind: r.Kind, Query: inside + "x"}}
	case evaluator.Subagent:
		return []evaluator.Action{{Kind: r.Kind, Agent: inside}, {Kind: r.Kind, Agent: inside + "x"}}
	case evaluator.MCPTool:
		server, tool, _ := strings.Cut(inside, "/")
		if tool == "" {
			tool = "x"
		}
		return []evaluator.Action{{Kind: r.Kind, Server: server, Tool: tool}, {Kind: r.Kind, Server: server, Tool: tool + "x"}}
	}
	return nil
}

// concrete puts a letter for every wildcard.
func concrete(pattern string) string {
	return strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(pattern)
}

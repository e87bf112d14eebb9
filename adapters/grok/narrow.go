package grok

import (
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// narrow declares what becomes of a rule for less than everything, inside of its
// pattern and just outside.
func (d *declarer) narrow(r compiler.Rule) {
	inside := strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(r.Match)
	switch r.Kind {
	case evaluator.Command:
		bare := strings.TrimSuffix(r.Match, " *")
		for _, c := range []string{bare, bare + " x", bare + "x", "cd . && " + bare} {
			d.action(evaluator.Action{Kind: evaluator.Command, Command: c}, readLine(c).rating)
		}
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
		if r.Match == compiler.PlanFiles {
			for _, glob := range d.in.PlanFiles {
				d.path(paths.Home(d.env.Home, strings.ReplaceAll(glob, "*", "x")))
			}
			return
		}
		inside = paths.Home(d.env.Home, inside)
		d.path(inside)
		d.path(inside + "x")
	case evaluator.WebFetch:
		d.action(evaluator.Action{Kind: r.Kind, URL: inside}, plain)
	case evaluator.WebSearch:
		d.action(evaluator.Action{Kind: r.Kind, Query: inside}, readOnly)
	case evaluator.Subagent:
		d.action(evaluator.Action{Kind: r.Kind, Agent: inside}, plain)
	case evaluator.MCPTool:
		server, tool, _ := strings.Cut(inside, "/")
		if tool == "" {
			tool = "x"
		}
		d.action(evaluator.Action{Kind: r.Kind, Server: server, Tool: tool}, plain)
	}
}

package cursor

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// A writer can't say a rule to Cursor, so what becomes of one depends on the
// session mode, the user's approval mode and our callback. declare says so before
// anything is read back: from this table of what Cursor does with each kind, and
// from the policy.
func declare(in compiler.Intent, env evaluator.Env, n Native, f facts) []evaluator.Gap {
	d := declarer{in: in, env: env, asks: f.ApprovalMode == allowlist, callback: n.Callback.Permission}
	for _, arg := range n.Argv {
		switch arg {
		case "--force", "-f", "--yolo":
			d.asks, d.force = false, true
		case "--auto-review":
			d.review = true
		}
	}
	d.review = d.review && !d.force
	if m, ok := choose(n.ModeAliases, f.Modes); ok {
		d.session = m.ID
	} else if d.session = f.CurrentMode; d.session == "" {
		d.session = agentMode
	}
	for _, c := range []string{"ls", "rm -rf build"} {
		d.shell(evaluator.Action{Kind: evaluator.Command, Command: c})
	}
	d.shell(evaluator.Action{Kind: evaluator.Command, Command: "ls", Cwd: "/outside-of-everything"})
	for _, p := range []string{"src/a.go", ".env", "/outside-of-everything/a.txt"} {
		d.path(p)
	}
	d.edit(evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/b.go"})
	d.shell(evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"})
	d.other(evaluator.Action{Kind: evaluator.WebSearch, Query: "example"})
	d.mcp(evaluator.Action{Kind: evaluator.MCPTool, Server: "example", Tool: "write"})
	d.other(evaluator.Action{Kind: evaluator.Subagent, Agent: "general"})
	question := evaluator.Action{Kind: evaluator.Question}
	if want := in.Want(question, env); want.Effect == evaluator.Deny {
		d.compare(question, evaluator.Ask, "Cursor asks its questions in every mode")
	}
	for _, r := range in.Narrow() {
		d.narrow(r)
	}
	return d.gaps
}

type declarer struct {
	in                  compiler.Intent
	env                 evaluator.Env
	session             string // the session mode's id
	asks, force, review bool
	callback            Permission
	gaps                []evaluator.Gap
}

func (d *declarer) known() bool {
	return d.session == agentMode || d.session == planMode || d.session == askMode
}

func (d *declarer) path(p string) {
	a := evaluator.Action{Kind: evaluator.FileRead, Path: p}
	if d.known() {
		d.compare(a, evaluator.Allow, "Cursor never asks about reading")
	} else {
		d.unknown(a)
	}
	d.edit(evaluator.Action{Kind: evaluator.FileChange, Path: p})
}

func (d *declarer) edit(a evaluator.Action) {
	switch d.session {
	case agentMode:
		d.compare(a, evaluator.Allow, "Cursor never asks about edits in its mode agent")
	case planMode, askMode:
		d.compare(a, evaluator.Deny, "Cursor's mode "+d.session+" blocks every edit")
	default:
		d.unknown(a)
	}
}

// shell declares what asks with approvalMode allowlist: commands and fetches.
func (d *declarer) shell(a evaluator.Action) {
	switch {
	case !d.known():
		d.unknown(a)
	case d.review:
		d.compare(a, evaluator.Review, "Cursor's classifier decides with --auto-review")
	case !d.asks:
		d.compare(a, evaluator.Allow, "Cursor never asks with --force or the user's approvalMode unrestricted, which is its default")
	case d.callback == AllowPermission:
		d.compare(a, evaluator.Allow, "Cursor asks, and the callback allows everything")
	default:
		d.compare(a, evaluator.Ask, "Cursor asks with approvalMode allowlist, and takes no rules from an adapter")
	}
}

func (d *declarer) other(a evaluator.Action) {
	if d.known() && d.asks && !d.review {
		d.compare(a, evaluator.Allow, "Cursor asks about shell and fetch alone")
		return
	}
	d.shell(a)
}

func (d *declarer) mcp(a evaluator.Action) {
	if d.asks && !d.review {
		d.unknown(a)
		return
	}
	d.shell(a)
}

func (d *declarer) unknown(a evaluator.Action) {
	if w := d.in.Want(a, d.env); w.Rule != nil {
		d.add(w, evaluator.NotCompared, evaluator.Unknown, fmt.Sprintf("what Cursor does with a %s in its mode %q isn't documented", a.Kind, d.session))
	}
}

func (d *declarer) narrow(r compiler.Rule) {
	inside := strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(r.Match)
	switch r.Kind {
	case evaluator.Command:
		bare := strings.TrimSuffix(r.Match, " *")
		for _, c := range []string{bare, bare + " x", bare + "x"} {
			d.shell(evaluator.Action{Kind: evaluator.Command, Command: c})
		}
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
		if r.Match != compiler.PlanFiles {
			inside = paths.Home(d.env.Home, inside)
			d.path(inside)
			d.path(inside + "x")
		}
	case evaluator.WebFetch:
		d.shell(evaluator.Action{Kind: r.Kind, URL: inside})
	case evaluator.WebSearch:
		d.other(evaluator.Action{Kind: r.Kind, Query: inside})
	case evaluator.Subagent:
		d.other(evaluator.Action{Kind: r.Kind, Agent: inside})
	case evaluator.MCPTool:
		server, tool, _ := strings.Cut(inside, "/")
		if tool == "" {
			tool = "x"
		}
		d.mcp(evaluator.Action{Kind: r.Kind, Server: server, Tool: tool})
	}
}

// compare adds the gap, if there is one, that a policy's rule for the Action has.
func (d *declarer) compare(a evaluator.Action, got evaluator.Effect, reason string) {
	w := d.in.Want(a, d.env)
	switch {
	case w.Rule == nil || w.Effect == got:
	case compiler.Looser(got, w.Effect):
		d.add(w, evaluator.Wider, got, reason)
	default:
		d.add(w, evaluator.Narrower, got, reason)
	}
}

func (d *declarer) add(w compiler.Want, direction evaluator.Direction, got evaluator.Effect, reason string) {
	g := compiler.NewGap(evaluator.Cursor, w.Kind, *w.Rule, direction)
	g.Got, g.Reason = got, reason
	for _, old := range d.gaps {
		if old.ID == g.ID && old.Direction == g.Direction {
			return
		}
	}
	d.gaps = append(d.gaps, g)
}

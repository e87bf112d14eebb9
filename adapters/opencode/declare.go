package opencode

import (
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// declare says which of the policy's rules the session's rules don't keep. It
// knows the policy, the profile's list and how 1.x asks, never what the native
// rules mean: that comparison comes later and must find the same.
func (w *writer) declare(p place, agent []lastmatch.Rule, base []placed, listed bool) []evaluator.Gap {
	m := w.Model(agent...)
	for _, r := range base {
		m.Native(r.Rule)
	}
	for _, r := range w.In.Rules {
		if w.saysItself(r, listed) {
			m.Said(r)
		} else {
			m.Unsent(r)
		}
	}
	d := declarer{m, p}
	return compiler.Declare(w.In, w.Env, d.outcome)
}

// saysItself reports whether a rule is sent as a rule of its own.
func (w *writer) saysItself(r compiler.Rule, listed bool) bool {
	switch r.Section {
	case compiler.ModeRules:
		return !listed || r.Match != compiler.Everything
	case compiler.InteractionRules:
		return !w.profile.agent
	}
	return true
}

type declarer struct {
	*oc.Model
	place place
}

func (d declarer) outcome(p compiler.Probe) compiler.Outcome {
	switch p.Kind {
	case evaluator.Command:
		return d.command(p)
	case evaluator.FileRead:
		return d.file("read", p.Path, "")
	case evaluator.FileChange:
		return d.file("edit", p.Path, p.To)
	case evaluator.MCPTool:
		return d.Decide(oc.ToolName(p.Server, p.Tool), "*")
	case evaluator.Question:
		if effect, all := d.Last("question"); all && effect == evaluator.Deny {
			return compiler.Outcome{Effect: effect, Reason: "the question tool isn't offered"}
		}
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "1.x hides the question tool or shows it, and never asks for it"}
	}
	return d.Decide(names[p.Kind], p.URL+p.Query+p.Agent)
}

func (d declarer) command(p compiler.Probe) compiler.Outcome {
	if effect, all := d.Last("bash"); all && effect == evaluator.Deny {
		return compiler.Outcome{Effect: effect, Reason: "the shell tool isn't offered"}
	}
	out := compiler.Outcome{
		Effect: evaluator.Allow,
		Reason: "1.x asks about the commands that it finds in a text, and runs a text in which it finds none: assignments, export, redirects alone, cd",
	}
	return d.Strictest(out, oc.ProbeFolders(p, shellNames, d.place.Place), "bash", oc.ProbeTexts(p))
}

// file is one file's answer. Where a file is moved to is looked at only as a
// folder outside.
func (d declarer) file(action, path, to string) compiler.Outcome {
	var folders [][2]string
	for _, one := range []string{path, to} {
		if at := paths.Abs(d.place.Directory, one); one != "" && !d.place.Inside(at) {
			folder := d.place.FileText(at)
			folders = append(folders, [2]string{folder, folder})
		}
	}
	out := d.Strictest(compiler.Outcome{}, folders, action, []string{d.place.text(paths.Abs(d.place.Directory, path))})
	if to != "" {
		out.Reason += "; 1.x compares no rule with where a file is moved to"
	}
	return out
}

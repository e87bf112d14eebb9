package grok

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// A writer can't say a rule to Grok, so what becomes of one depends on the
// session's mode and our callback alone. declare says so before anything is read
// back: from this table of what Grok does with each sort of request, and from
// the policy.
func declare(in compiler.Intent, env evaluator.Env, s settings) []evaluator.Gap {
	d := declarer{in: in, env: env, mode: modeOf(s), callback: s.permission}
	d.action(evaluator.Action{Kind: evaluator.Command, Command: "ls"}, readOnly)
	d.action(evaluator.Action{Kind: evaluator.Command, Command: "rm -rf build"}, guarded)
	d.action(evaluator.Action{Kind: evaluator.Command, Command: "ls", Cwd: "/outside-of-everything"}, readOnly)
	for _, p := range []string{"src/a.go", ".env", "/outside-of-everything/a.txt"} {
		d.path(p)
	}
	d.action(evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/b.go"}, guarded)
	d.action(evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}, plain)
	d.action(evaluator.Action{Kind: evaluator.WebSearch, Query: "example"}, readOnly)
	d.action(evaluator.Action{Kind: evaluator.MCPTool, Server: "example", Tool: "write"}, plain)
	d.action(evaluator.Action{Kind: evaluator.Subagent, Agent: "general"}, plain)
	question := evaluator.Action{Kind: evaluator.Question}
	if want := in.Want(question, env); want.Effect == evaluator.Deny {
		d.compare(question, evaluator.Ask, "Grok asks its questions in every mode")
	}
	for _, r := range in.Narrow() {
		d.narrow(r)
	}
	return d.gaps
}

// unasked says what Grok does in every mode without asking.
var unasked = map[evaluator.Kind]string{
	evaluator.Command:   "Grok runs commands of its read-only list unasked in every mode: ls, cat, git status, and also touch and mkdir",
	evaluator.FileRead:  "Grok reads files everywhere unasked in every mode",
	evaluator.WebSearch: "Grok searches the web unasked in every mode",
}

type declarer struct {
	in       compiler.Intent
	env      evaluator.Env
	mode     string
	callback Permission
	gaps     []evaluator.Gap
}

// modeOf is the mode that the settings ask for, as far as they do.
func modeOf(s settings) string {
	flag, always := "", false
	for i, a := range s.argv {
		switch {
		case a == "--permission-mode" && i+1 < len(s.argv):
			flag = s.argv[i+1]
		case a == "--always-approve" && i > 0 && s.argv[i-1] == "agent":
			always = true
		}
	}
	switch {
	case s.meta.YoloMode != nil && *s.meta.YoloMode, flag == "bypassPermissions", always && flag == "" && s.meta.YoloMode == nil:
		return "always-approve"
	case s.meta.AutoMode != nil && *s.meta.AutoMode, flag == "auto" && !always && s.meta.AutoMode == nil:
		return "auto"
	}
	return "default"
}

// path declares reading and writing one file.
func (d *declarer) path(p string) {
	d.action(evaluator.Action{Kind: evaluator.FileRead, Path: p}, readOnly)
	change := plain
	if d.mode == "auto" {
		change = project
	}
	d.action(evaluator.Action{Kind: evaluator.FileChange, Path: p}, change)
}

// action declares what Grok and our callback do with a sort of request.
func (d *declarer) action(a evaluator.Action, r rating) {
	switch {
	case d.mode == "always-approve":
		d.compare(a, evaluator.Allow, "Grok runs everything unasked in always-approve")
	case r == readOnly:
		d.compare(a, evaluator.Allow, unasked[a.Kind])
	case d.mode == "auto" && r == project:
		d.compare(a, evaluator.Allow, "Grok runs it unasked in auto")
	case d.mode == "auto" && r == plain:
		d.compare(a, evaluator.Review, "Grok's classifier decides in auto")
	case d.callback == AllowPermission:
		d.compare(a, evaluator.Allow, "Grok asks, and the callback allows everything")
	default:
		d.compare(a, evaluator.Ask, "Grok asks in this mode; it takes no rules from an adapter, and has no reviewer outside auto")
	}
}

// compare adds the gap, if there is one, that a policy's rule for the Action has.
func (d *declarer) compare(a evaluator.Action, got evaluator.Effect, reason string) {
	want := d.in.Want(a, d.env)
	if want.Rule == nil || want.Effect == got {
		return
	}
	direction := evaluator.Narrower
	if compiler.Looser(got, want.Effect) {
		direction = evaluator.Wider
	}
	g := compiler.NewGap(evaluator.Grok, want.Kind, *want.Rule, direction)
	g.Got, g.Reason = got, reason
	for _, old := range d.gaps {
		if old.ID == g.ID && old.Direction == g.Direction {
			return
		}
	}
	d.gaps = append(d.gaps, g)
}

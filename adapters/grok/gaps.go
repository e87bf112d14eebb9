package grok

import (
	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// A writer can't say a rule to Grok, so what becomes of one depends on the
// session's mode and our callback alone. declare says so before anything is read
// back: from this table of what Grok does with each sort of request, and from
// the policy, by whose own rules the callback answers.
func declare(in compiler.Intent, env evaluator.Env, s settings, rules []callback.Rule) []evaluator.Gap {
	return compiler.Declare(in, env, declarer{env, modeOf(s), s.permission, callback.New(rules, in.PlanFiles)}.outcome)
}

// unasked says what Grok does in every mode without asking.
var unasked = map[evaluator.Kind]string{
	evaluator.Command:   "Grok runs commands of its read-only list unasked in every mode: ls, cat, git status, and also touch and mkdir",
	evaluator.FileRead:  "Grok reads files everywhere unasked in every mode",
	evaluator.WebSearch: "Grok searches the web unasked in every mode",
}

type declarer struct {
	env      evaluator.Env
	mode     string
	callback Permission
	answers  callback.Answerer
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

// sort is how far Grok goes with a sort of request by itself.
func (d declarer) sort(p compiler.Probe) rating {
	switch p.Kind {
	case evaluator.Command:
		return d.line(p.Command)
	case evaluator.FileRead, evaluator.WebSearch:
		return readOnly
	case evaluator.FileChange:
		switch at := paths.Abs(workspaceOf(d.env), p.Path); {
		case p.To != "": // by mv: no tool moves a file
			return d.line("mv " + quote(p.Path) + " " + quote(p.To))
		case protected(at):
			return guarded
		case d.mode == "auto":
			return project
		}
	}
	return plain
}

// line rates a command by Grok's list of commands, and by the files that it
// guards.
func (d declarer) line(text string) rating {
	out := readLine(text).rating
	for _, f := range readOperands(text).written {
		if protected(paths.Abs(workspaceOf(d.env), paths.Home(d.env.Home, f))) {
			out = max(out, guarded)
		}
	}
	return out
}

// outcome is what Grok and our callback do with a sort of request.
func (d declarer) outcome(p compiler.Probe) compiler.Outcome {
	r := d.sort(p)
	switch {
	case p.Kind == evaluator.Question:
		return compiler.Outcome{Effect: evaluator.Ask, Reason: "Grok asks its questions in every mode"}
	case d.mode == "always-approve":
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Grok runs everything unasked in always-approve"}
	case r == readOnly:
		return compiler.Outcome{Effect: evaluator.Allow, Reason: unasked[p.Kind]}
	case d.mode == "auto" && r == project:
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Grok runs it unasked in auto"}
	case d.mode == "auto" && r == plain:
		return compiler.Outcome{Effect: evaluator.Review, Reason: "Grok's classifier decides in auto"}
	}
	if e, ok := d.answered(p); ok {
		return compiler.Outcome{Effect: e, Reason: "Grok asks, and the callback answers as the policy says of the request that it sees"}
	}
	if d.callback == AllowPermission {
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Grok asks, and the callback allows what its rules don't speak of"}
	}
	return compiler.Outcome{Effect: evaluator.Ask, Reason: "Grok asks in this mode; it takes no rules from an adapter, and has no reviewer outside auto"}
}

// answered is what the callback's rules say of a probe. They see the request: a
// command's text without its folder, a move as a command.
func (d declarer) answered(p compiler.Probe) (evaluator.Effect, bool) {
	a := p.Action
	switch {
	case !answerable[a.Kind]:
		return evaluator.Unknown, false
	case a.To != "":
		a = evaluator.Action{Kind: evaluator.Command, Command: "mv " + quote(a.Path) + " " + quote(a.To)}
	}
	a.Cwd = ""
	e, _, ok := d.answers.Answer(a, d.env)
	return e, ok
}

package compiler

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
	"github.com/modegate/modegate/internal/paths"
)

// Want is what a policy says of one Action. A nil Rule means that no rule
// speaks of it: the provider's own answer stands, and there is no gap.
type Want struct {
	Effect evaluator.Effect
	Rule   *Rule
	Kind   evaluator.Kind // of the condition that decided: the Action's, or outside-workspace
	Partly bool           // no rule speaks of another part of the Action, so that more caution is no gap
}

// Want judges one Action by the Intent. A command line is judged command by
// command and a move path by path, the strictest deciding; a path outside the
// workspace must also pass the outside-workspace rules.
func (in Intent) Want(a evaluator.Action, env evaluator.Env) Want {
	var parts []Want
	switch a.Kind {
	case evaluator.FileRead, evaluator.FileChange:
		for _, p := range []string{a.Path, a.To} {
			if p != "" {
				parts = append(parts, in.wantPath(a.Kind, p, env))
			}
		}
	case evaluator.Command:
		for _, words := range commandLines(a.Command) {
			parts = append(parts, in.wantCommand(words))
		}
	default:
		text := subject(a)
		parts = []Want{in.last(in.index().kinds[a.Kind], a.Kind, func(i int) bool {
			return in.Rules[i].Match == Everything || in.globs.text(in.Rules[i].Match, text)
		})}
	}
	out := parts[0]
	partly := false
	for _, w := range parts {
		partly = partly || w.Rule == nil || w.Partly
		if stricter(w, out) {
			out = w
		}
	}
	out.Partly = partly
	if a.Cwd != "" {
		if w := in.outside(a.Cwd, env); stricter(w, out) {
			w.Partly = out.Partly
			return w
		}
	}
	return out
}

// wantCommand judges the words of one simple command.
func (in Intent) wantCommand(words []string) Want {
	x := in.index()
	return in.last(x.commandsLike(words[0]), evaluator.Command, func(i int) bool { return matchWords(x.commands[i], words) })
}

// wantPath judges one path. The provider's own plan folder may lie anywhere.
func (in Intent) wantPath(kind evaluator.Kind, path string, env evaluator.Env) Want {
	w := in.onPath(kind, path, env)
	if w.planFile() {
		return w
	}
	o := in.outside(path, env)
	switch {
	case o.Rule == nil:
	case w.Rule == nil && o.Effect == evaluator.Allow: // a condition that is met says nothing by itself
	case w.Rule == nil:
		o.Partly = true
		return o
	case stricter(o, w):
		return o
	}
	return w
}

// onPath is what the rules of a kind say of a path, wherever it lies.
func (in Intent) onPath(kind evaluator.Kind, path string, env evaluator.Env) Want {
	at := paths.Resolve(workspace(env), path, env.Resolved)
	x := in.index()
	globs := x.pathGlobs(in, env)
	return in.last(x.kinds[kind], kind, func(i int) bool { return globs[i].match(at) })
}

func (w Want) planFile() bool { return w.Rule != nil && w.Rule.Match == PlanFiles }

// Outside returns the rule for outside-workspace that an Action must pass beside
// that of its kind, the strictest where it names several places; nil where there is
// none. One that allows only lets pass: Want never names it.
func (in Intent) Outside(a evaluator.Action, env evaluator.Env) *Rule {
	var out Want
	pass := func(path string) {
		if w := in.outside(path, env); path != "" && stricter(w, out) {
			out = w
		}
	}
	pass(a.Cwd)
	if a.Kind == evaluator.FileRead || a.Kind == evaluator.FileChange {
		for _, p := range []string{a.Path, a.To} {
			if !in.onPath(a.Kind, p, env).planFile() {
				pass(p)
			}
		}
	}
	return out.Rule
}

// outside is what the outside-workspace rules say of a path.
func (in Intent) outside(path string, env evaluator.Env) Want {
	at := paths.Resolve(workspace(env), path, env.Resolved)
	if paths.Within(workspace(env), at) {
		return Want{}
	}
	x := in.index()
	globs := x.pathGlobs(in, env)
	return in.last(x.kinds[evaluator.OutsideWorkspace], evaluator.OutsideWorkspace, func(i int) bool { return globs[i].match(at) })
}

func stricter(w, than Want) bool {
	if w.Rule == nil || than.Rule == nil {
		return w.Rule != nil
	}
	return Looser(than.Effect, w.Effect)
}

// last returns the first rule of a list that matches; the list has the last rule
// first.
func (in Intent) last(list []int, kind evaluator.Kind, match func(int) bool) Want {
	for _, i := range list {
		if match(i) {
			r := &in.Rules[i]
			return Want{Effect: r.Effect, Rule: r, Kind: kind}
		}
	}
	return Want{}
}

func (in Intent) matchesPath(match, path string, env evaluator.Env) bool {
	if match != PlanFiles {
		return MatchPath(match, path, env)
	}
	return slices.ContainsFunc(in.PlanFiles, func(glob string) bool { return MatchPath(glob, path, env) })
}

// subject is the text that a rule's match is compared with, where it is neither
// a command nor a path.
func subject(a evaluator.Action) string {
	switch a.Kind {
	case evaluator.WebFetch:
		return a.URL
	case evaluator.WebSearch:
		return a.Query
	case evaluator.MCPTool:
		return a.Server + "/" + a.Tool
	case evaluator.Subagent:
		return a.Agent
	}
	return a.Text
}

// commandLines splits a command line into the words of its commands. Changing the
// folder is no command of its own beside others: it only says where they run. A
// text without a command, or one that can't be read, is a single one.
func commandLines(text string) [][]string {
	var out, moves [][]string
	if s, err := bash.Parse(text); err == nil {
		for _, c := range s.Commands() {
			words, _ := s.Words(c)
			if slices.Contains([]string{"cd", "pushd", "popd"}, words[0]) {
				moves = append(moves, words)
			} else {
				out = append(out, words)
			}
		}
	}
	switch {
	case out != nil:
		return out
	case moves != nil:
		return moves
	case strings.TrimSpace(text) == "":
		return [][]string{{text}}
	}
	return [][]string{strings.Fields(text)}
}

func workspace(env evaluator.Env) string {
	if env.Workspace == "" {
		return paths.UnknownWorkspace
	}
	return paths.Abs("/", env.Workspace)
}

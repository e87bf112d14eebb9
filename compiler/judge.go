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
}

// Want judges one Action by the Intent. A command line is judged command by
// command, the strictest deciding; a path outside the workspace must also pass
// the outside-workspace rules.
func (in Intent) Want(a evaluator.Action, env evaluator.Env) Want {
	places := actionPaths(a, env)
	var out Want
	for _, text := range subjects(a) {
		if w := in.last(a.Kind, func(r Rule) bool { return in.matches(r, a, text, places, env) }); stricter(w, out) {
			out = w
		}
	}
	if out.Rule != nil && out.Rule.Match == PlanFiles {
		return out // the provider's own folder, wherever it lies
	}
	for _, p := range places {
		if paths.Within(workspace(env), p) {
			continue
		}
		w := in.last(evaluator.OutsideWorkspace, func(r Rule) bool { return in.globs.path(r.Match, p, env) })
		if stricter(w, out) {
			out = w
		}
	}
	return out
}

func stricter(w, than Want) bool {
	if w.Rule == nil || than.Rule == nil {
		return w.Rule != nil
	}
	a, _ := evaluator.Strictness(w.Effect, evaluator.Unconfined)
	b, _ := evaluator.Strictness(than.Effect, evaluator.Unconfined)
	return a > b
}

// last returns the last rule of the kind that matches.
func (in Intent) last(kind evaluator.Kind, match func(Rule) bool) Want {
	for i := len(in.Rules) - 1; i >= 0; i-- {
		r := &in.Rules[i]
		mine := r.Kind == kind || r.Kind == evaluator.AnyKind && kind != evaluator.OutsideWorkspace
		if mine && match(*r) {
			return Want{Effect: r.Effect, Rule: r, Kind: kind}
		}
	}
	return Want{}
}

func (in Intent) matches(r Rule, a evaluator.Action, text string, places []string, env evaluator.Env) bool {
	if r.Match == Everything {
		return true
	}
	switch a.Kind {
	case evaluator.Command:
		return MatchWords(r.Match, text)
	case evaluator.FileRead, evaluator.FileChange:
		if r.Match == PlanFiles {
			outside := func(p string) bool {
				return !slices.ContainsFunc(in.PlanFiles, func(glob string) bool { return in.globs.path(glob, p, env) })
			}
			return len(places) > 0 && !slices.ContainsFunc(places, outside)
		}
		return slices.ContainsFunc(places, func(p string) bool { return in.globs.path(r.Match, p, env) })
	}
	return in.globs.text(r.Match, text)
}

// subjects are the texts that a rule's match is compared with. A command line
// has one for each of its commands, the words joined by single spaces; one that
// can't be read is a single command.
func subjects(a evaluator.Action) []string {
	switch a.Kind {
	case evaluator.Command:
		return commandLines(a.Command)
	case evaluator.WebFetch:
		return []string{a.URL}
	case evaluator.WebSearch:
		return []string{a.Query}
	case evaluator.MCPTool:
		return []string{a.Server + "/" + a.Tool}
	case evaluator.Subagent:
		return []string{a.Agent}
	}
	return []string{a.Text}
}

// commandLines splits a command line. Changing the folder is no command of its
// own beside others: it only says where they run.
func commandLines(text string) []string {
	s, err := bash.Parse(text)
	if err != nil {
		return []string{text}
	}
	var out, moves []string
	for _, c := range s.Commands() {
		words, _ := s.Words(c)
		line := strings.Join(words, " ")
		if slices.Contains([]string{"cd", "pushd", "popd"}, words[0]) {
			moves = append(moves, line)
		} else {
			out = append(out, line)
		}
	}
	if out == nil {
		out = moves
	}
	if out == nil {
		return []string{text}
	}
	return out
}

// actionPaths lists the absolute paths that an Action names by itself.
func actionPaths(a evaluator.Action, env evaluator.Env) []string {
	var out []string
	for _, p := range []string{a.Path, a.To, a.Cwd} {
		if p != "" {
			out = append(out, paths.Resolve(workspace(env), p, env.Resolved))
		}
	}
	return out
}

func workspace(env evaluator.Env) string {
	if env.Workspace == "" {
		return paths.UnknownWorkspace
	}
	return paths.Abs("/", env.Workspace)
}

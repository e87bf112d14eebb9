package adapters_test

import (
	"path"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// This file is a second opinion on what a policy means. It shares no function
// with the compiler's: the rules are the test's own, commands are split by a
// small reader of its own, and globs are matched segment by segment.

// wanted is what a policy says of an Action.
type wanted struct {
	effect evaluator.Effect // Unknown: unspecified
	id     string           // kind.rule, as in a gap's id
	loose  bool             // a part is unspecified: a stricter answer is no gap
}

// opinion is one cell of a random policy.
type opinion struct {
	rules     []randomRule
	planFiles []string
	env       evaluator.Env
}

func (o opinion) want(a evaluator.Action, does *evaluator.Action) wanted {
	w := o.one(a)
	if does == nil {
		return w
	}
	d := o.one(*does)
	for _, r := range o.rules {
		// It isn't the rule's words, so that a person may be asked; and a rule for
		// everything speaks of the words, too.
		if strings.HasSuffix(d.id, "."+r.id) && r.match != "*" && d.effect == evaluator.Deny && scale(w.effect, 0) < scale(evaluator.Ask, 0) {
			return wanted{effect: evaluator.Ask, id: d.id, loose: true}
		}
	}
	return w
}

// scale orders outcomes from loose to strict; unspecified comes before all.
func scale(e evaluator.Effect, c evaluator.Confinement) int {
	return map[evaluator.Effect]int{evaluator.Allow: 1, evaluator.Review: 5, evaluator.Ask: 6, evaluator.Deny: 7}[e] + int(c)
}

func (o opinion) one(a evaluator.Action) wanted {
	var parts, conditions []wanted
	switch a.Kind {
	case evaluator.Command:
		for _, words := range readCommands(a.Command) {
			parts = append(parts, o.last(a.Kind, func(r randomRule) bool { return wordsMatch(strings.Split(r.match, " "), words) }))
		}
		if a.Cwd != "" {
			conditions = append(conditions, o.outside(a.Cwd))
		}
	case evaluator.FileRead, evaluator.FileChange:
		for _, p := range []string{a.Path, a.To} {
			if p == "" {
				continue
			}
			w, plan := o.file(a.Kind, p)
			switch out := o.outside(p); {
			case plan:
			case w.effect == evaluator.Unknown && scale(out.effect, 0) > scale(evaluator.Allow, 0):
				w = out
				w.loose = true
			case w.effect != evaluator.Unknown && scale(out.effect, 0) > scale(w.effect, 0):
				w = out
			}
			parts = append(parts, w)
		}
	default:
		text := map[evaluator.Kind]string{
			evaluator.WebFetch: a.URL, evaluator.WebSearch: a.Query, evaluator.MCPTool: a.Server + "/" + a.Tool, evaluator.Subagent: a.Agent, evaluator.Question: a.Text,
		}[a.Kind]
		parts = append(parts, o.last(a.Kind, func(r randomRule) bool { return textMatch(r.match, text) }))
	}
	best, loose := wanted{}, false
	for _, w := range parts {
		loose = loose || w.effect == evaluator.Unknown || w.loose
		if scale(w.effect, 0) > scale(best.effect, 0) {
			best = w
		}
	}
	for _, w := range conditions {
		if scale(w.effect, 0) > scale(best.effect, 0) {
			best = w
		}
	}
	best.loose = loose
	return best
}

// last is the last rule of a kind that matches.
func (o opinion) last(kind evaluator.Kind, match func(randomRule) bool) wanted {
	out := wanted{}
	for _, r := range o.rules {
		speaks := r.kind == kind || r.kind == evaluator.AnyKind && kind != evaluator.OutsideWorkspace
		if speaks && (r.match == "*" || match(r)) {
			out = wanted{effect: r.effect, id: string(kind) + "." + r.id}
		}
	}
	return out
}

func (o opinion) file(kind evaluator.Kind, p string) (w wanted, plan bool) {
	at := o.absolute(p)
	w = o.last(kind, func(r randomRule) bool { return o.globMatch(r.match, at) })
	for _, r := range o.rules {
		if w.id == string(kind)+"."+r.id && r.match == "@plan-files" {
			plan = true
		}
	}
	return w, plan
}

func (o opinion) outside(p string) wanted {
	at := o.absolute(p)
	if at == o.env.Workspace || strings.HasPrefix(at, o.env.Workspace+"/") {
		return wanted{}
	}
	return o.last(evaluator.OutsideWorkspace, func(r randomRule) bool { return o.globMatch(r.match, at) })
}

func (o opinion) absolute(p string) string {
	if strings.HasPrefix(p, "/") {
		return path.Clean(p)
	}
	return path.Join(o.env.Workspace, p)
}

func (o opinion) globMatch(glob, at string) bool {
	if glob == "@plan-files" {
		return slices.ContainsFunc(o.planFiles, func(g string) bool { return o.globMatch(g, at) })
	}
	switch {
	case strings.HasPrefix(glob, "~/"):
		glob = o.env.Home + glob[1:]
	case !strings.HasPrefix(glob, "/"):
		glob = o.env.Workspace + "/" + glob
	}
	return segments(strings.Split(glob, "/"), strings.Split(at, "/"))
}

// segments matches a glob folder by folder: ** is any number of them, at the end
// one or more.
func segments(glob, at []string) bool {
	if len(glob) == 0 {
		return len(at) == 0
	}
	if glob[0] != "**" {
		return len(at) > 0 && textMatchQuestion(glob[0], at[0]) && segments(glob[1:], at[1:])
	}
	if len(glob) == 1 {
		return len(at) > 0
	}
	for i := range len(at) + 1 {
		if segments(glob[1:], at[i:]) {
			return true
		}
	}
	return false
}

// textMatch matches a text in which * is any characters.
func textMatch(pattern, text string) bool {
	if pattern == "" || text == "" {
		return strings.Trim(pattern, "*") == "" && text == ""
	}
	if pattern[0] == '*' {
		return textMatch(pattern[1:], text) || textMatch(pattern, text[1:])
	}
	return pattern[0] == text[0] && textMatch(pattern[1:], text[1:])
}

// textMatchQuestion is textMatch with ? for one character.
func textMatchQuestion(pattern, text string) bool {
	if pattern == "" || text == "" {
		return strings.Trim(pattern, "*") == "" && text == ""
	}
	if pattern[0] == '*' {
		return textMatchQuestion(pattern[1:], text) || textMatchQuestion(pattern, text[1:])
	}
	return (pattern[0] == '?' || pattern[0] == text[0]) && textMatchQuestion(pattern[1:], text[1:])
}

func wordsMatch(pattern, words []string) bool {
	for i, p := range pattern {
		if p == "*" && i == len(pattern)-1 {
			return true
		}
		if i >= len(words) || p != words[i] {
			return false
		}
	}
	return len(pattern) == len(words)
}

// readCommands reads the shell text of a probe: lists, quotes, a substitution,
// assignments and redirects, which is all that probes have. Changing the folder
// beside something else is no command, and what has none is one itself.
func readCommands(text string) [][]string {
	var all, out, moves [][]string
	before, inner, found := strings.Cut(text, "$(")
	if found {
		inner, _, _ = strings.Cut(inner, ")")
		all = append(all, append(shellWords(before), "$("+inner+")"))
		all = append(all, readCommands(inner)...)
	} else {
		for part := range strings.SplitSeq(strings.ReplaceAll(text, "\n\\\n", " && "), " && ") {
			words := shellWords(part)
			for len(words) > 0 && strings.Contains(words[0], "=") {
				words = words[1:]
			}
			if i := slices.Index(words, ">"); i >= 0 {
				words = words[:i]
			}
			if len(words) > 0 {
				all = append(all, words)
			}
		}
	}
	for _, words := range all {
		if words[0] == "cd" {
			moves = append(moves, words)
		} else {
			out = append(out, words)
		}
	}
	switch {
	case out != nil:
		return out
	case moves != nil:
		return moves
	}
	return [][]string{strings.Fields(text)}
}

// shellWords splits at blanks outside of quotes, which it takes away, as it does
// with a backslash outside of them.
func shellWords(text string) []string {
	var out []string
	var word strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			open = true
		case quote == 0 && c == ' ':
			if open {
				out = append(out, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		out = append(out, word.String())
	}
	return out
}

package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/policies"
)

// Near is a rule of the policy that speaks of an Action's kind and doesn't decide
// the Action.
type Near struct {
	Rule   policies.Rule
	Reason string  // why it doesn't decide
	near   float64 // 1 when it matches; else the part of its pattern that the Action has, below 0 for what has no pattern
}

// Nearest lists the rules that might have decided an Action in a cell, the nearest
// first: those that match it but are for other providers or modes, those that
// match it and have a later or stricter rule beside them, and those whose pattern
// is another. A rule for everything is only listed when it is for others.
func Nearest(p *policies.Policy, in Intent, a evaluator.Action, env evaluator.Env) []Near {
	decides := in.Want(a, env).Rule
	var out []Near
	for _, list := range [][]policies.Rule{p.Modes[in.Cell.Mode].Rules, p.Rules, p.Interactions[in.Cell.Interaction]} {
		for _, r := range list {
			if decides != nil && decides.Source == r.Source {
				continue
			}
			if n, ok := in.near(r, decides, a, env); ok {
				out = append(out, n)
			}
		}
	}
	slices.Reverse(out) // among equals the last one would have decided
	slices.SortStableFunc(out, func(a, b Near) int { return cmp.Compare(b.near, a.near) })
	return out
}

func (in Intent) near(r policies.Rule, decides *Rule, a evaluator.Action, env evaluator.Env) (Near, bool) {
	miss, spoken := in.miss(r, a, env)
	foreign := ""
	switch {
	case !applies(r.Providers, in.Cell.Provider):
		foreign = "it is for other providers: " + list(r.Providers)
	case !applies(r.Modes, in.Cell.Mode):
		foreign = "it is for other modes: " + list(r.Modes)
	}
	switch {
	case !spoken || foreign != "" && miss.Reason != "":
		return Near{}, false
	case miss.Reason != "":
		return miss, true
	case foreign != "":
		return Near{r, foreign, 1}, true
	case decides == nil || r.Match == Everything:
		return Near{}, false
	}
	return Near{r, fmt.Sprintf("rule %s of %s:%d:%d, a later or a stricter one, decides", decides.ID, decides.Source.File, decides.Source.Line, decides.Source.Column), 1}, true
}

// miss says why a rule doesn't match, with no reason when it does. ok is false for
// a rule that speaks of other things.
func (in Intent) miss(r policies.Rule, a evaluator.Action, env evaluator.Env) (out Near, ok bool) {
	places := actionPaths(a, env)
	consider := func(near float64, reason string) {
		if n := (Near{r, reason, near}); !ok || near > out.near {
			out, ok = n, true
		}
	}
	switch {
	case r.Kind == evaluator.OutsideWorkspace:
		for _, p := range places {
			if !paths.Within(workspace(env), p) {
				consider(in.pathMiss(r.Match, p, env))
			}
		}
	case r.Kind != a.Kind && (r.Kind != evaluator.AnyKind || a.Kind == evaluator.Native):
	case r.Match == Everything:
		return Near{Rule: r}, true
	case a.Kind == evaluator.FileRead || a.Kind == evaluator.FileChange:
		if slices.ContainsFunc(places, func(p string) bool { return in.matchesPath(r.Match, p, env) }) {
			return Near{Rule: r}, true
		}
		for _, p := range places {
			consider(in.pathMiss(r.Match, p, env))
		}
	case a.Kind == evaluator.Command:
		for _, words := range commandLines(a.Command) {
			if matchWords(strings.Fields(r.Match), words) {
				return Near{Rule: r}, true
			}
			consider(wordsMiss(r.Match, words))
		}
	case in.globs.text(r.Match, subject(a)):
		return Near{Rule: r}, true
	default:
		consider(textMiss(r.Match, subject(a)))
	}
	return out, ok
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

func list[T ~string](words []T) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

// wordsMiss compares a command with a pattern that doesn't match it, word by word.
func wordsMiss(pattern string, got []string) (near float64, reason string) {
	want, command := strings.Fields(pattern), strings.Join(got, " ")
	if n := len(want) - 1; n >= 0 && want[n] == "*" {
		want = want[:n]
	}
	i := common(want, got, func(a, b string) bool { return a == b })
	near = float64(i) / float64(len(want)+1)
	switch {
	case i == len(want):
		return near, fmt.Sprintf("`%s` goes on after `%s`: a last * in the match takes further words", command, pattern)
	case i == len(got):
		return near, fmt.Sprintf("`%s` ends before word %d of `%s`, %q", command, i+1, pattern, want[i])
	}
	return near, fmt.Sprintf("`%s` differs from `%s` at word %d: %q, not %q", command, pattern, i+1, got[i], want[i])
}

// common counts the leading elements in which two lists agree.
func common(want, got []string, same func(want, got string) bool) int {
	i := 0
	for i < len(want) && i < len(got) && same(want[i], got[i]) {
		i++
	}
	return i
}

// pathMiss compares a path with a glob, name by name as far as the glob has no **,
// and then from the end. The reason is empty when it matches.
func (in Intent) pathMiss(pattern, path string, env evaluator.Env) (near float64, reason string) {
	switch {
	case pattern == PlanFiles:
		return -1, fmt.Sprintf("%s isn't in the provider's plan folder", path)
	case MatchPath(pattern, path, env):
		return 1, ""
	}
	pattern = paths.Home(env.Home, pattern)
	if !paths.Rooted(pattern) {
		if !paths.Within(workspace(env), path) {
			return 0, fmt.Sprintf("%s lies outside of the workspace, and %s is relative to it", path, pattern)
		}
		path = paths.Rel(workspace(env), path)
	}
	want, got := names(pattern), names(path)
	same := func(w, g string) bool { return w != "**" && MatchPath("/"+w, "/"+g, env) }
	i := common(want, got, same)
	switch {
	case i < len(want) && want[i] == "**":
		return in.pathEnd(want[i:], got[i:], same, float64(i)/float64(len(want)), pattern, path)
	case i == len(want):
		reason = fmt.Sprintf("%s goes on after %s: end it with /**", path, pattern)
	case i == len(got):
		reason = fmt.Sprintf("%s ends before name %d of %s, %q", path, i+1, pattern, want[i])
	default:
		reason = fmt.Sprintf("%s differs from %s at name %d: %q, not %q", path, pattern, i+1, got[i], want[i])
	}
	return float64(i) / float64(len(want)+1), reason
}

func names(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

func (in Intent) pathEnd(want, got []string, same func(w, g string) bool, near float64, pattern, path string) (float64, string) {
	want, got = slices.Clone(want), slices.Clone(got)
	slices.Reverse(want)
	slices.Reverse(got)
	i := common(want, got, same)
	if i < len(want) && i < len(got) && want[i] != "**" {
		return near, fmt.Sprintf("%s differs from %s at %q, which isn't %q", path, pattern, got[i], want[i])
	}
	return near, fmt.Sprintf("%s isn't matched by %s", path, pattern)
}

// textMiss compares a text with a pattern in which * is any run of characters.
func textMiss(pattern, text string) (near float64, reason string) {
	before, _, _ := strings.Cut(pattern, "*")
	want, got := strings.Split(before, ""), strings.Split(text, "")
	i := common(want, got, func(a, b string) bool { return a == b })
	near = float64(i) / float64(len(pattern)+1)
	if i < len(want) {
		return near, fmt.Sprintf("%q differs from %q at character %d", text, pattern, i+1)
	}
	return near, fmt.Sprintf("%q isn't matched by %q", text, pattern)
}

package compiler

import (
	"slices"
	"strings"

	"github.com/gobwas/glob"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// MatchWords compares a command pattern with a command, word by word. A last
// word "*" stands for any further arguments, or none.
func MatchWords(pattern, command string) bool {
	want, got := strings.Fields(pattern), strings.Fields(command)
	if n := len(want) - 1; n >= 0 && want[n] == "*" {
		return len(got) >= n && slices.Equal(want[:n], got[:n])
	}
	return slices.Equal(want, got)
}

// MatchPath compares a path glob with an absolute path. The glob is relative to
// the workspace, or starts with "/" or "~/"; "*" and "?" stay within one folder,
// "**/" is any number of folders, none included.
func MatchPath(pattern, path string, env evaluator.Env) bool {
	return globs{}.path(pattern, path, env)
}

// globs keeps compiled patterns: compiling one costs as much as hundreds of
// matches, and a policy's rules meet every probe. It isn't safe for concurrent
// use; an Intent has its own.
type globs map[string]*glob.Pattern

func (g globs) path(pattern, path string, env evaluator.Env) bool {
	if pattern == Everything {
		return true
	}
	pattern = paths.Home(env.Home, pattern)
	if !paths.Rooted(pattern) {
		pattern = workspace(env) + "/" + pattern
	}
	return g.match("path "+pattern, path, func() (*glob.Pattern, error) { return glob.Compile(translate(pattern), '/') })
}

// text compares a text pattern in which "*" is any run of characters.
func (g globs) text(pattern, text string) bool {
	return g.match("text "+pattern, text, func() (*glob.Pattern, error) {
		return glob.Compile(strings.ReplaceAll(glob.QuoteMeta(pattern), `\*`, "*"))
	})
}

// match compiles a pattern once. One that can't be compiled matches nothing.
func (g globs) match(key, text string, compile func() (*glob.Pattern, error)) bool {
	p, ok := g[key]
	if !ok {
		p, _ = compile()
		if g != nil { // an Intent that wasn't lowered keeps nothing
			g[key] = p
		}
	}
	return p != nil && p.Match(text)
}

// translate quotes everything that is special to the glob library and not to
// us. The alternatives that it writes for "**/" are the only ones.
func translate(pattern string) string {
	var b strings.Builder
	for pattern != "" {
		switch {
		case strings.HasPrefix(pattern, "**/"):
			b.WriteString("{**/,}")
			pattern = pattern[3:]
		case pattern[0] == '*' || pattern[0] == '?':
			b.WriteByte(pattern[0])
			pattern = pattern[1:]
		default:
			n := strings.IndexAny(pattern, "*?")
			if n < 0 {
				n = len(pattern)
			}
			b.WriteString(glob.QuoteMeta(pattern[:n]))
			pattern = pattern[n:]
		}
	}
	return b.String()
}

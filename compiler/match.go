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
	if pattern == Everything {
		return true
	}
	pattern = paths.Home(env.Home, pattern)
	if !paths.Rooted(pattern) {
		pattern = workspace(env) + "/" + pattern
	}
	g, err := glob.Compile(translate(pattern), '/')
	return err == nil && g.Match(path)
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

// matchText compares a text pattern in which "*" is any run of characters.
func matchText(pattern, text string) bool {
	g, err := glob.Compile(strings.ReplaceAll(glob.QuoteMeta(pattern), `\*`, "*"))
	return err == nil && g.Match(text)
}

package compiler

import (
	"slices"
	"strings"
	"sync"

	"github.com/gobwas/glob"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// matchWords compares a command pattern with a command, word by word. A last
// word "*" stands for any further arguments, or none.
func matchWords(pattern, command []string) bool {
	if n := len(pattern) - 1; n >= 0 && pattern[n] == Everything {
		return len(command) >= n && slices.Equal(pattern[:n], command[:n])
	}
	return slices.Equal(pattern, command)
}

// MatchPath compares a path glob with an absolute path. The glob is relative to
// the workspace, or starts with "/" or "~/"; "*" and "?" stay within one folder,
// "**/" is any number of folders, none included.
func MatchPath(pattern, path string, env evaluator.Env) bool {
	return newPathGlob(pattern, env).match(path)
}

// pathGlob is a path glob, ready to match absolute paths. Most paths are told by
// how they begin and end.
type pathGlob struct {
	prefix, suffix string
	glob           *glob.Pattern // nil for every path
}

func newPathGlob(pattern string, env evaluator.Env) *pathGlob {
	if pattern == Everything {
		return &pathGlob{}
	}
	pattern = paths.Home(env.Home, pattern)
	if !paths.Rooted(pattern) {
		pattern = workspace(env) + "/" + pattern
	}
	compiled, err := glob.Compile(translate(pattern), '/')
	if err != nil { // it matches nothing
		return &pathGlob{prefix: "\x00"}
	}
	g := &pathGlob{prefix: pattern, suffix: pattern, glob: compiled}
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		g.prefix, g.suffix = pattern[:i], pattern[strings.LastIndexAny(pattern, "*?/")+1:]
	}
	return g
}

func (g *pathGlob) match(path string) bool {
	return strings.HasPrefix(path, g.prefix) && strings.HasSuffix(path, g.suffix) && (g.glob == nil || g.glob.Match(path))
}

// globs keeps compiled patterns: compiling one costs as much as hundreds of
// matches, and a policy's rules meet every probe. The zero value keeps nothing.
type globs struct{ kept *sync.Map }

func newGlobs() globs { return globs{&sync.Map{}} }

// text compares a text pattern in which "*" is any run of characters.
func (g globs) text(pattern, text string) bool {
	return g.match(pattern, text, func() (*glob.Pattern, error) {
		return glob.Compile(strings.ReplaceAll(glob.QuoteMeta(pattern), `\*`, "*"))
	})
}

// match compiles a pattern once. One that can't be compiled matches nothing.
func (g globs) match(key, text string, compile func() (*glob.Pattern, error)) bool {
	if g.kept == nil {
		p, err := compile()
		return err == nil && p.Match(text)
	}
	p, ok := g.kept.Load(key)
	if !ok {
		compiled, err := compile()
		if err != nil {
			compiled = nil
		}
		p, _ = g.kept.LoadOrStore(key, compiled)
	}
	compiled, _ := p.(*glob.Pattern)
	return compiled != nil && compiled.Match(text)
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

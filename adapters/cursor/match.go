package cursor

import (
	"strings"

	"github.com/gobwas/glob"

	"github.com/modegate/modegate/internal/bash"
	"github.com/modegate/modegate/internal/paths"
)

// matches reports whether a permission token speaks of a request; for a command
// line, of one of its commands.
func (t token) matches(r request, workspace string) bool {
	if t.kind != r.Tool {
		return false
	}
	switch r.Tool {
	case shellTool:
		for _, words := range commands(r.Input.Command) {
			if t.matchesCommand(words) {
				return true
			}
		}
		return false
	case readTool, writeTool:
		file := paths.Abs(workspace, r.Input.Path)
		return wild(t.pattern, file, '/') || paths.Within(workspace, file) && wild(t.pattern, paths.Rel(workspace, file), '/')
	case webFetchTool:
		return wild(t.pattern, host(r.Input.URL))
	case mcpTool:
		server, tool, _ := strings.Cut(strings.ReplaceAll(t.pattern, " ", ""), ":")
		return wild(server, r.Input.Server) && (tool == "" || wild(tool, r.Input.Tool))
	}
	return false
}

// matchesCommand compares Shell(base) or Shell(base:arguments) with one command:
// base is its first word.
func (t token) matchesCommand(words []string) bool {
	base, args, both := strings.Cut(t.pattern, ":")
	return wild(base, words[0]) && (!both || wild(args, strings.Join(words[1:], " ")))
}

// allowed reports whether the tokens cover every command of a line, or the
// request that isn't a command. What can't be split is covered by none.
func allowed(tokens []token, r request, workspace string) (token, bool) {
	if r.Tool != shellTool {
		for _, t := range tokens {
			if t.matches(r, workspace) {
				return t, true
			}
		}
		return token{}, false
	}
	var hit token
	lines := commands(r.Input.Command)
	for _, words := range lines {
		found := false
		for _, t := range tokens {
			if t.kind == shellTool && t.matchesCommand(words) {
				hit, found = t, true
				break
			}
		}
		if !found {
			return token{}, false
		}
	}
	return hit, len(lines) > 0
}

// commands are the simple commands of a line, those in substitutions included;
// the whole text when it can't be read.
func commands(text string) [][]string {
	script, err := bash.Parse(text)
	if err != nil {
		return [][]string{{text}}
	}
	var out [][]string
	for _, c := range script.Commands() {
		if words, _ := script.Words(c); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// wild matches a glob; what isn't one matches nothing. Braces are quoted: they
// could be made to take exponential time.
func wild(pattern, text string, separators ...rune) bool {
	g, err := glob.Compile(strings.NewReplacer("{", `\{`, "}", `\}`).Replace(pattern), separators...)
	return err == nil && g.Match(text)
}

func host(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, "/:?#"); i >= 0 {
		url = url[:i]
	}
	return strings.ToLower(url)
}

package claude

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/paths"
)

// removes reports whether a text removes what Claude never lets go unasked: the
// home folder, the working directory or what holds it, a top-level folder,
// everything in a working directory, or what an empty variable would turn into
// one of these. It looks behind wrappers, assignments and bash -c, into groups
// and substitutions, but not behind sudo and xargs and not into functions.
func (s *session) removes(sh *shell) (string, bool) {
	moved := false
	for _, p := range sh.all() {
		if p.uncalled || len(p.words) == 0 {
			continue
		}
		words := strip(p.words)
		name := path.Base(words[0].text)
		switch {
		case words[0].text == "cd":
			moved = true
		case name == "rm" || name == "rmdir":
			for _, w := range positional(words[1:], "") {
				if what, ok := s.vital(w, moved); ok {
					return name + " of " + what, true
				}
			}
		case (name == "bash" || name == "sh") && len(words) == 3 && words[1].text == "-c" && words[2].static && s.version != V197:
			if why, ok := s.removes(parseShell(words[2].text)); ok {
				return why, true
			}
		}
	}
	return "", false
}

var maybeEmpty = regexp.MustCompile(`^"?\$(?:\w+|\{\w+\})"?/"?\*$`)

// vital says what a target of rm is when it must not go.
func (s *session) vital(w word, moved bool) (string, bool) {
	if maybeEmpty.MatchString(w.raw) {
		return "everything below a variable that may be empty", true
	}
	if strings.HasPrefix(w.raw, "$(") || strings.HasPrefix(w.raw, "`") {
		return "what another command prints", true
	}
	text, ok := s.expand(w, s.cwd)
	if !ok || text == "" || !w.static && !w.dynamic {
		return "", false
	}
	if moved && !strings.HasPrefix(text, "/") {
		switch path.Clean(text) {
		case "*", ".", "..":
			return "a path that follows a change of the working directory", true
		}
		return "", false
	}
	p := paths.Abs(s.cwd, text)
	dir, everything := strings.CutSuffix(p, "/*")
	switch {
	case p == "/" || p == "/*":
		return "the root", true
	case !everything && path.Dir(p) == "/":
		return "a top-level folder", true
	case dir == s.home:
		return "the home folder", true
	case !everything && paths.Within(p, s.cwd):
		return "the working directory or what holds it", true
	case everything && slices.ContainsFunc(s.dirs, func(d string) bool { return paths.Within(dir, d) }):
		return "everything in a working directory", true
	}
	return "", false
}

package claude

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/paths"
)

// removes reports whether a text removes what Claude never lets go unasked: the
// home folder, the working directory or what holds it, a top-level folder or
// what is in it, everything in a working directory, or what an empty variable
// would turn into one of these. It looks behind wrappers, assignments and
// sh -c, into groups and substitutions, but not behind sudo and xargs and not
// into functions.
func (s *session) removes(sh *shell) (string, bool) {
	moved := false
	for _, p := range sh.all() {
		if p.uncalled || len(p.words) == 0 || p.unsettled() || p.unseen || p.loose {
			continue
		}
		words := strip(p.words, s.version)
		name := path.Base(words[0].text)
		switch {
		case name == "cd", name == "pushd":
			moved = true
		case name == "rm", name == "rmdir":
			deep := has(words[1:], "-r") || has(words[1:], "-R") || has(words[1:], "--recursive")
			for _, w := range positional(words[1:], "") {
				if veils(w, words[1:]) {
					continue
				}
				if what, ok := s.vital(w, moved, deep); ok {
					return name + " of " + what, true
				}
			}
		case shells[name] && len(words) == 3 && has(words[1:2], "-c") && words[2].static && s.version != V197:
			if why, ok := s.removes(parseShell(words[2].text)); ok {
				return why, true
			}
		}
	}
	return "", false
}

// veils reports whether a target isn't looked at: a word with braces or that goes
// on in the next line, or one beside a variable (2.1.332, 2026-12-01).
func veils(w word, words []word) bool {
	other := func(o word) bool { return o.unknown() && o.raw != w.raw }
	return w.split || strings.Contains(w.raw, "{") && !strings.Contains(w.raw, "${") || slices.ContainsFunc(words, other)
}

var shells = set(`bash sh zsh`)

var (
	maybeEmpty  = regexp.MustCompile(`^"?\$(?:\w+|\{\w+\})"?/(?:"?\*)?$`)
	substituted = regexp.MustCompile("^\"?(?:\\$\\([^)]*\\)|`[^`]*`)\"?$")
	upOrAll     = regexp.MustCompile(`^(?:\.|\*|\.\.(?:/\.\.)*)$`)
)

// vital says what a target of rm is when it must not go. deep says that folders
// go with what they hold.
func (s *session) vital(w word, moved, deep bool) (string, bool) {
	if w.raw == w.text && maybeEmpty.MatchString(w.raw) && !strings.HasPrefix(strings.Trim(w.raw, `"`), "$HOME/") {
		return "a variable that may be empty", true
	}
	if deep && substituted.MatchString(w.raw) {
		return "what another command prints", true
	}
	text, ok := s.expand(w, s.cwd)
	if !ok || text == "" || !w.static && !w.dynamic && w.text == w.raw {
		return "", false
	}
	if moved && !strings.HasPrefix(text, "/") && s.cwd != "" {
		if upOrAll.MatchString(path.Clean(text)) {
			return "a path that follows a change of the working directory", true
		}
		return "", false
	}
	p := paths.Abs(s.cwd, text)
	dir, everything := strings.CutSuffix(strings.TrimSuffix(p, "*"), "/")
	everything = everything && (strings.HasSuffix(p, "/*") || strings.HasSuffix(p, "/**"))
	if strings.HasSuffix(p, "/**") {
		dir = strings.TrimSuffix(p, "/**")
	}
	switch {
	case p == "/", path.Dir(p) == "/":
		return "a top-level folder", true
	case everything && path.Dir(dir) == "/":
		return "everything in a top-level folder", true
	case p == s.home, everything && dir == s.home:
		return "the home folder", true
	case !everything && paths.Within(p, s.cwd):
		return "the working directory or what holds it", true
	case everything && slices.ContainsFunc(s.dirs, func(d string) bool { return paths.Within(dir, d) }):
		return "everything in a working directory", true
	}
	return "", false
}

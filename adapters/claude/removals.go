package claude

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/paths"
)

// removes reports whether a text removes what Claude never lets go unasked: the
// home folder, the working directory or what holds it, a top-level folder or what
// is in it, everything in a working directory, or what an empty variable would
// turn into one of these. It looks behind wrappers, assignments and sh -c, into
// groups and substitutions, but not behind sudo and xargs, not into functions, and
// not where it overlooks them.
func (s *session) removes(sh *shell) (string, bool) {
	moved := false
	for _, p := range sh.all() {
		if p.uncalled || len(p.words) == 0 || p.unsettled() || p.unseen || p.loose || p.aside {
			continue
		}
		words := strip(p.words, s.version)
		name := path.Base(words[0].text)
		switch {
		case name == "cd", name == "pushd":
			moved = true
		case name == "rm", name == "rmdir":
			deep := has(words[1:], "-r") || has(words[1:], "-R") || has(words[1:], "--recursive")
			beside := slices.ContainsFunc(words, func(w word) bool { return braced(w) || w.moves() })
			for _, w := range positional(words[1:], "") {
				if what, ok := s.vital(w, moved, deep); ok && !s.overlooks(sh, p, w, words, beside) {
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

// overlooks reports whether a target in a command isn't looked at (measured on both
// versions, 2026-12-01: testdata/claude/removals.json). A variable that may be empty
// is looked for in what is written. Everything else is looked for in what is known
// before the text runs: beside words that aren't, 2.1.332 sees nothing in the same
// command, and 2.1.197 nothing in the whole text. beside says that the command has
// such words; a target that must not go is none of them.
func (s *session) overlooks(sh *shell, p *part, w word, words []word, beside bool) bool {
	empty := w.mayBeEmpty()
	name := words[0].raw
	switch {
	case escaped(name), empty && (strings.ContainsAny(name, `'"`) || p.words[0].text == "builtin"), w.split, braced(w):
		return true
	case !empty && beside:
		return true
	case s.version != V197:
		return false
	case p.nested, p.hidden && !empty:
		return true
	case empty: // and no group, redirect or wrapper in front of the name
		return len(words) != len(p.words) || p.negated || p.assigned
	}
	return p.grouped || sh.opaque != "" || sh.setsOddly() || p.writesFile() || strings.HasSuffix(w.text, "/.")
}

// setsOddly reports whether a variable is set to more than plain text.
func (sh *shell) setsOddly() bool {
	return slices.ContainsFunc(sh.parts, func(p *part) bool {
		return slices.ContainsFunc(p.assigns, func(a assign) bool { return a.value.raw != "" && !a.bare })
	})
}

// writesFile reports whether what a command prints goes to a file.
func (p *part) writesFile() bool {
	return slices.ContainsFunc(p.redirects, func(r redirect) bool { return r.write && !r.fd && r.target.text != "/dev/null" })
}

// moves reports whether a word isn't known before it runs. What a nested command
// prints is a target of its own.
func (w word) moves() bool {
	return !w.static && !w.dynamic && w.text == w.raw && !substituted.MatchString(w.raw) && !w.mayBeEmpty()
}

func braced(w word) bool { return strings.Contains(w.raw, "{") && !strings.Contains(w.raw, "${") }

// mayBeEmpty reports whether a word is a variable and a slash, which is the root
// folder when the variable is empty.
func (w word) mayBeEmpty() bool {
	return w.raw == w.text && maybeEmpty.MatchString(w.raw) && !strings.HasPrefix(strings.Trim(w.raw, `"`), "$HOME/")
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
	if w.mayBeEmpty() {
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

package claude

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/paths"
)

// look is what the paths of one command came to.
type look struct {
	finding        // step denied, guarded or asks; runs when nothing stands against it
	soft    string // why only a rule for exactly this text allows it
	cd      bool   // it changes the working directory
	cwd     string // the one after it
	writes  bool   // it writes or removes files by name
}

// use is one path that a command names.
type use struct {
	word  word
	write bool // Claude guards it like a write
	reads bool // Read(…) deny rules count
	edits bool // Edit(…) deny rules count

	removes bool // a link goes, and not what it leads to
}

// lookAll looks at the paths of every command in turn, following cd.
func (s *session) lookAll(sh *shell, t *tracer) []look {
	cwd := s.cwd
	moves := s.version == V197 && slices.ContainsFunc(sh.parts, func(p *part) bool { return p.program() == "cd" })
	var out []look
	for _, p := range sh.parts {
		l := s.lookAt(p, cwd, moves, t)
		out = append(out, l)
		if l.cd {
			cwd = l.cwd
		}
	}
	return out
}

// asksFirst says why 2.1.197 asks before it comes to rules for the paths that a
// command reads or writes, "" when it doesn't. Where a mode runs what nobody has
// permitted, no such rule holds (measured 2026-12-01: testdata/claude/runners.json).
func (s *session) asksFirst(p *part, write, moves bool) string {
	switch {
	case s.version != V197:
		return ""
	case p.grouped:
		return "a subshell can't be checked before it runs"
	case write && moves:
		return "a write beside a change of the working directory"
	case write && len(p.words) > 0 && runsText[p.words[0].text]:
		return "what " + p.words[0].text + " runs can't be checked"
	}
	return ""
}

var runsText = set(`eval exec trap`)

// lookAt looks at one command. moves says, of 2.1.197, that its text changes the
// working directory.
func (s *session) lookAt(p *part, cwd string, moves bool, t *tracer) look {
	l := look{finding: finding{step: runs}, cwd: cwd}
	judge := func(f finding, write bool) {
		if why := s.asksFirst(p, write, moves); why != "" && f.step == denied {
			f = finding{asks, nil, why}
		}
		l.worse(f)
	}
	words := strip(p.words, s.version)
	var uses []use
	if len(words) > 0 && !p.unsettled() {
		name := words[0].text
		if name == "cd" {
			l.cd = true
			if to, ok := s.cwdAfter(cwd, words); ok {
				l.cwd = to
				uses = append(uses, use{word: literalWord(to), reads: true})
			}
		} else {
			uses = operands(name, words[1:], s.version)
		}
	}
	for _, u := range uses {
		l.writes = l.writes || u.write
		judge(s.lookUse(u, cwd, t), u.write)
	}
	for _, r := range p.redirects {
		judge(s.lookRedirect(r, cwd, t), r.write)
	}
	if len(words) > 1 && (words[0].text == "cp" || words[0].text == "mv") && hasOptions(words[1:]) {
		f := finding{asks, nil, words[0].text + " has options"}
		if s.version == V197 && l.step == denied {
			l.finding = f
		}
		l.worse(f)
	}
	l.soft = odd(words, s.version)
	return l
}

// worse keeps the finding that stops earlier.
func (l *look) worse(f finding) {
	rank := func(s step) int {
		switch s {
		case denied:
			return 0
		case guarded, linked:
			return 1
		case asks:
			return 2
		}
		return 3
	}
	if rank(f.step) < rank(l.step) {
		l.finding = f
	}
}

// expand gives the path that a word stands for, as far as Claude follows it: ~,
// $HOME and, for reading, "$PWD/…".
func (s *session) expand(w word, cwd string) (string, bool) {
	text := w.text
	if w.dynamic {
		text = strings.Trim(w.raw, `"`)
		text = strings.ReplaceAll(text, "$HOME", s.home)
		text = strings.ReplaceAll(text, "$PWD", cwd)
		return text, !strings.Contains(text, "$")
	}
	if !w.static && text == w.raw {
		return text, false // reads a variable that nobody knows
	}
	if strings.HasPrefix(text, "~") && text != "~" && !strings.HasPrefix(text, "~/") {
		return text, false
	}
	return paths.Home(s.home, text), true
}

// lookUse judges one path of a command: deny rules, links, protected paths,
// then the working directories.
func (s *session) lookUse(u use, cwd string, t *tracer) finding {
	text, ok := s.expand(u.word, cwd)
	switch {
	case u.word.glob && u.write:
		return finding{asks, nil, "a pattern names what is written"}
	case !ok && !u.word.static && !u.word.dynamic:
		return finding{step: runs} // which makes the whole text one that can't be checked
	case !ok, u.word.dynamic && u.write, u.word.static && strings.Contains(text, "$"):
		return finding{asks, nil, "the path may be another one when it runs"}
	case u.word.glob:
		text = beforeGlob(text)
	}
	if s.version == V197 && climbs(text) {
		return finding{asks, nil, "the path goes back up, maybe behind a link"}
	}
	p := s.placeAt(cwd, text)
	if rule := s.pathDenied(p, u, t); rule != nil {
		return finding{denied, rule, "the rule denies a path of the command"}
	}
	if u.write && p.linked() && s.version != V197 {
		step := linked
		if u.removes {
			step = guarded
		}
		return finding{step, nil, "the path is a link"}
	}
	if u.write && s.protected(p) {
		return finding{guarded, nil, "a path of the command is protected"}
	}
	if s.inside(p) || s.openPath(p, u.write, t) {
		if climbs(text) {
			return finding{asks, nil, "the path goes back up, maybe behind a link"}
		}
		return finding{step: runs}
	}
	return finding{asks, nil, "a path of the command is outside the working directories"}
}

// beforeGlob is the folder in which a pattern is looked up.
func beforeGlob(text string) string {
	before := text[:strings.IndexAny(text+"*", "*?[")]
	i := strings.LastIndexByte(before, '/')
	switch {
	case i == 0:
		return "/"
	case i < 0:
		return "."
	}
	return before[:i]
}

// climbs reports whether a path goes up again after going down.
func climbs(text string) bool {
	down := false
	for _, name := range strings.Split(text, "/") {
		switch name {
		case "", ".":
		case "..":
			if down {
				return true
			}
		default:
			down = true
		}
	}
	return false
}

func (s *session) pathDenied(p place, u use, t *tracer) *Rule {
	if u.edits {
		if rule := s.pathRule(s.rules.Deny, "Edit", p, false, t); rule != nil {
			return rule
		}
	}
	if u.reads {
		return s.pathRule(s.rules.Deny, "Read", p, false, t)
	}
	return nil
}

// openPath reports whether a path rule opens what is outside the working
// directories.
func (s *session) openPath(p place, write bool, t *tracer) bool {
	if write {
		return s.pathRule(s.rules.Allow, "Edit", p, true, t) != nil
	}
	return s.pathRule(s.rules.Allow, "Read", p, true, t) != nil
}

// lookRedirect judges a redirect. Writing into a file is a change of its own: it
// needs a mode or a rule that changes files.
func (s *session) lookRedirect(r redirect, cwd string, t *tracer) finding {
	if r.fd || r.target.static && r.target.text == "/dev/null" {
		return finding{step: runs}
	}
	if !r.write {
		if s.version == V197 {
			return finding{step: runs}
		}
		return s.lookUse(use{word: r.target, reads: true}, cwd, t)
	}
	if strings.HasPrefix(r.target.text, "~") || r.target.glob || r.target.dynamic || !r.target.static {
		return finding{asks, nil, "where a redirect writes is only known when it runs"}
	}
	edits := s.mode == AcceptEdits || s.mode == Auto
	if s.version == V197 && edits && (r.target.text == "/dev/stdout" || r.target.text == "/dev/stderr") {
		return finding{step: runs}
	}
	f := s.lookUse(use{word: r.target, write: true, edits: true}, cwd, t)
	if f.step != runs {
		return f
	}
	p := s.placeAt(cwd, r.target.text)
	if edits && s.inside(p) || s.pathRule(s.rules.Allow, "Edit", p, true, t) != nil {
		return finding{step: runs}
	}
	return finding{asks, nil, "a redirect changes a file"}
}

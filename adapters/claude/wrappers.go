package claude

import (
	"path"
	"regexp"
	"strings"
)

// What stands before a program is taken off in other spellings where Claude looks
// for paths and for removals, where acceptEdits looks for its commands, and where
// it looks for commands that only read (measured on 2.1.332, 2026-12-01, in
// testdata/claude/runners.json). A spelling that isn't one of these hides the
// program.

// peel takes wrappers off as long as there are any.
func peel(words []word, behind func([]word) ([]word, bool)) []word {
	for len(words) > 0 {
		rest, ok := behind(words)
		if !ok {
			return words
		}
		words = rest
	}
	return words
}

// strip takes off the wrappers behind which Claude looks for paths.
func strip(words []word, version string) []word {
	out := peel(words, func(words []word) ([]word, bool) { return behindPathWrapper(words, version) })
	if len(out) == 0 {
		return words
	}
	return out
}

func behindPathWrapper(words []word, version string) ([]word, bool) {
	name, rest := path.Base(words[0].text), words[1:]
	switch name {
	case "env":
		return behindEnv(rest)
	case "stdbuf":
		return behindStdbuf(rest, true)
	case "nice", "nohup", "time":
		if len(rest) > 1 && rest[0].text == "--" && version != V197 {
			return started(rest[1:])
		}
	case "timeout":
		if version == V197 {
			break
		}
		if list := behindLauncher(append([]word{literalWord(name)}, rest...), V332); list != nil {
			return list, true
		}
		return nil, false
	}
	return behindHarmless(append([]word{literalWord(name)}, rest...))
}

// behindHarmless is what may stand before the commands of acceptEdits.
func behindHarmless(words []word) ([]word, bool) {
	rest := words[1:]
	switch words[0].text {
	case "nice":
		switch {
		case len(rest) > 2 && rest[0].text == "-n" && niceness.MatchString(rest[1].text):
			rest = rest[2:]
		case len(rest) > 1 && number.MatchString(rest[0].text):
			rest = rest[1:]
		}
		return started(rest)
	case "nohup", "time":
		return started(rest)
	case "stdbuf":
		return behindStdbuf(rest, false)
	case "timeout":
		left, end := starts["timeout"].options(rest, V332)
		if end == atWord && len(left) > 1 && duration.MatchString(left[0].text) {
			return started(left[1:])
		}
		return nil, false
	}
	return behindBuiltin(words)
}

// behindTimeout is what may stand before the commands that only read; in
// 2.1.197 not timeout.
func (s *session) behindTimeout(words []word) ([]word, bool) {
	if s.version != V197 && words[0].text == "timeout" && len(words) > 2 && duration.MatchString(words[1].text) {
		return started(words[2:])
	}
	return behindBuiltin(words)
}

// behindBuiltin is what stands before a program in every place.
func behindBuiltin(words []word) ([]word, bool) {
	rest := words[1:]
	switch words[0].text {
	case "command":
		for len(rest) > 0 && rest[0].text == "-p" {
			rest = rest[1:]
		}
	case "builtin":
	case "noglob":
		return started(rest)
	default:
		return nil, false
	}
	if len(rest) > 0 && rest[0].text == "--" {
		rest = rest[1:]
	}
	return started(rest)
}

// started gives words that begin with a program's name.
func started(words []word) ([]word, bool) {
	if len(words) == 0 || strings.HasPrefix(words[0].text, "-") {
		return nil, false
	}
	return words, true
}

func behindEnv(words []word) ([]word, bool) {
	for len(words) > 1 {
		switch t := words[0].text; {
		case t == "-i":
		case t == "-u":
			words = words[1:]
		case variableName.MatchString(t) && words[0].static:
		default:
			return started(words)
		}
		words = words[1:]
	}
	return started(words)
}

var buffering = regexp.MustCompile(`^(?:-[ioe][LN0-9]+|--(?:input|output|error)=[LN0-9]+)$`)

// behindStdbuf skips its options, of which there is at least one. apart says that
// a value may be the next word, or stand behind =.
func behindStdbuf(words []word, apart bool) ([]word, bool) {
	left := words
	for len(left) > 1 {
		t := left[0].text
		if buffering.MatchString(t) && (apart || !strings.HasPrefix(t, "--")) {
			left = left[1:]
			continue
		}
		if apart && (t == "-i" || t == "-o" || t == "-e") {
			left = left[2:]
			continue
		}
		break
	}
	if len(left) == len(words) {
		return nil, false
	}
	return started(left)
}

// unsettled reports whether a variable is set in front of a program to what isn't
// static: then 2.1.332 looks for no paths.
func (p *part) unsettled() bool {
	if len(p.words) == 0 {
		return false
	}
	for _, a := range p.assigns {
		if a.value.raw != "" && !a.value.static {
			return true
		}
	}
	return false
}

package claude

import (
	"regexp"
	"strings"
)

// named reports whether a program's name is known to the rules.
func (w word) named() bool {
	return !escaped(w.raw) && (w.static || w.dynamic || w.text != w.raw)
}

// escaped reports whether a word is one with escape codes, or a translated one.
func escaped(raw string) bool { return strings.HasPrefix(raw, "$'") || strings.HasPrefix(raw, `$"`) }

// shellWords are commands that run their arguments as shell text, or another
// program that can't be seen. No rule but Bash as a whole allows them.
var shellWords = set(`eval source . trap alias exec coproc hash let`)

var starters = set(`ionice setsid watch strace script flock`)

// odd reports what about a command asks for a person unless a rule allows exactly
// its text.
func odd(words []word, version string) string {
	if len(words) == 0 {
		return ""
	}
	name, args := words[0].text, words[1:]
	if words[0].escapedPattern() && version != V197 {
		return "an escaped character in the program's name"
	}
	switch {
	case shellWords[name]:
		return name + " runs its arguments as shell text, which"
	case starters[name]:
		return "what " + name + " starts"
	case name == "find":
		return oddFind(args)
	case name == "jq" && !jqReads(args):
		return "jq with these options"
	}
	return ""
}

func hasOptions(args []word) bool {
	for _, w := range args {
		if strings.HasPrefix(w.text, "-") {
			return true
		}
	}
	return false
}

var findRuns = set(`-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls`)

func oddFind(args []word) string {
	for _, w := range args {
		if findRuns[w.text] {
			return "find with " + w.text
		}
		if w.glob {
			return "a pattern that the shell expands before find"
		}
	}
	return ""
}

// escapedPattern reports whether the name has a pattern character behind a
// backslash.
func (w word) escapedPattern() bool {
	return strings.Contains(w.raw, `\*`) || strings.Contains(w.raw, `\?`) || strings.Contains(w.raw, `\[`)
}

// editors are the commands that acceptEdits runs in the working directories.
var editors = set(`mkdir touch rm rmdir mv cp sed`)

// edits reports whether acceptEdits and auto run a command. touch must stand
// alone, without options, wrappers or assignments; in 2.1.197 it needn't (measured
// 2026-12-01).
func (s *session) edits(p *part) bool {
	words := peel(p.words, behindHarmless)
	if len(words) == 0 || !editors[words[0].text] {
		return false
	}
	for _, a := range p.assigns {
		if !a.bare || !safeVariables[a.name] {
			return false
		}
	}
	switch words[0].text {
	case "touch":
		if s.version == V197 {
			return true
		}
		bare := len(words) == len(p.words) && len(p.assigns) == 0
		for _, w := range words[1:] {
			bare = bare && !strings.HasPrefix(w.text, "-")
		}
		return bare
	case "sed":
		return sedEdits(words[1:])
	}
	return true
}

var (
	substitution = regexp.MustCompile(`^s/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/[gpimIM0-9]*$`)
	printing     = regexp.MustCompile(`^(?:p|\d+(?:,\d+)?p(?:;\d+(?:,\d+)?p)*)$`)
	quietly      = regexp.MustCompile(`^-[nErz]+$`)
)

// sedEdits reports whether a sed call is one substitution, with -i, -E or -r, or
// prints lines with -n.
func sedEdits(args []word) bool { return sedCall(args, "-i --in-place -E -r") || sedPrints(args) }

func sedCall(args []word, options string) bool {
	script := ""
	for _, w := range args {
		switch {
		case script == "" && strings.HasPrefix(w.text, "-"):
			if !strings.Contains(" "+options+" ", " "+w.text+" ") {
				return false
			}
		case script == "":
			script = w.text
			if !substitution.MatchString(script) {
				return false
			}
		}
	}
	return script != ""
}

// sedPrints reports whether sed only prints lines by their numbers.
func sedPrints(args []word) bool {
	quiet, script := false, ""
	for _, w := range args {
		switch {
		case script != "" || w.text == "--":
		case w.text == "--quiet" || quietly.MatchString(w.text):
			quiet = quiet || strings.ContainsAny(w.text, "nq")
		case strings.HasPrefix(w.text, "-"):
			return false
		default:
			script = w.text
		}
	}
	return quiet && printing.MatchString(script)
}

// launchers run other people's code. In auto no allow rule for one counts that
// leaves open what it runs (measured on 2.1.332, 2026-11-30; npm, make, docker
// and the like aren't among them).
var (
	launchers = set(`bash sh zsh fish dash ksh busybox node deno ruby perl php lua tsx npx bunx ssh powershell pwsh
	env xargs sudo su doas eval exec watch time nohup timeout nice command builtin setsid stdbuf script strace flock`)
	launcherPairs = set(`npm_exec yarn_dlx pnpm_dlx bun_x`)
	pythons       = regexp.MustCompile(`^python[0-9.]*$`)
	// laterLaunchers weren't among them in 2.1.197 (measured 2026-12-01).
	laterLaunchers = regexp.MustCompile(`^(?:dash|ksh|busybox|powershell|pwsh|su|doas|time|nohup|nice|command|builtin|stdbuf|python\d+\..*)$`)
)

// runsAnything reports whether a Bash rule would let a launcher run anything.
func runsAnything(content, version string) bool {
	first, rest, _ := strings.Cut(strings.TrimSuffix(content, ":*"), " ")
	if before, _, open := strings.Cut(first, "*"); open && content != "*" {
		return version != V197 && beginsLauncher(before)
	}
	first = strings.TrimSuffix(first, "*")
	if version == V197 && laterLaunchers.MatchString(first) {
		return false
	}
	if second, more, _ := strings.Cut(rest, " "); launcherPairs[first+"_"+second] {
		if version == V197 {
			return false
		}
		rest = more
	} else if first != "" && !launchers[first] && !pythons.MatchString(first) {
		return false
	}
	if next, _, _ := strings.Cut(rest, " "); version != V197 && strings.Contains(next, "*") {
		return true
	}
	return rest == "" || strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "-")
}

// beginsLauncher reports whether a launcher's name starts with a text.
func beginsLauncher(text string) bool {
	if strings.HasPrefix("python", text) || pythons.MatchString(text) {
		return true
	}
	for name := range launchers {
		if strings.HasPrefix(name, text) {
			return true
		}
	}
	return false
}

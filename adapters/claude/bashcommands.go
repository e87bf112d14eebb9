package claude

import (
	"regexp"
	"strings"
)

// strip takes off the wrappers behind which Claude looks for paths.
func strip(words []word) []word {
	for len(words) > 1 && transparent[words[0].text] {
		rest := behindRunner(words[0].text, words[1:])
		if len(rest) == 0 {
			return words
		}
		words = rest
	}
	return words
}

var transparent = set(`time nohup command builtin nice stdbuf timeout env`)

// named reports whether a program's name is known to the rules.
func (w word) named() bool {
	return !strings.HasPrefix(w.raw, "$'") && (w.static || w.dynamic || w.text != w.raw)
}

// reader says which arguments of a program are paths that it reads.
type reader struct {
	skip   int    // leading arguments that aren't paths
	unless string // options that give what is skipped
	valued string // options whose value is the next word
}

// readers are the programs whose paths Claude checks (measured on 2.1.332,
// 2026-11-30, with a deny rule and with paths outside).
var readers = map[string]reader{
	"cat": {}, "head": {valued: "-n -c"}, "tail": {valued: "-n -c"}, "sort": {valued: "-k -t -S -T"}, "uniq": {valued: "-f -s -w"},
	"wc": {}, "cut": {valued: "-d -f -c -b"}, "paste": {valued: "-d"}, "column": {valued: "-s -c"}, "tr": {skip: 2},
	"file": {}, "stat": {valued: "-c -f"}, "diff": {}, "cmp": {}, "comm": {}, "strings": {valued: "-n"}, "hexdump": {valued: "-n -s -e"},
	"od": {valued: "-A -t -N -j"}, "base64": {valued: "-w"}, "nl": {valued: "-b -s -w"}, "tac": {}, "rev": {}, "fold": {valued: "-w"},
	"fmt": {valued: "-w"}, "pr": {}, "expand": {valued: "-t"}, "unexpand": {valued: "-t"}, "tsort": {},
	"sha256sum": {}, "sha1sum": {}, "md5sum": {}, "ls": {}, "cd": {},
	"awk": {skip: 1, unless: "-f", valued: "-F -v"}, "gawk": {skip: 1, unless: "-f", valued: "-F -v"},
	"jq":   {skip: 1, valued: "--arg --argjson --indent"},
	"grep": {skip: 1, unless: "-e -f", valued: "-e -m -A -B -C"}, "egrep": {skip: 1, unless: "-e -f", valued: "-e -m -A -B -C"},
	"fgrep": {skip: 1, unless: "-e -f", valued: "-e -m -A -B -C"},
	"rg":    {skip: 1, unless: "-e -f --files", valued: "-e -m -A -B -C -g -t -T --type --glob"},
}

// operands lists the paths that a command names, as far as Claude looks.
func operands(name string, args []word, version string) []use {
	switch name {
	case "touch", "mkdir", "rm", "rmdir", "tee":
		if name == "tee" && version == V197 {
			return nil
		}
		return written(positional(args, "-m -t -r -d"), false)
	case "cp", "mv":
		return copied(name, positional(args, ""), version)
	case "sed":
		return edited(args)
	case "find":
		return searched(args)
	case "git":
		if len(args) > 0 && args[0].text == "diff" {
			return read(behindDashes(positional(args[1:], ""), args))
		}
		return nil
	}
	r, ok := readers[name]
	if !ok {
		return nil
	}
	list := positional(args, r.valued)
	skip := r.skip
	for _, option := range strings.Fields(r.unless) {
		if has(args, option) {
			skip = 0
		}
	}
	list = list[min(skip, len(list)):]
	if len(list) == 0 && (name == "ls" || name == "rg" && !has(args, "-")) {
		return nil
	}
	return read(list)
}

func read(list []word) []use {
	out := make([]use, len(list))
	for i, w := range list {
		out[i] = use{word: w, reads: true}
	}
	return out
}

func written(list []word, reads bool) []use {
	out := make([]use, len(list))
	for i, w := range list {
		out[i] = use{word: w, write: true, edits: true, reads: reads}
	}
	return out
}

// copied is cp and mv: mv removes its sources too, and 2.1.197 didn't look at
// what cp reads.
func copied(name string, list []word, version string) []use {
	var out []use
	for i, w := range list {
		last := i == len(list)-1
		out = append(out, use{word: w, write: true, edits: last || name == "mv", reads: !last && version != V197})
	}
	return out
}

// edited is sed: its files are written unless -n is given.
func edited(args []word) []use {
	list := positional(args, "-e -f")
	if !has(args, "-e") && !has(args, "-f") {
		list = list[min(1, len(list)):]
	}
	quiet := has(args, "-n") && !has(args, "-i")
	if quiet {
		return read(list)
	}
	return written(list, true)
}

// searched is find: the folders before its tests.
func searched(args []word) []use {
	for i, w := range args {
		if strings.HasPrefix(w.text, "-") || w.text == "(" || w.text == "!" {
			args = args[:i]
			break
		}
	}
	return read(args)
}

// behindDashes keeps the arguments of git that are paths: those behind --, or
// those that look like one.
func behindDashes(list, args []word) []word {
	var out []word
	for i, w := range args {
		if w.text == "--" {
			return args[i+1:]
		}
	}
	for _, w := range list {
		if has(args, "--no-index") || strings.Contains(w.text, "/") {
			out = append(out, w)
		}
	}
	return out
}

// positional drops options, and the values of those that have one.
func positional(args []word, valued string) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		switch t := args[i].text; {
		case t == "--":
			return append(out, args[i+1:]...)
		case strings.HasPrefix(t, "-") && len(t) > 1:
			if strings.Contains(" "+valued+" ", " "+t+" ") {
				i++
			}
		default:
			if t != "-" {
				out = append(out, args[i])
			}
		}
	}
	return out
}

// has reports whether an option is given, alone or among others (-ni).
func has(args []word, option string) bool {
	for _, w := range args {
		t := w.text
		switch {
		case t == option || strings.HasPrefix(t, option+"="):
			return true
		case len(option) == 2 && strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.Contains(t[1:], option[1:]):
			return true
		}
	}
	return false
}

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
	case name == "jq" && !readOnlyCommands[name].accepts(args):
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

// harmless are the wrappers behind which acceptEdits still sees its commands.
var harmless = set(`time nohup command builtin nice stdbuf timeout`)

// edits reports whether acceptEdits and auto run a command. touch must stand
// alone, without options, wrappers or assignments; in 2.1.197's acceptEdits it
// needn't.
func (s *session) edits(p *part) bool {
	words := p.words
	for len(words) > 1 && harmless[words[0].text] {
		words = behindRunner(words[0].text, words[1:])
	}
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
		if s.version == V197 && s.mode == AcceptEdits {
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
	printing     = regexp.MustCompile(`^(?:\d+|\d+,\d+|\$)?p$`)
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

// sedPrints reports whether sed only prints lines.
func sedPrints(args []word) bool {
	quiet, script := false, ""
	for _, w := range args {
		switch {
		case w.text == "-n":
			quiet = true
		case script == "" && strings.HasPrefix(w.text, "-"):
			return false
		case script == "":
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
)

// runsAnything reports whether a Bash rule would let a launcher run anything.
func runsAnything(content string) bool {
	first, rest, _ := strings.Cut(strings.TrimSuffix(content, ":*"), " ")
	first = strings.TrimSuffix(first, "*")
	if second, more, _ := strings.Cut(rest, " "); launcherPairs[first+"_"+second] {
		rest = more
	} else if first != "" && !launchers[first] && !pythons.MatchString(first) {
		return false
	}
	return rest == "" || strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "-")
}

package claude

import (
	"regexp"
	"slices"
	"strings"
)

// onlyReads reports whether a command is in Claude's built-in set of commands
// that need no permission, in a spelling that it knows. timeout with nothing but
// a duration, command, builtin and noglob may stand in front of it.
func (s *session) onlyReads(p *part) bool {
	words := peel(p.words, s.behindTimeout)
	if len(words) == 0 {
		return false
	}
	for _, a := range p.assigns {
		bare := a.bare || a.value.static && s.version == V197
		if !bare || !safeVariables[a.name] {
			return false
		}
	}
	name, args := words[0].text, words[1:]
	if !readOnlyPrograms[name] && !anyGlob[name] && slices.ContainsFunc(args, func(w word) bool { return w.glob }) {
		return false // what it would be told isn't known (2.1.332 and 2.1.197, 2026-11-30)
	}
	if (name == "[" || name == "[[" || name == "test") && slices.ContainsFunc(args, func(w word) bool { return indexed.MatchString(w.text) }) {
		return false
	}
	switch name {
	case "[", "[[":
		return !p.wild && !dynamic(args)
	case "sed":
		return sedPrints(args) || sedCall(args, "-E -r") && len(operands("sed", args, s.version)) == 0
	case "find":
		return oddFind(args) == ""
	case "jq":
		return jqReads(args)
	case "test", "expr":
		return !hasWord(args, "=") && !hasWord(args, "-a") && !hasWord(args, "-o")
	case "git", "docker":
		return subcommandReads(name, args)
	}
	if spec, ok := spellings[name]; ok {
		return spec.MatchString(join(args))
	}
	if readOnlyPrograms[name] {
		return true
	}
	if knownOptions[name] == nil {
		return false
	}
	others, ok := knowsOptions(name, args, s.version)
	return ok && (othersRead(name, args, others) || name == "ps" && s.version == V197)
}

// indexed is a text that test and the like may take for a variable with an index,
// and so run what the index substitutes.
var indexed = regexp.MustCompile("\\[.*(?:\\$\\(|`)")

// anyGlob are the programs outside of readOnlyPrograms that an unquoted pattern
// of files doesn't exclude, or that have their own say about it.
var anyGlob = set(`grep egrep fgrep find test expr [ [[`)

func hasWord(args []word, text string) bool {
	return slices.ContainsFunc(args, func(w word) bool { return w.text == text })
}

func dynamic(args []word) bool {
	for _, w := range args {
		if w.dynamic {
			return true
		}
	}
	return false
}

func join(args []word) string {
	texts := make([]string, len(args))
	for i, w := range args {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}

// readOnlyPrograms need no permission whatever their arguments are, short of
// paths outside the working directories (measured on 2.1.332, 2026-11-30, like
// everything in this file: programs that are nowhere here were asked for).
var readOnlyPrograms = set(`basename cal cat cd cmp column comm cut df diff dirname du echo expand false fmt fold free groups head hexdump id ls locale md5sum nl nproc numfmt od paste pr readlink realpath rev seq sha1sum sha256sum sleep
	stat strings tac tail tr true tsort type uname unexpand uptime wc`)

// spellings are the programs whose arguments, joined with blanks, must match.
var spellings = map[string]*regexp.Regexp{
	"arch":     regexp.MustCompile(`^$`),
	"claude":   regexp.MustCompile(`^(?:-h|--help)$`),
	"hostname": regexp.MustCompile(`^(?:|-[sifI])$`),
	"history":  regexp.MustCompile(`^\d*$`),
	"ifconfig": regexp.MustCompile(`^\w*$`),
	"ip":       regexp.MustCompile(`^addr$`),
	"node":     regexp.MustCompile(`^(?:-v|--version)$`),
	"printf":   regexp.MustCompile(`^(?:[^-]|--)`),
	"pwd":      regexp.MustCompile(`^$`),
	"python":   regexp.MustCompile(`^--version$`),
	"python3":  regexp.MustCompile(`^--version$`),
	"whoami":   regexp.MustCompile(`^$`),
}

// othersRead looks at the arguments that aren't options, where they count.
func othersRead(name string, args, others []word) bool {
	switch name {
	case "uniq":
		return len(others) == 0
	case "date":
		for _, w := range others {
			if !strings.HasPrefix(w.text, "+") {
				return false
			}
		}
	case "ps":
		for _, w := range others {
			if !(len(others) == len(args) && bsdStyle.MatchString(w.text)) && !digits.MatchString(w.text) {
				return false
			}
		}
	case "tput":
		return len(others) > 0 && terminalNames[others[0].text]
	case "xargs":
		return len(others) == 0 || set(`echo printf wc grep head tail`)[others[0].text]
	}
	return true
}

// jqReads is jq: options first, then a filter that reads nothing but its input.
func jqReads(args []word) bool {
	filter := false
	for _, w := range args {
		switch {
		case !strings.HasPrefix(w.text, "-"):
			filter = true
		case filter, set(`-f --from-file --rawfile --slurpfile -L --library-path`)[w.text]:
			return false
		}
		if jqReadsMore.MatchString(w.text) {
			return false
		}
	}
	return true
}

// subcommandReads is git and docker: a subcommand, known options, and for some
// no further arguments or only certain ones.
func subcommandReads(name string, args []word) bool {
	if len(args) == 0 {
		return false
	}
	sub, rest := args[0].text, args[1:]
	first := ""
	if len(rest) > 0 {
		first = rest[0].text
	}
	key := name + " " + sub
	switch key {
	case "git remote":
		return join(rest) == "" || join(rest) == "-v" || join(rest) == "--verbose" || first == "show" && has(rest, "-n") && len(rest) > 2
	case "git stash":
		if first != "list" && first != "show" {
			return false
		}
		key, rest = key+" "+first, rest[1:]
	case "git config":
		if first != "--get" {
			return false
		}
		rest = rest[1:]
	case "git worktree":
		if first != "list" {
			return false
		}
		rest = rest[1:]
	case "git reflog":
		if first == "show" || first == "list" {
			_, ok := knowsOptions(key, rest[1:], V332)
			return ok
		}
	}
	if knownOptions[key] == nil {
		return false
	}
	others, ok := knowsOptions(key, rest, V332)
	switch key {
	case "git reflog", "git ls-remote":
		ok = ok && len(others) == 0
	case "git branch", "git tag":
		ok = ok && (len(others) == 0 || has(rest, "-l") || has(rest, "--list") || has(rest, "--merged") || has(rest, "--no-merged"))
	}
	return ok
}

package claude

import (
	"regexp"
	"strings"
)

// onlyReads reports whether a command is in Claude's built-in set of commands
// that need no permission, in a spelling that it knows. timeout with a plain
// duration, command and builtin may stand in front of it.
func (s *session) onlyReads(p *part) bool {
	words := p.words
	for len(words) > 1 {
		switch {
		case words[0].text == "timeout" && len(words) > 2 && duration.MatchString(words[1].text):
			words = words[2:]
			continue
		case (words[0].text == "command" || words[0].text == "builtin") && !strings.HasPrefix(words[1].text, "-"):
			words = words[1:]
			continue
		}
		break
	}
	for _, a := range p.assigns {
		if !a.bare || !safeVariables[a.name] {
			return false
		}
	}
	name, args := words[0].text, words[1:]
	switch name {
	case "[", "[[":
		return !p.wild && !dynamic(args)
	case "sed":
		return sedPrints(args) || sedCall(args, "-E -r") && len(operands("sed", args, s.version)) == 0
	case "find":
		return oddFind(args) == ""
	case "git":
		return gitReads(args)
	case "xargs":
		return xargsReads(args)
	}
	spec, ok := readOnlyCommands[name]
	return ok && spec.accepts(args)
}

func dynamic(args []word) bool {
	for _, w := range args {
		if w.dynamic {
			return true
		}
	}
	return false
}

// spelling says which arguments a command may have.
type spelling struct {
	only  *regexp.Regexp // all arguments, joined with blanks, must match
	never string         // options that it must not have
	max   int            // at most so many arguments that aren't options; 0: any number
}

func (s spelling) accepts(args []word) bool {
	texts := make([]string, len(args))
	for i, w := range args {
		texts[i] = w.text
	}
	if s.only != nil && !s.only.MatchString(strings.Join(texts, " ")) {
		return false
	}
	for _, option := range strings.Fields(s.never) {
		if has(args, option) {
			return false
		}
	}
	return s.max == 0 || len(positional(args, "")) < s.max
}

// exactly accepts one of the argument lists, separated by bars.
func exactly(lists string) spelling {
	return spelling{only: regexp.MustCompile(`^(?:` + lists + `)$`)}
}

// readOnlyCommands is the built-in set (measured on 2.1.332, 2026-11-30: 1,100
// spellings). Commands that aren't here were asked for.
var readOnlyCommands = map[string]spelling{
	"arch": {}, "base64": {}, "basename": {}, "cal": {}, "cat": {}, "cd": {}, "cmp": {}, "column": {}, "comm": {}, "cut": {},
	"df": {}, "diff": {}, "dirname": {}, "du": {}, "echo": {}, "expand": {}, "expr": {}, "false": {}, "fmt": {}, "fold": {},
	"free": {}, "groups": {}, "grep": {}, "egrep": {}, "fgrep": {}, "head": {}, "help": {}, "hexdump": {}, "id": {}, "ls": {},
	"locale": {}, "md5sum": {}, "netstat": {}, "nl": {}, "nproc": {}, "numfmt": {}, "od": {}, "paste": {}, "pr": {}, "readlink": {},
	"realpath": {}, "rev": {}, "seq": {}, "sha1sum": {}, "sha256sum": {}, "sleep": {}, "stat": {}, "strings": {}, "tac": {},
	"tail": {}, "test": {}, "tr": {}, "true": {}, "tsort": {}, "type": {}, "uname": {}, "unexpand": {}, "uptime": {}, "wc": {}, "which": {},
	"man": {never: "-P -H --pager --html"}, "lsof": {never: "+D"}, "pgrep": {},
	"printf": {never: "-v"}, "sort": {never: "-o --output -T --compress-program"}, "file": {never: "-C -f -m"},
	"tree": {never: "-o -R"}, "rg": {never: "--pre --hostname-bin --files"}, "ss": {never: "-K"}, "ps": {only: regexp.MustCompile(`^(?:$|-|aux|axu)`)},
	"date":     {never: "-s --set -f"},
	"jq":       {never: "-f --from-file --rawfile --slurpfile -L --library-path"},
	"fd":       {never: "-x -X --exec --exec-batch"},
	"fdfind":   {never: "-x -X --exec --exec-batch"},
	"uniq":     {max: 1},
	"hostname": {max: 1, never: "-F"},
	"pwd":      exactly(``), "whoami": exactly(``), "ifconfig": exactly(``), "tput": exactly(`cols|lines|colors`),
	"history": exactly(`(?:\d+)?`), "ip": exactly(`addr`), "node": exactly(`-v|--version`), "python": exactly(`--version`), "python3": exactly(`--version`),
	"claude": exactly(`-h|--help`),
	"docker": exactly(`(?:ps|images|logs|inspect)(?: .*)?`),
}

// gitReads is git's part of the set.
func gitReads(args []word) bool {
	if len(args) == 0 {
		return false
	}
	verb, rest := args[0].text, args[1:]
	if verb == "remote" || verb == "stash" || verb == "config" || verb == "worktree" || verb == "reflog" || verb == "branch" || verb == "tag" {
		return gitListing[verb].accepts(rest)
	}
	spec, ok := gitVerbs[verb]
	return ok && spec.accepts(rest)
}

var gitVerbs = map[string]spelling{
	"blame": {}, "cat-file": {}, "describe": {}, "diff": {never: "--output --ext-diff"}, "for-each-ref": {}, "grep": {never: "-O --open-files-in-pager"},
	"log": {never: "--output -L --ext-diff"}, "ls-files": {}, "ls-remote": {max: 1}, "merge-base": {}, "rev-list": {}, "rev-parse": {},
	"shortlog": {}, "show": {never: "--output --ext-diff"}, "status": {},
}

var gitListing = map[string]spelling{
	"branch":   {max: 1, never: "-d -D -m -M -c -C --delete --move --copy --set-upstream-to --edit-description"},
	"tag":      {max: 1, never: "-d -a -s -f -m --delete"},
	"remote":   exactly(`|-v|--verbose`),
	"stash":    exactly(`list(?: .*)?|show(?: .*)?`),
	"config":   exactly(`--get \S+`),
	"worktree": exactly(`list(?: .*)?`),
	"reflog":   exactly(`|show(?: .*)?|-.*`),
}

// xargsReads is xargs with a program that only prints.
func xargsReads(args []word) bool {
	if len(args) == 0 {
		return true
	}
	return set(`echo printf wc grep head tail`)[args[0].text]
}

package grok

import (
	"path"
	"strings"
)

// The tables below are what was seen to run, ask or go to the classifier; Grok's
// own guide (22-permissions-and-safety.md of 1.0.41) lists less: touch, mkdir,
// echo, printf, sleep, cd and set run too.

var readOnlyCommands = set("ls cat pwd date whoami hostname uptime ps head tail wc sort uniq tr cut grep rg " +
	"echo printf sleep cd pushd popd set touch mkdir")

var readOnlyGit = set("status branch log diff ls-files show rev-parse blame describe merge-base shortlog " +
	"check-ignore check-attr cat-file ls-tree show-ref for-each-ref rev-list name-rev count-objects grep")

var readOnlyKubectl = set("get logs describe")

var changesFolder = set("cd pushd popd")

var makesFiles = set("touch mkdir")

// guardedCommands write files, or are constructs to Grok rather than commands:
// they ask even where a mode lets commands run.
var guardedCommands = set("rm rmdir cp mv ln tee dd install truncate eval export readonly declare typeset local unset [")

// dangerousCommands ask in auto.
var dangerousCommands = set("chmod chown chgrp chattr kill killall pkill")

// projectCommands run in auto without its classifier, whatever their arguments.
var projectCommands = set("true false test : uname env printenv nice which type file stat du df tree basename dirname " +
	"realpath readlink diff jq python python3 node go cargo rustc make cmake pytest strings nproc top LS")

// projectSubcommands do so by their first argument; none of those of git with
// something to lose does.
var projectSubcommands = map[string]map[string]bool{
	"git":  set("stash fetch add commit checkout switch pull worktree"),
	"npm":  set("test install run ci start"),
	"yarn": set("install test"),
	"pnpm": set("i test"),
}

var shells = set("bash sh dash zsh ksh")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// rate rates one command and returns its words without the wrappers timeout,
// nice, ionice, chrt, stdbuf and env.
func rate(words []string) ([]string, rating, string) {
	inner, why := peel(words)
	if why != "" {
		return words, guarded, why
	}
	r, why := rateBare(inner)
	return inner, r, why
}

func rateBare(words []string) (rating, string) {
	name, args := words[0], words[1:]
	switch {
	case guardedCommands[path.Base(name)]:
		return guarded, name + " writes files or hides what it does"
	case dangerousCommands[name]:
		return dangerous, name + " is on Grok's list of dangerous commands"
	case shells[name] && hasShortFlag(args, 'c'):
		return guarded, "a script inside the command"
	case name == "git":
		return rateGit(args)
	case name == "kubectl":
		return rateKubectl(args)
	case name == "sed" && hasShortFlag(args, 'i'):
		return guarded, "sed writes in place"
	case readOnlyCommands[name]:
		if why := writes(name, args); why != "" {
			return guarded, why
		}
		return readOnly, ""
	case name == "find":
		for _, a := range args {
			if a == "-delete" || strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok") || strings.HasPrefix(a, "-fprint") {
				return plain, "find " + a + " isn't read-only"
			}
		}
		return project, "find isn't on the read-only list"
	case name == "tree" && hasShortFlag(args, 'o'):
		return plain, "tree -o writes a file"
	case name == "gh" && len(args) > 1 && args[0] == "pr" && args[1] == "list":
		return project, "gh pr list isn't on the read-only list"
	case projectCommands[name], len(args) > 0 && projectSubcommands[name][args[0]]:
		return project, name + " isn't on the read-only list"
	}
	return plain, name + " isn't on the read-only list"
}

// writes says why a command of the read-only list isn't with these arguments.
func writes(name string, args []string) string {
	switch name {
	case "sort":
		for _, a := range args {
			if isLong(a, "--output", 3) || isLong(a, "--compress-program", 4) || hasShortFlag([]string{a}, 'o') {
				return "sort " + a + " writes a file or starts a program"
			}
		}
	case "uniq":
		operands := 0
		for _, a := range args {
			if !strings.HasPrefix(a, "-") {
				operands++
			}
		}
		if operands > 1 {
			return "uniq writes to its second file"
		}
	case "rg":
		for _, a := range args {
			if isLong(a, "--pre", 5) || isLong(a, "--hostname-bin", 14) {
				return "rg " + a + " starts a program"
			}
		}
	}
	return ""
}

// isLong reports whether a is the long option or an abbreviation of at least
// least bytes, with or without a value.
func isLong(a, option string, least int) bool {
	name, _, _ := strings.Cut(a, "=")
	return len(name) >= least && strings.HasPrefix(option, name)
}

// hasShortFlag reports whether a bundle of short flags holds c.
func hasShortFlag(args []string, c byte) bool {
	for _, a := range args {
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a[1:], c) >= 0 {
			return true
		}
	}
	return false
}

func rateGit(args []string) (rating, string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch name, _, _ := strings.Cut(args[0], "="); name {
		case "--no-pager", "-P":
			args = args[1:]
		case "-C":
			args = args[min(2, len(args)):]
		case "-c", "--config-env", "--git-dir", "--work-tree":
			return guarded, "git " + name + " changes what git starts"
		default:
			return plain, "git " + args[0] + " isn't on the read-only list"
		}
	}
	if len(args) == 0 {
		return plain, "git alone isn't on the read-only list"
	}
	sub, args := args[0], args[1:]
	switch {
	case sub == "push":
		return dangerous, "git push is on Grok's list of dangerous commands"
	case readOnlyGit[sub]:
		for _, a := range args {
			if isLong(a, "--output", 8) || a == "--ext-diff" || a == "--textconv" || a == "--filters" ||
				sub == "grep" && (a == "-O" || isLong(a, "--open-files-in-pager", 6)) {
				return guarded, "git " + sub + " " + a + " writes a file or starts a program"
			}
		}
		return readOnly, ""
	case loses(sub, args):
		return plain, "git " + sub + " " + args[0] + " may lose changes"
	case projectSubcommands["git"][sub]:
		return project, "git " + sub + " isn't on the read-only list"
	}
	return plain, "git " + sub + " isn't on the read-only list"
}

// loses names what auto leaves to its classifier although the rest of the
// subcommand runs.
func loses(sub string, args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch sub {
	case "stash":
		return args[0] == "drop"
	case "checkout":
		return args[0] == "--"
	case "worktree":
		return args[0] != "list"
	}
	return false
}

func rateKubectl(args []string) (rating, string) {
	if len(args) == 0 || !readOnlyKubectl[args[0]] {
		return plain, "kubectl isn't on the read-only list with these arguments"
	}
	for _, a := range args {
		if isLong(a, "--kubeconfig", 12) {
			return guarded, "kubectl --kubeconfig may start a program"
		}
	}
	return readOnly, ""
}

// peel takes the wrappers off a command. why is set when Grok can't look inside.
func peel(words []string) (inner []string, why string) {
	for {
		takes, ok := wrappers[words[0]]
		if !ok {
			return words, ""
		}
		rest, why := takes(words[1:])
		if why != "" {
			return words, why
		}
		if len(rest) == 0 {
			return words, ""
		}
		words = rest
	}
}

// wrappers say what follows a wrapper's own arguments.
var wrappers = map[string]func([]string) ([]string, string){
	"timeout": func(a []string) ([]string, string) {
		a = options(a, "-s", "-k", "--signal", "--kill-after")
		if len(a) > 0 && len(a[0]) > 0 && a[0][0] >= '0' && a[0][0] <= '9' {
			a = a[1:]
		}
		return a, ""
	},
	"nice":   func(a []string) ([]string, string) { return options(a, "-n", "--adjustment"), "" },
	"ionice": func(a []string) ([]string, string) { return options(a, "-c", "-n", "--class", "--classdata"), "" },
	"stdbuf": func(a []string) ([]string, string) {
		return options(a, "-i", "-o", "-e"), ""
	},
	"chrt": func(a []string) ([]string, string) {
		a = options(a)
		return a[min(1, len(a)):], ""
	},
	"env": func(a []string) ([]string, string) {
		if len(a) > 0 && a[0] == "--" {
			return a[1:], ""
		}
		if len(a) > 0 && (strings.HasPrefix(a[0], "-") || strings.Contains(a[0], "=")) {
			return nil, "env with arguments of its own"
		}
		return a, ""
	},
}

// options skips leading options; those named take the next word as their value.
func options(a []string, valued ...string) []string {
	for len(a) > 0 && len(a[0]) > 1 && a[0][0] == '-' {
		skip := 1
		for _, v := range valued {
			if a[0] == v {
				skip = 2
			}
		}
		a = a[min(skip, len(a)):]
	}
	return a
}

package claude

import (
	"slices"
	"strings"
)

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
	"rg":    {skip: 1, unless: "-e -f", valued: "-e -m -A -B -C -g -t -T --type --glob"},
}

// newReaders were no readers in 2.1.197.
var newReaders = set(`egrep fgrep cmp comm tac rev fold fmt pr expand unexpand gawk tsort`)

// operands lists the paths that a command names, as far as Claude looks.
func operands(name string, args []word, version string) []use {
	switch name {
	case "touch", "mkdir", "rm", "rmdir", "tee":
		if name == "tee" && version == V197 {
			return nil
		}
		out := written(positional(args, "-m -t -r -d"), false)
		for i := range out {
			out[i].removes = name == "rm"
		}
		return out
	case "cp", "mv":
		return copied(name, positional(args, ""), version)
	case "sed":
		return edited(args, version)
	case "find":
		return searched(args)
	case "git":
		if len(args) > 0 && args[0].text == "diff" && (version != V197 || has(args, "--no-index")) {
			return read(behindDashes(positional(args[1:], ""), args))
		}
		return nil
	}
	r, ok := readers[name]
	if !ok || version == V197 && newReaders[name] {
		return nil
	}
	list := positional(args, r.valued)
	skip := r.skip
	if version == V197 {
		args, list = r.older(name, args)
	}
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

// older gives the options that 2.1.197 knows, and its arguments: it took no letters
// together, no program of awk from a file, and jq's files for values
// (measured 2026-12-01).
func (r reader) older(name string, args []word) (options, list []word) {
	switch name {
	case "awk":
		return nil, positional(args, r.valued+" -f")
	case "jq":
		r.valued += " -f --from-file --slurpfile --rawfile"
	}
	return slices.DeleteFunc(slices.Clone(args), func(w word) bool {
		return len(w.text) > 2 && w.text[0] == '-' && w.text[1] != '-'
	}), positional(args, r.valued)
}

// edited is sed: its files are written unless -n is given. Rules of 2.1.197 see
// only those that are edited in place, and those that -n reads.
func edited(args []word, version string) []use {
	list := positional(args, "-e -f")
	if !has(args, "-e") && !has(args, "-f") {
		list = list[min(1, len(list)):]
	}
	quiet := has(args, "-n") && !has(args, "-i")
	if quiet {
		return read(list)
	}
	out := written(list, version != V197)
	for i := range out {
		out[i].edits = version != V197 || has(args, "-i") || has(args, "--in-place")
	}
	return out
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

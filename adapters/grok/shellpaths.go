package grok

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
	"github.com/modegate/modegate/internal/paths"
)

// Read and Edit rules that ask or deny also hold for the files that a command
// line names (measured on 1.0.41, 2026-12-01: testdata/grok/paths.json).

// filesRead are commands whose operands are files that they read.
var filesRead = set("cat head tail wc sort uniq cut grep rg sed awk nl od xxd strings diff less more tac rev " +
	"base64 bat comm egrep fgrep hexdump jq yq")

// filesWritten are commands whose operands are files that they make, change or
// remove.
var filesWritten = set("touch mkdir rm rmdir tee truncate")

// filesCopied are commands that read what their operands name, and make the last.
var filesCopied = set("cp mv ln install")

// operands are the files that a command line names.
type operands struct {
	read, written []string
	moves         bool            // it changes the folder, so that relative names mean something else
	moving        map[string]bool // names that aren't known before the line runs
	loose         bool            // some file that it names isn't known: Grok asks where any rule is for files
}

func readOperands(text string) operands {
	o := operands{moving: map[string]bool{}}
	queue := []string{text}
	for n := 0; n < len(queue) && n < 20; n++ {
		script, err := bash.Parse(queue[n])
		if err != nil {
			continue
		}
		blind := hidden(script)
		syntax.Walk(script.File, func(node syntax.Node) bool {
			if r, ok := node.(*syntax.Redirect); ok && r.Word != nil { // also behind time
				o.redirect(r)
			}
			return true
		})
		for _, c := range script.Commands() {
			words, static := script.Words(c)
			if len(words) == 0 || blind(c.Node) {
				continue
			}
			for i, w := range words {
				if !static[i] {
					o.moving[w] = true
				}
			}
			inner := peelAll(words)
			o.command(inner)
			if shells[inner[0]] {
				queue = append(queue, scripts(inner, static[len(words)-len(inner):])...)
			}
		}
	}
	return o
}

// scripts are the texts that a shell runs with -c.
func scripts(words []string, static []bool) []string {
	var out []string
	for i := 1; i < len(words)-1; i++ {
		if hasShortFlag(words[i:i+1], 'c') && static[i+1] {
			out = append(out, words[i+1])
		}
	}
	return out
}

func (o *operands) redirect(r *syntax.Redirect) {
	target, ok := bash.Literal(r.Word)
	if !ok || r.Op != syntax.WordHdoc && strings.ContainsAny(target, "*?[") {
		o.loose = o.loose || r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc
		return
	}
	switch r.Op {
	case syntax.RdrIn:
		o.read = append(o.read, target)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		if !discards(target) {
			o.written = append(o.written, target)
		}
	}
}

func (o *operands) command(words []string) {
	words = launched(words)
	name := path.Base(words[0])
	o.moves = o.moves || changesFolder[name]
	var files []string
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			files = append(files, w)
		}
	}
	named := files
	switch {
	case name == "dd":
		for _, f := range files {
			if in, ok := strings.CutPrefix(f, "if="); ok {
				o.read = append(o.read, in)
			}
			if out, ok := strings.CutPrefix(f, "of="); ok {
				o.written = append(o.written, out)
			}
		}
	case name == "sed" && (hasShortFlag(words[1:], 'i') || slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "--in-place") })):
		o.written, o.read = append(o.written, files...), append(o.read, files...)
	case name == "sort":
		o.written, o.read = append(o.written, sortedInto(words)...), append(o.read, files...)
	case filesCopied[name] && len(files) > 0:
		last := len(files) - 1
		o.read, o.written = append(o.read, files[:last]...), append(o.written, files[last])
	case filesWritten[name]:
		o.written = append(o.written, files...)
	case filesRead[name]:
		o.read = append(o.read, files...)
	default:
		named = nil
	}
	searches := (name == "grep" || name == "egrep" || name == "fgrep") && (hasShortFlag(words[1:], 'r') || hasShortFlag(words[1:], 'R'))
	o.loose = o.loose || searches || name == "rg" && len(files) < 2
	for _, f := range named {
		o.loose = o.loose || o.moving[f] || strings.ContainsAny(f, "*?[")
	}
}

// launched takes off what runs a program in the same shell.
func launched(words []string) []string {
	for words[0] == "command" || words[0] == "exec" || words[0] == "builtin" {
		rest := words[1:]
		for words[0] == "command" && len(rest) > 0 && rest[0] == "-p" {
			rest = rest[1:]
		}
		for words[0] == "exec" && len(rest) > 2 && rest[0] == "-a" {
			rest = rest[2:]
		}
		if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
			return words
		}
		words = rest
	}
	return words
}

// sortedInto is the file that sort writes.
func sortedInto(words []string) []string {
	for i, w := range words[1:] {
		switch {
		case w == "-o" && i+2 < len(words):
			return words[i+2 : i+3]
		case strings.HasPrefix(w, "-o") && w != "-o":
			return []string{w[2:]}
		}
	}
	return nil
}

// onFiles returns the first rule of an effect on files that speaks of a file the
// line names, in whatever case and as if no folder were changed. unsure is a rule
// that Grok asks for because the line names files that aren't known.
func (m *meaning) onFiles(e evaluator.Effect, o operands) (hit rule, ok bool, unsure *rule) {
	for _, r := range m.rules {
		if r.inert != "" || r.Effect != e || r.pattern == "" {
			continue
		}
		files := o.read
		switch r.tool {
		case "Edit":
			files = o.written
		case "Read":
		default:
			continue
		}
		if o.loose || o.moves && len(o.read)+len(o.written) > 0 {
			unsure = &r
		}
		for _, f := range files {
			full, rel := m.place(f)
			if !o.moving[f] && matchPath(strings.ToLower(r.pattern), strings.ToLower(full), strings.ToLower(rel)) {
				return r, true, nil
			}
		}
	}
	return rule{}, false, unsure
}

// place resolves a file's name, and says what it is within the workspace.
func (m *meaning) place(file string) (full, rel string) {
	ws := m.workspace()
	full = paths.Resolve(ws, file, m.env.Resolved)
	if paths.Within(ws, full) {
		rel = paths.Rel(ws, full)
	}
	return full, rel
}

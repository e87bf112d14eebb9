package grok

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
	"github.com/modegate/modegate/internal/paths"
)

// Read and Edit rules that ask or deny also hold for the files that a command
// line names. Measured: cat and head, redirects, and bash -c; other commands are
// taken from the guide, which names sed beside cat.

// filesRead are commands whose operands are files that they read.
var filesRead = set("cat head tail wc sort uniq cut grep rg sed awk nl od xxd strings diff less more tac rev")

// filesWritten are commands whose operands are files that they make, change or
// remove.
var filesWritten = set("touch mkdir rm rmdir cp mv ln tee truncate install")

// operands are the files that a command line names.
type operands struct {
	read, written []string
	moves         bool // it changes the folder, so that relative names mean something else
}

func readOperands(text string) operands {
	var o operands
	queue := []string{text}
	for n := 0; n < len(queue) && n < 20; n++ {
		script, err := bash.Parse(queue[n])
		if err != nil {
			continue
		}
		syntax.Walk(script.File, func(node syntax.Node) bool {
			if r, ok := node.(*syntax.Redirect); ok && r.Word != nil {
				o.redirect(r)
			}
			return true
		})
		for _, c := range script.Commands() {
			words, static := script.Words(c)
			if len(words) == 0 {
				continue
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
	if !ok {
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
	name := words[0]
	o.moves = o.moves || changesFolder[name]
	for _, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "-"):
		case filesWritten[name]:
			o.written = append(o.written, w)
		case filesRead[name]:
			o.read = append(o.read, w)
		}
	}
}

// onFiles returns the first rule of an effect on files that speaks of a file the
// line names. unsure is a rule that can't be compared, because the line changes
// the folder first.
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
		for _, f := range files {
			if o.moves && !paths.Rooted(f) {
				unsure = &r
				continue
			}
			full, rel := m.place(f)
			if matchPath(r.pattern, full, rel) {
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

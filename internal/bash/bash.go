// Package bash owns the reading of shell text: what several dialects and the
// policy language need of a script, on top of mvdan.cc/sh. What only one
// provider does with a script stays in that provider's folder.
package bash

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a text that is parsed at all. The parser recurses, so that a deep
// text could exhaust the stack.
const (
	MaxBytes   = 256 << 10
	MaxNesting = 500
)

// Script is one parsed text.
type Script struct {
	Text string
	File *syntax.File
}

// Command is one command of a script, wherever it stands: in a list, a pipe, a
// compound command, a function body or a substitution.
type Command struct {
	Node syntax.Command // *syntax.CallExpr, *syntax.DeclClause, *syntax.TestClause, *syntax.ArithmCmd or *syntax.LetClause
	Stmt *syntax.Stmt   // the statement around it, which carries its redirects
}

// Parse reads a text as Bash does. The error names the place in the text.
func Parse(text string) (*Script, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("a script of %d bytes is longer than %d", len(text), MaxBytes)
	}
	if strings.Count(text, "(")+strings.Count(text, "{")+strings.Count(text, "`") > MaxNesting {
		return nil, errors.New("the script may be nested too deeply")
	}
	if strings.Contains(text, "\\\r\n") {
		// To Bash the line ends here, and to the parser it doesn't.
		return nil, errors.New("a backslash stands before a carriage return and a line's end")
	}
	read, err := endComments(text)
	if err != nil {
		return nil, err
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(false)).Parse(strings.NewReader(read), "")
	if err != nil {
		return nil, err
	}
	return &Script{Text: text, File: f}, nil
}

// Commands lists every command in the order of the text, outer ones before those
// in their substitutions. A statement that only assigns or redirects has none.
func (s *Script) Commands() []Command {
	var out []Command
	syntax.Walk(s.File, func(n syntax.Node) bool {
		stmt, ok := n.(*syntax.Stmt)
		if !ok || stmt.Cmd == nil {
			return true
		}
		switch c := stmt.Cmd.(type) {
		case *syntax.CallExpr:
			if len(c.Args) > 0 {
				out = append(out, Command{Node: c, Stmt: stmt})
			}
		case *syntax.DeclClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
			out = append(out, Command{Node: c, Stmt: stmt})
		}
		return true
	})
	return out
}

// Source returns the text of a node as it was written.
func (s *Script) Source(n syntax.Node) string {
	return s.Slice(int(n.Pos().Offset()), int(n.End().Offset()))
}

// Slice returns the text between two byte offsets, cut to what there is.
func (s *Script) Slice(from, to int) string {
	to = min(to, len(s.Text))
	return s.Text[min(from, to):to]
}

// Words returns the words of a simple command without quotes, and whether each
// is static: the same text whenever it runs. A word that isn't static, and every
// command that isn't simple, is given as it was written.
func (s *Script) Words(c Command) (words []string, static []bool) {
	call, ok := c.Node.(*syntax.CallExpr)
	if !ok {
		for _, w := range strings.Fields(s.Source(c.Node)) {
			words, static = append(words, w), append(static, false)
		}
		return words, static
	}
	for _, w := range call.Args {
		text, ok := Literal(w)
		if !ok {
			text = s.Source(w)
		}
		words, static = append(words, text), append(static, ok)
	}
	return words, static
}

// Literal returns what a word stands for when nothing in it is expanded; ok is
// false for variables, substitutions, arithmetic and the rest. Globs, braces and
// tildes are left as they are written.
func Literal(w *syntax.Word) (text string, ok bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		if !literal(&b, p, false) {
			return "", false
		}
	}
	return b.String(), true
}

func literal(b *strings.Builder, p syntax.WordPart, quoted bool) bool {
	switch p := p.(type) {
	case *syntax.Lit:
		b.WriteString(unescape(p.Value, quoted))
	case *syntax.SglQuoted:
		if p.Dollar { // $'…' has escapes of its own
			if strings.ContainsRune(p.Value, '\\') {
				return false
			}
		}
		b.WriteString(p.Value)
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			if !literal(b, q, true) {
				return false
			}
		}
	default:
		return false
	}
	return true
}

// unescape takes the backslashes out of unquoted or double-quoted text.
func unescape(s string, quoted bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case s[i] == '\n': // a line continuation
		case quoted && !strings.ContainsRune("$`\"\\", rune(s[i])):
			b.WriteByte('\\')
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

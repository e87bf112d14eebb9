package codex

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// unit is one argv that rules and heuristics are asked about.
type unit []string

// split is how Codex reads a script that its shell tool is given.
type split struct {
	Plain bool   // every segment is a unit of its own
	Units []unit // of a script that isn't plain: the whole argv, as one
	Why   string // why it isn't plain
}

// splitScript takes a script apart as the live agent does before it asks the
// rules. Plain is: words joined by &&, ||, ;, | and newlines. Anything else makes
// the whole argv (shell, flag, script) one unit, which rules for the commands
// inside don't match: redirections, expansions, substitutions, globs, escapes,
// &, !, groups, control flow, assignments, declarations, comments, a quoted
// program word. Nested shells and wrappers (env, time, xargs) are plain and match
// as themselves. Measured with 43 scripts on 0.171.0, 2026-11-30; the characters
// that a plain word can't have are from the source.
func splitScript(argv unit) split {
	script := argv[len(argv)-1]
	whole := func(why string) split { return split{Units: []unit{argv}, Why: why} }
	s, err := parseScript(script)
	if err != nil {
		return whole("a script that can't be parsed")
	}
	if bash.HasComment(script) {
		return whole("a comment")
	}
	p := plainReader{script: s}
	for _, stmt := range s.File.Stmts {
		p.statement(stmt)
	}
	switch {
	case p.why != "":
		return whole(p.why)
	case len(p.units) == 0:
		return whole("no command")
	}
	return split{Plain: true, Units: p.units}
}

// errCodexRefuses is what Codex's parser is known not to read.
var errCodexRefuses = errors.New("codex's parser doesn't read")

// parseScript parses as Codex's parser does. That one refuses a backslash before
// the last newline, and a lone $ right before a semicolon.
func parseScript(text string) (*bash.Script, error) {
	if strings.HasSuffix(strings.TrimRight(text, " \t\n"), "\\") {
		return nil, fmt.Errorf("%w the script's last backslash", errCodexRefuses)
	}
	s, err := bash.Parse(text)
	if err != nil || !strings.Contains(text, "$;") {
		return s, err
	}
	syntax.Walk(s.File, func(n syntax.Node) bool {
		if lit, ok := n.(*syntax.Lit); ok && strings.HasSuffix(s.Source(lit), "$") && strings.HasPrefix(s.Slice(int(lit.End().Offset()), len(text)), ";") {
			err = fmt.Errorf("%w a lone $ before a semicolon", errCodexRefuses)
		}
		return err == nil
	})
	return s, err
}

// plainReader collects the words of plain commands until something isn't plain.
type plainReader struct {
	script *bash.Script
	units  []unit
	why    string
}

func (p *plainReader) refuse(why string) {
	if p.why == "" {
		p.why = why
	}
}

func (p *plainReader) statement(s *syntax.Stmt) {
	switch {
	case len(s.Redirs) > 0:
		p.refuse("a redirection")
	case s.Background || s.Coprocess || s.Disown:
		p.refuse("a background command")
	case s.Negated:
		p.refuse("a negation")
	default:
		p.command(s.Cmd)
	}
}

func (p *plainReader) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		p.call(c)
	case *syntax.BinaryCmd:
		if c.Op == syntax.PipeAll {
			p.refuse("|&")
			return
		}
		p.statement(c.X)
		p.statement(c.Y)
	case *syntax.TimeClause:
		words := []string{"time"}
		if c.PosixFormat {
			words = append(words, "-p")
		}
		p.prefixed(c.Stmt, words...)
	case *syntax.LetClause:
		p.words(append([]string{"let"}, strings.Fields(strings.TrimPrefix(p.script.Source(c), "let"))...))
	case *syntax.CoprocClause:
		p.prefixed(c.Stmt, "coproc")
	case *syntax.DeclClause:
		p.refuse("a declaration")
	case nil:
		p.refuse("a statement without a command")
	default:
		p.refuse("a compound command")
	}
}

// prefixed reads time and coproc as the plain programs that they are for Codex.
func (p *plainReader) prefixed(s *syntax.Stmt, words ...string) {
	at := len(p.units)
	if s != nil {
		p.statement(s)
	}
	if len(p.units) == at {
		p.units = append(p.units, words)
		return
	}
	p.units[at] = append(unit(words), p.units[at]...)
}

func (p *plainReader) call(c *syntax.CallExpr) {
	if len(c.Assigns) > 0 {
		p.refuse("an assignment")
		return
	}
	var words unit
	for _, w := range c.Args {
		if unblank(p.script.Source(w)) == "" {
			continue
		}
		text, ok := plainWord(p.script, w)
		if len(words) == 0 {
			if _, lit := onlyPart(w).(*syntax.Lit); !lit {
				ok = false
			}
			if text == "[" || text == "unset" || text == "unsetenv" || isNumber(text) {
				p.refuse("the program word " + text)
				return
			}
		}
		if !ok || slices.ContainsFunc(w.Parts, func(q syntax.WordPart) bool { return p.dollar(q) }) {
			p.refuse("the word " + p.script.Source(w))
			return
		}
		words = append(words, text)
	}
	p.words(words)
}

// dollar reports whether double quotes hold a $, which isn't plain even where it
// expands to nothing.
func (p *plainReader) dollar(q syntax.WordPart) bool {
	_, quoted := q.(*syntax.DblQuoted)
	return quoted && strings.Contains(p.script.Source(q), "$")
}

func (p *plainReader) words(w unit) { p.units = append(p.units, w) }

// unblank takes escaped blanks away from the beginning of a word: Codex's parser
// takes them for blanks. A word of nothing else is none.
func unblank(source string) string {
	for len(source) > 1 && source[0] == '\\' && strings.IndexByte(" \t\v\f", source[1]) >= 0 {
		source = source[2:]
	}
	return source
}

func onlyPart(w *syntax.Word) syntax.WordPart {
	if len(w.Parts) != 1 {
		return nil
	}
	return w.Parts[0]
}

func isNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// plainWord returns a word whose spelling is its value: no expansion, no escape.
// Inside double quotes a backslash is kept as long as it isn't an escape. A word
// of empty quotes joined to others must not be empty as a whole.
func plainWord(s *bash.Script, w *syntax.Word) (string, bool) {
	var b strings.Builder
	for i, p := range w.Parts {
		source := s.Source(p)
		if i == 0 {
			source = unblank(source)
		}
		if i == len(w.Parts)-1 { // a line continuation behind the word isn't part of it
			source = strings.TrimSuffix(source, "\\\n")
		}
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.HasPrefix(source, "=") && b.Len() == 0 || strings.ContainsAny(source, "{}*?[]\\~^#$`") {
				return "", false
			}
			b.WriteString(source)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar {
				return "", false
			}
			for _, q := range p.Parts {
				if _, ok := q.(*syntax.Lit); !ok {
					return "", false
				}
			}
			inside := strings.TrimSuffix(strings.TrimPrefix(source, `"`), `"`)
			if escaped(inside) {
				return "", false
			}
			b.WriteString(inside)
		default:
			return "", false
		}
	}
	return b.String(), len(w.Parts) == 1 || b.Len() > 0
}

// escaped reports whether double-quoted text has an escape that the shell removes.
func escaped(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\\' && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			return true
		}
	}
	return false
}

package grok

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// rating is what Grok's own engine makes of a command line, before rules and
// mode. A line is rated as the worst of its commands.
type rating uint8

// The ratings, from the one that always runs to the one that no mode short of
// always-approve runs.
const (
	readOnly  rating = iota // on the built-in list: runs in every mode
	project                 // auto runs it without its classifier, default asks
	plain                   // auto hands it to its classifier, default asks
	dangerous               // asks in auto too, and runs under Claude's bypassPermissions
	guarded                 // asks under Claude's bypassPermissions too
)

// line is a command line as Grok splits it.
type line struct {
	rating   rating
	why      string    // why it isn't read-only
	segments []segment // the commands, in order; nil when it can't be split
	split    bool      // every part of the line is one of the segments
}

// segment is one command of a line.
type segment struct {
	words  []string // without wrappers
	text   string   // words joined by single spaces
	rating rating
	why    string
}

// readLine splits a command line on &&, ||, ;, | and line ends, and rates it.
// What can't be split into plain commands is guarded: substitutions, variables,
// assignments, subshells, control flow, background, negation, and redirects that
// write a file.
func readLine(text string) line {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	script, err := bash.Parse(text)
	if err != nil {
		return line{rating: guarded, why: "Grok can't split it: " + err.Error()}
	}
	l := line{split: true}
	for _, s := range script.File.Stmts {
		l.statement(script, s)
	}
	l.moves()
	return l
}

// worse raises the line's rating.
func (l *line) worse(r rating, why string) {
	if r > l.rating {
		l.rating, l.why = r, why
	}
}

// unsplit notes a part that isn't a plain command.
func (l *line) unsplit(r rating, why string) {
	l.split = false
	l.worse(r, why)
}

func (l *line) statement(script *bash.Script, s *syntax.Stmt) {
	switch {
	case s.Background:
		l.unsplit(guarded, "a command in the background")
	case s.Negated:
		l.unsplit(guarded, "a negated command")
	case s.Coprocess || s.Disown:
		l.unsplit(plain, "a coprocess")
	}
	for _, r := range s.Redirs {
		if why := redirect(r); why != "" {
			l.unsplit(guarded, why)
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		l.call(script, c)
	case *syntax.BinaryCmd:
		if c.Op == syntax.PipeAll {
			l.unsplit(guarded, "a pipe of errors")
		}
		l.statement(script, c.X)
		l.statement(script, c.Y)
	case *syntax.TimeClause, *syntax.CoprocClause, *syntax.LetClause:
		words := strings.Fields(script.Source(c))
		l.add(segment{words: words, text: strings.Join(words, " "), rating: plain, why: words[0] + " isn't on the read-only list"})
	default:
		l.unsplit(guarded, "a construct that Grok can't split")
	}
}

// redirect says why a redirect makes its command guarded, or "".
func redirect(r *syntax.Redirect) string {
	if r.N != nil && r.N.Value == "" {
		return "a redirect to a variable"
	}
	target, static := "", r.Word != nil
	if static {
		target, static = bash.Literal(r.Word)
	}
	switch r.Op {
	case syntax.RdrIn:
		if static {
			return ""
		}
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc == nil {
			return ""
		}
		if _, ok := bash.Literal(r.Hdoc); ok {
			return ""
		}
		return "a document with an expansion"
	case syntax.DplOut:
		if target == "1" || target == "2" || discards(target) {
			return ""
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		if discards(target) {
			return ""
		}
		return "a redirect that writes a file"
	}
	return "a redirect that Grok can't judge"
}

func discards(target string) bool {
	return target == "/dev/null" || target == "/dev/stdout" || target == "/dev/stderr"
}

func (l *line) call(script *bash.Script, c *syntax.CallExpr) {
	if len(c.Assigns) > 0 {
		l.unsplit(guarded, "an assignment")
	}
	if len(c.Args) == 0 {
		return
	}
	words := make([]string, 0, len(c.Args))
	for _, w := range c.Args {
		text, ok := bash.Literal(w)
		if !ok || dollars(w) {
			l.unsplit(guarded, "an expansion in "+script.Source(w))
			text = script.Source(w)
		}
		words = append(words, text)
	}
	s := segment{words: words}
	if name := script.Source(c.Args[0]); strings.ContainsAny(name, "'\"") {
		l.unsplit(guarded, "a quoted command name")
	} else {
		words[0] = name
		s.words, s.rating, s.why = rate(words)
	}
	s.text = strings.Join(s.words, " ")
	l.add(s)
}

func (l *line) add(s segment) {
	l.segments = append(l.segments, s)
	l.worse(s.rating, s.why)
}

// dollars reports what Grok takes for expansions beside those of the shell: $'…',
// $"…" and a lone dollar sign.
func dollars(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if lone(p.Value) {
				return true
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return true
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				return true
			}
		}
	}
	return false
}

func lone(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '$':
			return true
		}
	}
	return false
}

// moves guards a line that changes the folder and makes files: where they would
// be made can't be told from the text.
func (l *line) moves() {
	changes, makes := false, false
	for _, s := range l.segments {
		changes = changes || changesFolder[s.words[0]]
		makes = makes || makesFiles[s.words[0]]
	}
	if changes && makes {
		l.worse(guarded, "it changes the folder and makes files")
	}
}

// assume names the commands of a line of which nobody has seen whether Grok runs
// them unasked.
func (l line) assume() string {
	for _, s := range l.segments {
		if s.rating == plain && !measuredPlain[s.words[0]] {
			return "whether Grok has " + s.words[0] + " on its read-only list wasn't measured: it is taken for any other command"
		}
	}
	return ""
}

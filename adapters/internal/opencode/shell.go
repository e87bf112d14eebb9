package opencode

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// Shell is what OpenCode's shell tool finds in a text: the commands that it asks
// about, as it writes them, and the words that its external-directory check
// looks at. OpenCode reads Bash with another grammar than ours; where the two
// are known to part, Doubt says so and nothing else is filled in.
//
// Measured on 1.18.33, 2026-11-30: 1,883 texts, in testdata/opencode.
type Shell struct {
	Texts []string   // without repeats, in order
	Words [][]string // for each command, its words as written, up to the first redirect after its name
	Doubt string     // why the texts can't be predicted
}

// ReadShell reads a text.
func ReadShell(text string) Shell {
	s, err := bash.Parse(joinLines(text))
	if err == nil {
		s.Text = text
	}
	if err != nil {
		return Shell{Doubt: fmt.Sprintf("the text isn't Bash as we read it (%v)", err)}
	}
	r := &shellReader{script: s, outer: map[*syntax.Stmt]bool{}, read: map[*syntax.Stmt]bool{}}
	r.Doubt = doubtfulText(text)
	syntax.Walk(s.File, r.visit)
	if r.Doubt != "" {
		return Shell{Doubt: r.Doubt}
	}
	return r.Shell
}

// continued finds newlines with a continued line right behind them: OpenCode's
// grammar takes them for blanks, so that the command on the next line is more of
// the one before. Behind cd nothing is then asked about it (measured on 1.18.33,
// 2026-12-01).
var continued = regexp.MustCompile(`\n+\\\n`)

// joinLines writes those newlines as blanks, so that places in the text stay.
func joinLines(text string) string {
	return continued.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Repeat(" ", len(s)-len("\\\n")) + "\\\n"
	})
}

type shellReader struct {
	Shell
	script *bash.Script
	outer  map[*syntax.Stmt]bool // statements whose last redirects belong to what is around them
	read   map[*syntax.Stmt]bool // statements that are part of a command that was read already
}

// visit sees every node, outer ones first.
func (r *shellReader) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		r.giveRedirects(n)
	case *syntax.Stmt:
		r.statement(n)
	default:
		r.doubtNode(n)
	}
	return r.Doubt == ""
}

// giveRedirects notes that a redirect at the end of the right-hand side is one
// of the whole list or pipe, and so is one at the start of a right-hand pipe.
func (r *shellReader) giveRedirects(n *syntax.BinaryCmd) { r.giveLeft(n.Y) }

// giveLeft gives away the redirects of a statement and of the first one in it.
func (r *shellReader) giveLeft(s *syntax.Stmt) {
	for {
		r.outer[s] = true
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok {
			return
		}
		s = b.X
	}
}

// statement reads the commands that stand directly in a statement.
func (r *shellReader) statement(s *syntax.Stmt) {
	if r.read[s] {
		return
	}
	r.heredocs(s)
	if s.Negated {
		r.giveLeft(s)
		r.afterNot(s.Cmd)
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(s, c)
	case *syntax.ArithmCmd:
		r.text(s, c.Pos(), c.End(), nil)
	case *syntax.LetClause:
		r.text(s, c.Pos(), c.End(), nil)
	case *syntax.TimeClause:
		r.prefixed(s, c.Pos(), c.Stmt)
	case *syntax.CoprocClause:
		if c.Name != nil {
			r.doubt("a named coprocess")
			return
		}
		r.prefixed(s, c.Pos(), c.Stmt)
	}
}

// prefixed reads "time" and "coproc" as that grammar does: as the first word of
// a simple command.
func (r *shellReader) prefixed(s *syntax.Stmt, from syntax.Pos, inner *syntax.Stmt) {
	if inner == nil {
		if t, ok := s.Cmd.(*syntax.TimeClause); !ok || t.PosixFormat {
			r.doubt("a keyword without a command")
			return
		}
		r.text(s, from, s.Cmd.End(), nil)
		return
	}
	call, ok := inner.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || inner.Negated {
		r.doubt("a keyword before something that isn't a simple command")
		return
	}
	for _, d := range inner.Redirs {
		if d.Hdoc != nil {
			r.doubt("a here-document behind a keyword")
		}
	}
	whole := *inner
	r.outer[&whole] = r.outer[s]
	r.text(&whole, from, call.End(), call)
	r.read[inner] = true
}

func (r *shellReader) call(s *syntax.Stmt, c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		if len(c.Assigns) > 0 && len(s.Redirs) > 0 {
			r.doubt("an assignment with a redirect")
		}
		return
	}
	name := r.script.Source(c.Args[0])
	if d := doubtfulName(name); d != "" {
		r.doubt(d)
		return
	}
	if slices.Contains(unasked, name) {
		if name == "[" && c.Args[len(c.Args)-1].Lit() != "]" {
			r.doubt("a test without its bracket")
		}
		if len(s.Redirs) > 0 && s.Redirs[0].Pos().Offset() < c.Pos().Offset() {
			r.doubt("a redirect before a test")
		}
	} else if !slices.Contains(directoryCommands, name) {
		r.text(s, c.Pos(), c.End(), c)
	}
	r.Words = append(r.Words, r.words(s, c))
}

// words are a command's words as written. What follows a redirect after the name
// is part of the redirect in that grammar.
func (r *shellReader) words(s *syntax.Stmt, c *syntax.CallExpr) []string {
	var out []string
	for _, w := range c.Args {
		for _, d := range s.Redirs {
			if len(out) > 0 && d.Pos().Offset() < w.Pos().Offset() && d.Pos().Offset() > c.Args[0].Pos().Offset() {
				return out
			}
		}
		out = append(out, r.script.Source(w))
	}
	return out
}

// text adds the command between two places, with its redirects. Where they
// belong to what is around it, the command ends before the first of them; a
// here-string is always the command's own.
func (r *shellReader) text(s *syntax.Stmt, from, to syntax.Pos, call *syntax.CallExpr) {
	stop := uint(1) << 62
	for _, d := range s.Redirs {
		at := d.Pos().Offset()
		switch {
		case at < from.Offset():
			from = d.Pos()
		case r.outer[s] && d.Op != syntax.WordHdoc:
			stop = min(stop, at)
		case at < stop:
			to = later(to, d.End())
		}
	}
	end := to.Offset()
	if stop < end && call != nil {
		end = call.Args[0].End().Offset()
		for _, w := range call.Args {
			end = reach(end, w, stop)
		}
		for _, d := range s.Redirs {
			end = reach(end, d, stop)
		}
	}
	if text := r.script.Slice(int(from.Offset()), int(end)); !slices.Contains(r.Texts, text) {
		r.Texts = append(r.Texts, text)
	}
}

// reach moves an end behind a node that stands before stop.
func reach(end uint, n syntax.Node, stop uint) uint {
	if n.Pos().Offset() < stop {
		return max(end, n.End().Offset())
	}
	return end
}

func (r *shellReader) doubt(why string) {
	if r.Doubt == "" {
		r.Doubt = why
	}
}

func later(a, b syntax.Pos) syntax.Pos {
	if b.Offset() > a.Offset() {
		return b
	}
	return a
}

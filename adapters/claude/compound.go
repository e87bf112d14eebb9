package claude

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// group is everything that allow rules don't look into.
func (sh *shell) group(s *syntax.Stmt, seen bool) {
	switch c := s.Cmd.(type) {
	case *syntax.Subshell: // its commands are looked into, but never allowed
		sh.grouped = true
		sh.hide("a subshell")
		before := len(sh.parts)
		sh.stmts(c.Stmts, seen)
		for _, p := range sh.parts[before:] {
			p.grouped = true
		}
	case *syntax.Block:
		sh.hide("a group in braces")
		sh.stmts(c.Stmts, false)
	case *syntax.FuncDecl:
		sh.hide("a function definition")
		before := len(sh.nested)
		sh.stmt(c.Body, false)
		for _, p := range sh.nested[before:] {
			p.uncalled = true
		}
	case *syntax.CaseClause:
		sh.hide("a case statement")
		sh.word(c.Word)
		for _, item := range c.Items {
			sh.stmts(item.Stmts, false)
		}
	case *syntax.CoprocClause:
		sh.hide("a coprocess") // which no rule sees
	default: // arithmetic, let
		sh.hide("a command that can't be checked")
		syntax.Walk(s.Cmd, func(n syntax.Node) bool {
			if in, ok := n.(*syntax.Stmt); ok {
				sh.stmt(in, false)
				return false
			}
			return true
		})
	}
}

func (sh *shell) loop(c *syntax.ForClause, seen bool) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		if c.Select {
			sh.hide("a select statement")
		}
		for _, w := range l.Items {
			sh.items(w)
		}
	default:
		sh.hide("a counting loop")
		seen = false
	}
	sh.stmts(c.Do, seen)
	sh.later = true
}

// items reads a word of a for list, where a substitution may stand: its commands
// are checked like any other.
func (sh *shell) items(w *syntax.Word) {
	if sub := substitutes(w); sub != nil {
		sh.stmts(sub.Stmts, true)
		return
	}
	sh.word(w)
}

// timed is the time keyword. With an option it is a fragment to Claude.
func (sh *shell) timed(c *syntax.TimeClause, s *syntax.Stmt, seen bool) {
	if c.PosixFormat {
		sh.hide("time with an option")
	}
	before, nested := len(sh.parts), len(sh.nested)
	if c.Stmt != nil {
		sh.stmt(c.Stmt, seen)
	} else {
		sh.add(&part{text: "time", words: []word{literalWord("time")}}, seen)
	}
	for _, list := range [][]*part{sh.parts[before:], sh.nested[nested:]} {
		for _, p := range list[:min(1, len(list))] {
			p.text = "time " + p.text
			p.words = append([]word{literalWord("time")}, p.words...)
		}
	}
}

func literalWord(s string) word { return word{text: s, raw: s, static: true} }

// test is [[ … ]]: nothing runs but what its words substitute.
func (sh *shell) test(c *syntax.TestClause, s *syntax.Stmt, seen bool) {
	p := &part{text: sh.script.Source(c), redirects: sh.redirects(s)}
	for _, w := range strings.Fields(p.text) {
		p.words = append(p.words, literalWord(w))
	}
	syntax.Walk(c, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			if x := sh.word(w); !x.static || x.dynamic {
				p.wild = true
			}
			return false
		}
		return true
	})
	sh.add(p, seen)
}

// declare is export, local, declare and the like: commands whose arguments
// assign.
func (sh *shell) declare(c *syntax.DeclClause, s *syntax.Stmt, seen bool) {
	p := &part{text: sh.script.Source(c), redirects: sh.redirects(s), words: []word{literalWord(c.Variant.Value)}}
	for _, a := range c.Args {
		if a.Value != nil {
			before := len(sh.nested)
			v := sh.word(a.Value)
			for _, n := range sh.nested[before:] {
				n.exported = true
			}
			if a.Name != nil && v.static {
				sh.vars[a.Name.Value] = v.text
			}
		}
		raw := sh.script.Source(a)
		p.words = append(p.words, word{text: raw, raw: raw, static: true})
	}
	sh.add(p, seen)
}

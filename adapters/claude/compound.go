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
		sh.sealed = sh.sealed || sh.groups == 0 && s != sh.timedStmt
		sh.hide("a subshell")
		blind, before := sh.blind, len(sh.parts)
		sh.blind = false
		sh.inside(func() { sh.stmts(c.Stmts, seen) })
		sh.blind = blind
		for _, p := range sh.parts[before:] {
			p.grouped = true
		}
	case *syntax.Block:
		sh.hide("a group in braces")
		sh.setAside(sh.groups > 0 || s.Negated, func() { sh.inside(func() { sh.stmts(c.Stmts, false) }) })
	case *syntax.FuncDecl:
		sh.hide("a function definition")
		before := len(sh.nested)
		sh.inside(func() { sh.stmt(c.Body, false) })
		for _, p := range sh.nested[before:] {
			p.uncalled = true
		}
	case *syntax.CaseClause:
		sh.hide("a case statement")
		sh.word(c.Word)
		for _, item := range c.Items {
			for _, w := range item.Patterns {
				sh.word(w)
			}
			sh.setAside(true, func() { sh.stmts(item.Stmts, false) })
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
	aside := false
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		if c.Select {
			sh.hide("a select statement")
			aside, seen = true, false
		}
		for _, w := range l.Items {
			sh.items(w, !c.Select)
		}
		sh.lose(l.Name)
	default:
		sh.hide("a counting loop")
		sh.substitutions(c.Loop)
		aside, seen = true, false
	}
	sh.setAside(aside, func() { sh.stmts(c.Do, seen) })
	sh.later = true
}

// items reads a word of a for list, where a substitution may stand: its commands
// are checked like any other.
func (sh *shell) items(w *syntax.Word, seen bool) {
	if sub := substitutes(w); sub != nil {
		sh.stmts(sub.Stmts, seen)
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
		first := c.Stmt
		for b, ok := first.Cmd.(*syntax.BinaryCmd); ok; b, ok = first.Cmd.(*syntax.BinaryCmd) {
			first = b.X
		}
		if first == c.Stmt {
			sh.timedStmt = first
		}
		switch first.Cmd.(type) {
		case *syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.FuncDecl:
			sh.timedGroup = first // 2.1.332, 2026-12-01
		}
		call, ok := c.Stmt.Cmd.(*syntax.CallExpr)
		read := func() { sh.setAside(!ok, func() { sh.stmt(c.Stmt, seen) }) }
		if _, loops := c.Stmt.Cmd.(*syntax.ForClause); ok && len(call.Args) == 0 || loops && hasCommand(c.Stmt) {
			sh.each(read, hide197)
		} else {
			read()
		}
	} else {
		sh.add(&part{text: "time", words: []word{literalWord("time")}}, seen)
	}
	for _, list := range [][]*part{sh.parts[before:], sh.nested[nested:]} {
		for _, p := range list[:min(1, len(list))] {
			p.text, p.timed = "time "+p.text, true
			front := []word{literalWord("time")}
			if c.PosixFormat {
				p.text = "time -p" + strings.TrimPrefix(p.text, "time")
				front = append(front, literalWord("-p"))
			}
			p.words = append(front, p.words...)
		}
	}
}

func literalWord(s string) word { return word{text: s, raw: s, static: true} }

// test is [[ … ]]: nothing runs but what its words substitute.
func (sh *shell) test(c *syntax.TestClause, s *syntax.Stmt, seen bool) {
	p := &part{text: sh.script.Source(c), redirects: sh.redirects(s)}
	if len(p.redirects) > 0 {
		sh.veil("a redirect of a test")
	}
	for _, w := range strings.Fields(p.text) {
		p.words = append(p.words, literalWord(w))
	}
	syntax.Walk(c, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryTest); ok && b.Op == syntax.TsReMatch {
			sh.doubt(b.Y, false, unseen) // no rule looks there
		}
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
		if a.Array != nil {
			sh.substitutions(a.Array)
		}
		if a.Value != nil {
			before := len(sh.nested)
			v := sh.word(a.Value)
			// 2.1.197 sees NAME=$(…) and "NAME=$(…)", and nothing else.
			if sole := substitutes(a.Value) != nil; sole != a.Naked && !strings.HasPrefix(sh.script.Source(a), "'") {
				for _, n := range sh.nested[before:] {
					n.exported = true
				}
			}
			if a.Name != nil && v.static {
				sh.learn(assign{name: a.Name.Value, value: v}, a.Append)
			}
		}
		raw := sh.script.Source(a)
		p.words = append(p.words, word{text: raw, raw: raw, static: true})
	}
	sh.add(p, seen)
}

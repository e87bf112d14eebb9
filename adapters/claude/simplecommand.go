package claude

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

func (sh *shell) call(c *syntax.CallExpr, s *syntax.Stmt, seen bool) {
	p := &part{negated: s.Negated}
	several := len(c.Args) == 0 && len(c.Assigns) > 1
	for _, a := range c.Assigns {
		set := func() { p.assigns = append(p.assigns, sh.assignment(a, len(c.Args) == 0, seen)) }
		if !several {
			set()
			continue
		}
		sh.each(set, hide197)
		sh.lose(a.Name)
	}
	for _, w := range c.Args {
		p.words = append(p.words, sh.word(w))
	}
	p.redirects = sh.redirects(s)
	p.text = sh.ruleText(c, s)
	if len(s.Redirs) > 0 && s.Redirs[0].Pos().Offset() < c.Pos().Offset() {
		p.hidden, p.unseen = true, s.Redirs[0].Hdoc != nil
	}
	for _, r := range s.Redirs {
		p.here = p.here || r.Op == syntax.WordHdoc
	}
	p.hidden = p.hidden || len(p.words) > 0 && strings.Contains(p.words[0].text, " ") || sh.oddly(c, p)
	if sh.behindRedirect(c, s) {
		sh.veil("a word behind a redirect")
		sh.hide("a word or a comment behind a redirect")
	}
	if len(c.Args) == 0 {
		sh.assigned += len(c.Assigns)
	}
	sh.add(p, seen)
}

// oddly reports whether the assignments in front of a program hide it from
// 2.1.197.
func (sh *shell) oddly(c *syntax.CallExpr, p *part) bool {
	if len(c.Args) == 0 || len(c.Assigns) == 0 {
		return false
	}
	for _, a := range p.assigns {
		if a.value.raw != "" && !a.value.static || strings.HasPrefix(a.value.raw, "$'") {
			return true
		}
	}
	return strings.Contains(sh.script.Slice(int(c.Pos().Offset()), int(c.Args[0].Pos().Offset())), "\\\n")
}

// behindRedirect reports whether a word or a comment stands behind a redirect.
func (sh *shell) behindRedirect(c *syntax.CallExpr, s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			continue
		}
		if len(c.Args) > 0 && r.Pos().Offset() > c.Pos().Offset() && r.Pos().Offset() < c.Args[len(c.Args)-1].Pos().Offset() {
			return true
		}
		rest := strings.TrimLeft(sh.text[min(int(r.End().Offset()), len(sh.text)):], " \t")
		if strings.HasPrefix(rest, "#") {
			return true
		}
	}
	return false
}

// assignment reads NAME=VALUE. alone says that it isn't in front of a command.
func (sh *shell) assignment(a *syntax.Assign, alone, seen bool) assign {
	out := assign{}
	if a.Name != nil {
		out.name = a.Name.Value
	}
	switch sub := substitutes(a.Value); {
	case a.Value == nil:
	case alone && sub != nil:
		sh.later = true
		read := func() { // checked like any other command
			sh.each(func() { sh.stmts(sub.Stmts, seen) }, func(p *part) { p.assigned = true })
		}
		if len(sub.Stmts) > 1 {
			sh.each(read, hide197)
		} else {
			read()
		}
	case alone && !hasCommand(a.Value):
		opaque := sh.opaque
		out.value = sh.word(a.Value)
		sh.opaque = opaque // a value runs nothing
		if strings.HasPrefix(out.value.raw, "~") || out.name == "PATH" {
			sh.hide("this assignment")
		}
	default:
		out.value = sh.word(a.Value)
	}
	if a.Array != nil || a.Index != nil || a.Append {
		sh.hide("an array or an appended variable")
		if a.Array != nil {
			sh.substitutions(a.Array) // no rule sees what is in an index
		}
	}
	out.bare = (out.value.static || a.Value == nil && a.Array == nil) && strings.Trim(out.value.raw, bareValue) == ""
	if alone {
		sh.learn(out, a.Append)
	}
	return out
}

const bareValue = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-:"

// ruleText is the text of a simple command as rules see it: its program without
// quotes, its arguments as they were written, no comment, and no redirect that
// stands behind it.
func (sh *shell) ruleText(c *syntax.CallExpr, s *syntax.Stmt) string {
	start, end := int(c.Pos().Offset()), int(c.End().Offset())
	for _, r := range s.Redirs {
		if int(r.Pos().Offset()) < end || r.Op == syntax.WordHdoc {
			start = min(start, int(r.Pos().Offset()))
			end = max(end, int(r.End().Offset()))
		}
	}
	text := strings.ReplaceAll(sh.script.Slice(start, end), "\\\n", "")
	if len(c.Args) == 0 || start != int(c.Pos().Offset()) {
		return text
	}
	first := c.Args[0]
	if program, ok := bash.Literal(first); ok && !escaped(sh.script.Source(first)) {
		from, to := int(first.Pos().Offset())-start, int(first.End().Offset())-start
		raw := sh.script.Slice(start, end)
		text = strings.ReplaceAll(raw[:from], "\\\n", "") + program + strings.ReplaceAll(raw[to:], "\\\n", "")
	}
	return strings.TrimSpace(text)
}

package claude

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// word reads one word, notes what in it can't be checked, and looks for the
// commands that it substitutes.
func (sh *shell) word(w *syntax.Word) word {
	source := sh.script.Source(w)
	out := word{raw: strings.ReplaceAll(source, "\\\n", "")}
	out.split = out.raw != source
	switch {
	case out.split:
		sh.veil("a word that goes on in the next line")
	case strings.Contains(out.raw, "{"):
		sh.veil("a brace")
	}
	sh.substitutions(w)
	out.text, out.static = bash.Literal(w)
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			sh.literal(p.Value, &out)
		case *syntax.SglQuoted:
			if p.Dollar {
				sh.hide("text with escape codes")
			}
			hidesComment(sh, p.Value)
		case *syntax.DblQuoted:
			sh.doubleQuoted(p, &out)
		case *syntax.ParamExp:
			sh.variable(p, false, len(w.Parts), &out)
		case *syntax.ArithmExp:
			sh.arithmetic(p, &out)
		case *syntax.ExtGlob:
			sh.hide("an extended glob")
		}
	}
	if braces(w) {
		sh.hide("brace expansion")
	}
	if len(out.raw) > 1 && out.raw[0] == '=' && out.raw[1] != '=' {
		sh.hide("a word that zsh expands")
	}
	for _, r := range out.raw {
		if r > unicode.MaxASCII && unicode.IsSpace(r) || r == '\u200b' {
			sh.hide("Unicode whitespace")
		}
	}
	if !out.static {
		out.text = sh.known(w, out.raw)
	}
	return out
}

const nestedCommand = "a nested command"

func (sh *shell) literal(s string, out *word) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			if i < len(s) && (s[i] == ' ' || s[i] == '\t') {
				sh.hide("a blank behind a backslash")
			}
		case '*', '?', '[':
			out.glob = true
		}
	}
}

func hidesComment(sh *shell, quoted string) {
	if strings.Contains(quoted, "\n#") {
		sh.hide("a # that starts a line in quotes")
	}
}

func (sh *shell) doubleQuoted(p *syntax.DblQuoted, out *word) {
	if p.Dollar {
		sh.hide("translated text")
	}
	for _, q := range p.Parts {
		switch q := q.(type) {
		case *syntax.Lit:
			hidesComment(sh, q.Value)
		case *syntax.ParamExp:
			sh.variable(q, true, len(p.Parts), out)
		case *syntax.ArithmExp:
			if len(p.Parts) == 1 {
				sh.hide("quoted text that is computed")
			}
			sh.arithmetic(q, out)
		}
	}
}

// variable reads $NAME. HOME is known, and so is PWD in quotes with more text;
// everything else can't be checked, and neither can anything in braces.
func (sh *shell) variable(p *syntax.ParamExp, quoted bool, siblings int, out *word) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	switch {
	case !p.Short:
		sh.hide("a variable in braces")
	case name == "HOME", name == "PWD" && quoted && siblings > 1:
		out.dynamic = true
	default:
		sh.hide("a variable")
		if _, ok := sh.vars[name]; !ok || sh.scope > 0 {
			sh.veil("a variable")
		}
	}
}

func (sh *shell) arithmetic(p *syntax.ArithmExp, out *word) {
	syntax.Walk(p, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			sh.hide("arithmetic with a variable")
		case *syntax.Lit:
			if strings.Trim(n.Value, "0123456789") != "" {
				sh.hide("arithmetic with a variable")
			}
		}
		return true
	})
	out.dynamic = true
}

// substitutions notes every command that runs inside a word. Deny and ask rules
// see it.
func (sh *shell) substitutions(n syntax.Node) {
	blind, doubtful := sh.blind, sh.doubtful
	defer func() { sh.blind, sh.doubtful = blind, doubtful }()
	sh.blind = false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			sh.hide(nestedCommand)
			sh.veil(nestedCommand)
			if sh.marks[n] != unseen {
				sh.doubtful = doubtful || sh.marks[n] == unclearly || computed(n.Stmts)
				sh.inside(func() { sh.stmts(n.Stmts, false) })
			}
			return false
		case *syntax.ProcSubst:
			sh.hide("a command used as a file")
			sh.veil("a command used as a file")
			sh.inside(func() { sh.stmts(n.Stmts, false) })
			return false
		case *syntax.ParamExp:
			sh.expansion(n)
		case *syntax.ArithmExp:
			sh.backquoted(n)
		}
		return true
	})
}

// computed reports whether a substitution runs what another one prints.
func computed(list []*syntax.Stmt) bool {
	if len(list) != 1 {
		return false
	}
	c, ok := list[0].Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) > 0 && substitutes(c.Args[0]) != nil
}

// expansion notes what in ${…} makes 2.1.332 ask when there is any rule that could
// speak of it (measured 2026-12-01): substitutions in a pattern, and backquotes in
// an index or a slice.
func (sh *shell) expansion(p *syntax.ParamExp) {
	if p.Index != nil {
		sh.backquoted(p.Index)
	}
	if p.Slice != nil {
		for _, n := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if n != nil {
				sh.backquoted(n)
			}
		}
	}
	if p.Repl != nil && p.Repl.Orig != nil {
		sh.doubt(p.Repl.Orig, false, unclearly)
	}
	if p.Exp != nil && p.Exp.Word != nil && !bash.StandsIn(p.Exp.Op) {
		sh.doubt(p.Exp.Word, false, unclearly)
	}
}

func (sh *shell) backquoted(n syntax.Node) { sh.doubt(n, true, unclearly) }

// sighted is how rules see a substitution.
type sighted int

const (
	_         sighted = iota
	unclearly         // a rule may make Claude ask for the text, whatever it says
	unseen
)

// doubt marks the substitutions in a node, or only those in backquotes.
func (sh *shell) doubt(n syntax.Node, backquotes bool, as sighted) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CmdSubst); ok && (c.Backquotes || !backquotes) {
			sh.marks[c] = as
		}
		return true
	})
}

// known puts in the values of variables that the same text has set.
func (sh *shell) known(w *syntax.Word, raw string) string {
	if sh.scope > 0 {
		return raw
	}
	var b strings.Builder
	var write func(p syntax.WordPart) bool
	write = func(p syntax.WordPart) bool {
		switch p := p.(type) {
		case *syntax.ParamExp:
			v, ok := "", false
			if p.Short && p.Param != nil && p.Exp == nil && p.Index == nil && p.Repl == nil && p.Slice == nil {
				v, ok = sh.vars[p.Param.Value]
			}
			b.WriteString(v)
			return ok
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if !write(q) {
					return false
				}
			}
			return true
		}
		text, ok := bash.Literal(&syntax.Word{Parts: []syntax.WordPart{p}})
		b.WriteString(text)
		return ok
	}
	for _, p := range w.Parts {
		if !write(p) {
			return raw
		}
	}
	return b.String()
}

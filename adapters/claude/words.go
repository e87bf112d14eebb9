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
		if r > unicode.MaxASCII && unicode.IsSpace(r) {
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
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			sh.hide(nestedCommand)
			sh.stmts(n.Stmts, false)
			return false
		case *syntax.ProcSubst:
			sh.hide("a command used as a file")
			sh.stmts(n.Stmts, false)
			return false
		}
		return true
	})
}

// known puts in the values of variables that the same text has set.
func (sh *shell) known(w *syntax.Word, raw string) string {
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

// braces reports whether the shell may expand braces in a word: unquoted, with a
// comma or two dots behind the first.
func braces(w *syntax.Word) bool {
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok {
			if _, ok := p.(*syntax.BraceExp); ok {
				return true
			}
			continue
		}
		open := strings.IndexByte(l.Value, '{')
		if open < 0 {
			continue
		}
		if rest := l.Value[open:]; strings.Contains(rest, ",") || strings.Contains(rest, "..") {
			return true
		}
	}
	return false
}

// redirects reads the redirects of a statement.
func (sh *shell) redirects(s *syntax.Stmt) []redirect {
	var out []redirect
	heredoc := false
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			heredoc = true
			if quoted(r.Word) {
				continue
			}
			sh.hide("a heredoc that the shell expands")
			if r.Hdoc != nil {
				sh.substitutions(r.Hdoc)
			}
			continue
		case syntax.WordHdoc:
			sh.word(r.Word)
			continue
		}
		if r.Word == nil {
			continue
		}
		if heredoc {
			sh.hide("a redirect behind a heredoc")
		}
		w := sh.word(r.Word)
		red := redirect{target: w, write: r.Op != syntax.RdrIn}
		switch r.Op {
		case syntax.DplOut, syntax.DplIn:
			red.fd = strings.Trim(w.text, "0123456789") == "" && w.static
			if w.text == "-" {
				sh.hide("a closed descriptor")
				red.fd = true
			}
		}
		out = append(out, red)
	}
	return out
}

func quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return true
			}
		}
	}
	return false
}

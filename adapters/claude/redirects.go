package claude

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
			sh.veil("a heredoc that the shell expands")
			if r.Hdoc != nil {
				sh.heredoc(r.Hdoc)
			}
			continue
		case syntax.WordHdoc:
			sh.veil("a here-string")
			sh.word(r.Word)
			continue
		}
		if r.Word == nil {
			continue
		}
		if heredoc {
			sh.hide("a redirect behind a heredoc")
			sh.veil("a redirect behind a heredoc")
		}
		w := sh.word(r.Word)
		if r.Op == syntax.RdrInOut || r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			sh.hide("a redirect that opens a descriptor of its own")
			sh.veil("a redirect that opens a descriptor of its own")
		}
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

// heredoc reads a heredoc's text, in which rules see no backquotes.
func (sh *shell) heredoc(w *syntax.Word) {
	for _, p := range w.Parts {
		if c, ok := p.(*syntax.CmdSubst); ok && c.Backquotes {
			continue
		}
		sh.substitutions(p)
	}
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

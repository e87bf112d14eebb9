package codex

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// apart finds what Codex's parser, tree-sitter's grammar of Bash, reads otherwise
// than Bash does: blanks that only one of the two takes for blanks, a line that is
// continued right behind a newline or in a word, and an escape at the end.
var apart = regexp.MustCompile(`[\x00\r\v\f]|\n\\[\n \t]|[^ \t\n]\\\n[^ \t\n]|\\[ \t\n]*\z`)

// oddName finds a program word that begins as a variable does there: the whole
// script is then unreadable.
var oddName = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_]+[%@#]`)

// loneDollar finds a $ that expands nothing, before another character than a blank.
var loneDollar = regexp.MustCompile("\\$[;&|)`]")

// doubtfulScript reports whether Codex's parser may read a script otherwise than
// ours does, or not at all. Found on 0.171.0 with random scripts that remove by
// force, 2026-12-01.
func doubtfulScript(s *bash.Script) bool {
	if apart.MatchString(s.Text) {
		return true
	}
	found := loneDollar.MatchString(s.Text)
	syntax.Walk(s.File, func(n syntax.Node) bool {
		stmt, ok := n.(*syntax.Stmt)
		if !ok {
			return !found
		}
		call, ok := stmt.Cmd.(*syntax.CallExpr)
		switch {
		case !ok:
		case len(call.Args) == 0: // an assignment
			found = found || len(stmt.Redirs) > 0
		default:
			found = found || oddName.MatchString(s.Source(call.Args[0])) ||
				slices.ContainsFunc(call.Args, func(w *syntax.Word) bool { return strings.HasPrefix(s.Source(w), "=") })
		}
		return !found
	})
	return found
}

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

// Package diag owns what people read when a file is wrong: every problem at
// once, each with its file, line and column, the line itself and a caret.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong with a file, and what to do about it.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // 1-based; 0 when the whole file is meant
	Column  int    `json:"column"` // 1-based, in characters
	Message string `json:"message"`
	Text    string `json:"-"` // the line as it stands in the file
}

// Place writes file:line:column, or as much of it as is known.
func (p Problem) Place() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// String writes the place and the message, then the line and a caret.
func (p Problem) String() string {
	s := p.Place() + ": " + p.Message
	if p.Line == 0 || p.Column == 0 || p.Text == "" {
		return s
	}
	return s + "\n  " + p.Text + "\n  " + p.indent() + "^"
}

// indent is as wide as the text before the column; tabs stay tabs, so that the
// caret stands under its character whatever a tab's width is.
func (p Problem) indent() string {
	var b strings.Builder
	for i, r := range []rune(p.Text) {
		if i >= p.Column-1 {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// List is every problem that was found. A nil List is fine.
type List []Problem

// Error writes every problem, in order of place.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the sorted list as an error, or nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	slices.SortStableFunc(l, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return l
}

// Line returns the 1-based line of data, without its line ending, or "" when
// there is no such line. Bytes that aren't UTF-8 are replaced.
func Line(data []byte, line int) string {
	for n := 1; len(data) > 0; n++ {
		rest := []byte(nil)
		current := data
		if i := strings.IndexByte(string(data), '\n'); i >= 0 {
			current, rest = data[:i], data[i+1:]
		}
		if n == line {
			s := strings.TrimSuffix(string(current), "\r")
			if !utf8.ValidString(s) {
				s = strings.ToValidUTF8(s, "\uFFFD")
			}
			return s
		}
		data = rest
	}
	return ""
}

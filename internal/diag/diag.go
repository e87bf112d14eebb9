// Package diag owns what people read when a file is wrong: every problem at
// once, each with its file, line and column, the line itself and a caret.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a file, and what to do about it.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // 1-based; 0 when the whole file is meant
	Column  int    `json:"column"` // 1-based, in characters (code points); 0 when the whole line is meant
	Message string `json:"message"`
	Text    string `json:"-"` // the line as it stands in the file, see [Files.Show]
	In      string `json:"-"` // where else it is so, beside its place; "" when that says it all
}

// Full is the message with all that it is so in.
func (p Problem) Full() string {
	if p.In == "" {
		return p.Message
	}
	return p.Message + " (" + p.In + ")"
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

// String writes the place and the message, then the line and a caret, as far as
// they are known. What the file holds can't move the cursor or change the
// colours of the terminal that shows it.
func (p Problem) String() string {
	s := p.Full()
	if place := p.Place(); place != "" {
		s = place + ": " + s
	}
	if p.Line == 0 || p.Column == 0 || p.Text == "" {
		return s
	}
	text, indent := excerpt(p.Text, p.Column)
	return s + "\n  " + text + "\n  " + indent + "^"
}

// List is every problem that was found. A nil List is fine.
type List []Problem

// Error writes every problem, one under the other.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the list as an error, in order of place and without repetitions,
// or nil when it is empty. Problems that are the same but for what they are so in
// become one.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	out := sorted[:1]
	for _, p := range sorted[1:] {
		i := slices.IndexFunc(out, func(old Problem) bool {
			old.In = p.In
			return old == p
		})
		switch {
		case i < 0:
			out = append(out, p)
		case p.In != "" && !slices.Contains(strings.Split(out[i].In, ", "), p.In):
			out[i].In += ", " + p.In
		}
	}
	return out
}

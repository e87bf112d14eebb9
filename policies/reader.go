package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// maxProblems is how many problems a Reader keeps: a file that is wrong in more
// places isn't a policy file.
const maxProblems = 1000

// Reader reads Nodes strictly and collects every problem on the way, so that
// all are reported at once. An Absent node was refused before: nothing more is
// said of it. The zero value is ready.
type Reader struct {
	Problems diag.List // the first thousand, and a last one that says that there are more
}

// Refuse records a problem at a place.
func (r *Reader) Refuse(at evaluator.Source, format string, args ...any) {
	switch {
	case len(r.Problems) > maxProblems:
		return
	case len(r.Problems) == maxProblems:
		format, args = "too many problems: the others aren't shown", nil
	}
	r.Problems = append(r.Problems, diag.Problem{File: at.File, Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...)})
}

// Map calls the reader of each field that is there, in file order. A field
// without a reader is refused, with the names that there are.
func (r *Reader) Map(n *Node, what string, fields map[string]func(*Node)) {
	if n == nil || n.Kind != Mapping {
		r.wrongKind(n, what, "a mapping")
		return
	}
	for _, f := range n.Fields {
		read, ok := fields[f.Name]
		if !ok {
			r.Refuse(f.Source, "unknown key %q in %s: use %s", show(f.Name), what, words(fields))
			continue
		}
		read(f.Value)
	}
}

// Require refuses a mapping that lacks one of the fields, each by its name.
func (r *Reader) Require(n *Node, what string, names ...string) {
	if n == nil || n.Kind != Mapping {
		return // Map has said so
	}
	for _, name := range names {
		if n.Get(name) == nil {
			r.Refuse(n.Source, "%s has no %q: add it", what, name)
		}
	}
}

// Each calls read for every item of a sequence.
func (r *Reader) Each(n *Node, what string, read func(*Node)) {
	if n == nil || n.Kind != Sequence {
		r.wrongKind(n, what, "a list")
		return
	}
	for _, item := range n.Items {
		read(item)
	}
}

// Text reads a scalar that isn't blank, and returns "" when it isn't one. An
// unquoted true or false isn't a text.
func (r *Reader) Text(n *Node, what string) string {
	if n == nil || n.Kind != Scalar {
		r.wrongKind(n, what, "a text")
		return ""
	}
	switch {
	case isBool(n):
		r.Refuse(n.Source, "%s must be a text: put %s in quotes", what, n.Text)
		return ""
	case strings.TrimSpace(n.Text) == "":
		r.Refuse(n.Source, "%s is empty: give it a text", what)
		return ""
	}
	return n.Text
}

// Word reads a scalar that must be one of the words, and returns "" when it
// isn't.
func (r *Reader) Word(n *Node, what string, allowed ...string) string {
	if n == nil || n.Kind != Scalar {
		r.wrongKind(n, what, "a text")
		return ""
	}
	if !slices.Contains(allowed, n.Text) {
		r.Refuse(n.Source, "unknown %s %q: use %s", what, show(n.Text), strings.Join(allowed, ", "))
		return ""
	}
	return n.Text
}

// Bool reads an unquoted true or false.
func (r *Reader) Bool(n *Node, what string) bool {
	if n == nil || n.Kind != Scalar {
		r.wrongKind(n, what, "true or false")
		return false
	}
	if !isBool(n) {
		r.Refuse(n.Source, "%s is %q: use true or false, without quotes", what, show(n.Text))
	}
	return n.Text == "true"
}

// line reads a text of one line.
func (r *Reader) line(n *Node, what string) string {
	s := r.Text(n, what)
	if strings.ContainsFunc(s, invisible) {
		r.Refuse(n.Source, "%s has a line end or an invisible character: write it as one line", what)
	}
	return s
}

// notEmpty refuses a mapping or list that says nothing: it would look as if it
// took away what is there without it.
func (r *Reader) notEmpty(n *Node, what string) {
	if n.Kind == Mapping && len(n.Fields) == 0 || n.Kind == Sequence && len(n.Items) == 0 {
		r.Refuse(n.Source, "%s is empty: fill it, or leave it out", what)
	}
}

// selection reads a list of words, none of them twice.
func selection[T ~string](r *Reader, n *Node, what, word string, known []T) []T {
	var out []T
	r.notEmpty(n, what)
	r.Each(n, what, func(n *Node) {
		s := T(r.Word(n, word, texts(known)...))
		switch {
		case s == "":
		case slices.Contains(out, s):
			r.Refuse(n.Source, "%s is in %s twice: keep one", s, what)
		default:
			out = append(out, s)
		}
	})
	return out
}

func isBool(n *Node) bool { return !n.Quoted && (n.Text == "true" || n.Text == "false") }

func (r *Reader) wrongKind(n *Node, what, want string) {
	switch {
	case n == nil:
		r.Refuse(evaluator.Source{}, "%s is missing: it must be %s", what, want)
	case n.Kind != Absent:
		r.Refuse(n.Source, "%s must be %s", what, want)
	}
}

func words(fields map[string]func(*Node)) string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// texts turns a closed vocabulary into the words that a file may use.
func texts[T ~string](known []T) []string {
	out := make([]string, len(known))
	for i, k := range known {
		out[i] = string(k)
	}
	return out
}

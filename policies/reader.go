package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// Reader reads Nodes strictly and collects every problem on the way, so that
// all are reported at once. The zero value is ready.
type Reader struct {
	Problems diag.List
}

// Refuse records a problem at a place.
func (r *Reader) Refuse(at evaluator.Source, format string, args ...any) {
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
			r.Refuse(f.Source, "unknown key %q in %s: use %s", f.Name, what, words(fields))
			continue
		}
		read(f.Value)
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

// Text reads a scalar that isn't empty.
func (r *Reader) Text(n *Node, what string) string {
	if n == nil || n.Kind != Scalar {
		r.wrongKind(n, what, "a text")
		return ""
	}
	if n.Text == "" {
		r.Refuse(n.Source, "%s is empty", what)
	}
	return n.Text
}

// Word reads a scalar that must be one of the words.
func (r *Reader) Word(n *Node, what string, allowed ...string) string {
	if n == nil || n.Kind != Scalar {
		r.wrongKind(n, what, "a text")
		return ""
	}
	if !slices.Contains(allowed, n.Text) {
		r.Refuse(n.Source, "unknown %s %q: use %s", what, n.Text, strings.Join(allowed, ", "))
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
	if n.Quoted || n.Text != "true" && n.Text != "false" {
		r.Refuse(n.Source, "%s is %q: use true or false, without quotes", what, n.Text)
	}
	return n.Text == "true"
}

func (r *Reader) wrongKind(n *Node, what, want string) {
	at := evaluator.Source{}
	if n != nil {
		at = n.Source
	}
	r.Refuse(at, "%s must be %s", what, want)
}

func words(fields map[string]func(*Node)) string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

package filetree

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/policies"
)

// Reader reads values of trees strictly: a text must be one in the file, too. It
// collects every problem, so that all are reported at once. ok is false for what
// was refused.
type Reader struct{ policies.Reader }

// Text reads a text that isn't blank.
func (r *Reader) Text(n *policies.Node, what string) (s string, ok bool) {
	s, ok = r.AnyText(n, what)
	if ok && strings.TrimSpace(s) == "" {
		r.Refuse(n.Source, "%s is empty: give it a text", what)
		return "", false
	}
	return s, ok
}

// AnyText reads a text.
func (r *Reader) AnyText(n *policies.Node, what string) (s string, ok bool) {
	if n.Kind != policies.Scalar || !n.Quoted {
		r.Refuse(n.Source, "%s must be a text in quotes", what)
		return "", false
	}
	return n.Text, true
}

// Word reads one of the words.
func (r *Reader) Word(n *policies.Node, what string, words ...string) (s string, ok bool) {
	if s, ok = r.AnyText(n, what); !ok {
		return "", false
	}
	if !slices.Contains(words, s) {
		r.Refuse(n.Source, "unknown %s %q: use %s", what, s, strings.Join(words, ", "))
		return "", false
	}
	return s, true
}

// Bool reads true or false.
func (r *Reader) Bool(n *policies.Node, what string) (b, ok bool) {
	if n.Kind != policies.Scalar || n.Quoted || n.Text != "true" && n.Text != "false" {
		r.Refuse(n.Source, "%s must be true or false, without quotes", what)
		return false, false
	}
	return n.Text == "true", true
}

// List is the values of a list.
func (r *Reader) List(n *policies.Node, what string) []*policies.Node {
	if n.Kind != policies.Sequence {
		r.Refuse(n.Source, "%s must be a list", what)
		return nil
	}
	return n.Items
}

// Texts reads a list of texts.
func (r *Reader) Texts(n *policies.Node, what string) []string {
	var out []string
	for _, item := range r.List(n, what) {
		s, _ := r.AnyText(item, "a value of "+what)
		out = append(out, s)
	}
	return out
}

// Fields are the fields of an object.
func (r *Reader) Fields(n *policies.Node, what string) []policies.Field {
	if n.Kind != policies.Mapping {
		r.Refuse(n.Source, "%s must be an object", what)
		return nil
	}
	return n.Fields
}

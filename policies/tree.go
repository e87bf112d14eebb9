package policies

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// maxDepth is how deep mappings and lists may be nested.
const maxDepth = 50

// readTree reads the one YAML document of a file into Nodes and refuses what the
// language has no use for. noun is what such a file is called. It returns nil when
// there is nothing to read on.
func (r *Reader) readTree(f File, noun string) *Node {
	if !r.checkText(f) {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(f.Data))
	document, err := decode(decoder)
	whole := evaluator.Source{File: f.Name}
	switch {
	case errors.Is(err, io.EOF):
		r.Refuse(whole, "the file is empty: a %s begins with apiVersion: %s", noun, APIVersion)
		return nil
	case err != nil:
		r.Refuse(syntaxPlace(f, err), "this isn't YAML: %s", syntaxMessage(err))
		return nil
	}
	t := &tree{Reader: r, file: f.Name, noun: noun, lines: diag.Lines(f.Data)}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Value == "" && root.Style == 0 {
		r.Refuse(whole, "the file is empty: a %s begins with apiVersion: %s", noun, APIVersion)
		root = nil
	}
	switch next, err := decode(decoder); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.Refuse(syntaxPlace(f, err), "this isn't YAML: %s", syntaxMessage(err))
	default:
		r.Refuse(t.place(next), "a second document begins here: a file holds one %s", noun)
	}
	if root == nil {
		return nil
	}
	return t.node(root, &step{name: "the " + noun}, 1)
}

// decode reads the next document. yaml.v3 panics on some texts; that is a text
// that it can't read.
func decode(d *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	n = &yaml.Node{}
	if err := d.Decode(n); err != nil {
		return nil, err
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) != 1 {
		return nil, errors.New("yaml: the document can't be read")
	}
	return n, nil
}

// tree turns the nodes of one file into Nodes.
type tree struct {
	*Reader
	file  string
	noun  string
	lines []string
	line  int // of chars
	chars []rune
}

// step is one step of the way from the root to a node, for messages. The root's
// is called what the file is.
type step struct {
	parent *step
	name   string
}

func (s *step) String() string {
	switch {
	case s.parent == nil:
		return s.name
	case s.parent.parent == nil:
		return show(s.name)
	case strings.HasPrefix(s.name, "["):
		return s.parent.String() + s.name
	}
	return s.parent.String() + "." + show(s.name)
}

func (t *tree) place(n *yaml.Node) evaluator.Source {
	return evaluator.Source{File: t.file, Line: n.Line, Column: n.Column}
}

// node converts one value. A value that can't be taken for what it looks like is
// refused and Absent, so that nobody complains of it again.
func (t *tree) node(n *yaml.Node, at *step, depth int) *Node {
	out := &Node{Source: t.place(n)}
	if depth > maxDepth {
		t.Refuse(out.Source, "%s is nested deeper than %d levels: make it flatter", show(at.String()), maxDepth)
		return out
	}
	if !t.checkDecoration(n) {
		return out
	}
	switch n.Kind {
	case yaml.ScalarNode:
		out.Kind, out.Text = Scalar, n.Value
		out.Quoted = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
		t.checkScalar(n, out, at)
	case yaml.SequenceNode:
		out.Kind = Sequence
		for i, item := range n.Content {
			child := t.node(item, &step{at, "[" + strconv.Itoa(i) + "]"}, depth+1)
			out.Items = append(out.Items, child)
		}
	case yaml.MappingNode:
		out.Kind = Mapping
		t.fields(n, out, at, depth)
	}
	return out
}

func (t *tree) fields(n *yaml.Node, out *Node, at *step, depth int) {
	lines := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f := Field{Name: key.Value, Source: t.place(key)}
		if !t.checkDecoration(key) {
			continue
		}
		if key.Kind != yaml.ScalarNode {
			t.Refuse(f.Source, "a key of %s isn't a text", at)
			continue
		}
		if what := odd(key.Value, key.Tag); key.Style == 0 && what != "" {
			t.Refuse(f.Source, "a key of %s is %s: %s", at, show(key.Value), t.advice(key.Value, what))
			continue
		}
		if line, ok := lines[f.Name]; ok {
			t.Refuse(f.Source, "the key %q is in %s a second time (first on line %d): keep one", show(f.Name), at, line)
			continue
		}
		lines[f.Name] = f.Source.Line
		if value.Kind == yaml.ScalarNode && value.Value == "" && value.Style == 0 {
			// yaml.v3 places a missing value somewhere behind its key.
			value.Line, value.Column = key.Line, key.Column
		}
		f.Value = t.node(value, &step{at, f.Name}, depth+1)
		out.Fields = append(out.Fields, f)
	}
}

// checkDecoration refuses anchors, aliases and tags.
func (t *tree) checkDecoration(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		t.Refuse(t.place(n), "*%s repeats another value: a %s has no aliases, write the value here", show(n.Value), t.noun)
		return false
	}
	if n.Anchor != "" {
		t.Refuse(t.place(n), "a %s has no anchors: remove &%s", t.noun, show(n.Anchor))
	}
	if n.Style&yaml.TaggedStyle != 0 || t.at(n) == '!' {
		t.Refuse(t.place(n), "a %s has no tags: remove the one that begins with ! here", t.noun)
	}
	return true
}

// at returns the character at a node's place. yaml.v3 doesn't tell a lone ! from
// no tag; and the lines are looked at in order, so that a long one is split once.
func (t *tree) at(n *yaml.Node) rune {
	if n.Line < 1 || n.Line > len(t.lines) {
		return 0
	}
	if t.line != n.Line {
		t.line, t.chars = n.Line, []rune(t.lines[n.Line-1])
	}
	if n.Column < 1 || n.Column > len(t.chars) {
		return 0
	}
	return t.chars[n.Column-1]
}

func (t *tree) checkScalar(n *yaml.Node, out *Node, at *step) {
	for _, c := range n.Value {
		if c != '\n' && c != '\t' && unicode.IsControl(c) {
			t.Refuse(out.Source, "%s has the control character %U: remove it", at, c)
			out.Kind = Absent
			return
		}
	}
	if out.Quoted || isBool(out) || n.Style&yaml.TaggedStyle != 0 {
		return // a bool is refused where a text is wanted
	}
	what := odd(n.Value, n.Tag)
	switch {
	case what == "":
		return
	case n.Value == "":
		t.Refuse(out.Source, "%s has no value: give it one, or leave it out", at)
	default:
		t.Refuse(out.Source, "%s is %s: %s", at, show(n.Value), t.advice(n.Value, what))
	}
	out.Kind = Absent
}

// advice says what to do about an odd plain scalar.
func (t *tree) advice(text, what string) string {
	if text == "<<" {
		return "a " + t.noun + " has no merge keys, write the values here"
	}
	return "some YAML readers take that for " + what + ", put it in quotes"
}

// show shortens a text for a message.
func show(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

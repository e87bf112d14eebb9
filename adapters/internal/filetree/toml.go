package filetree

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TOML reads a TOML text. The error is a diag.List.
func TOML(name string, data []byte) (*policies.Node, error) {
	t, ok := newText(name, data)
	if !ok {
		return t.done(nil)
	}
	// The decoder refuses what the grammar alone doesn't: names that stand twice,
	// tables that are defined twice. The parser knows where things stand.
	var all map[string]any
	if err := toml.Unmarshal(t.data, &all); err != nil {
		t.tomlError(err)
		return t.done(nil)
	}
	root := &policies.Node{Kind: policies.Mapping, Source: evaluator.Source{File: name, Line: 1, Column: 1}}
	p := &unstable.Parser{}
	p.Reset(t.data)
	into := root
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			into = t.descend(root, e, false)
		case unstable.ArrayTable:
			into = t.descend(root, e, true)
		case unstable.KeyValue:
			t.keyValue(into, e)
		}
	}
	if err := p.Error(); err != nil {
		t.tomlError(err)
	}
	return t.done(root)
}

func (t *text) tomlError(err error) {
	at := evaluator.Source{File: t.name}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		line = min(max(line, 1), len(t.lines))
		at = t.place(t.lines[line-1] + column - 1)
	}
	t.Refuse(at, "this isn't TOML: %s", bytes.TrimPrefix([]byte(err.Error()), []byte("toml: ")))
}

// names are the parts of a key, each with its place.
func (t *text) names(e *unstable.Node) []policies.Field {
	var out []policies.Field
	for it := e.Key(); it.Next(); {
		n := it.Node()
		out = append(out, policies.Field{Name: string(n.Data), Source: t.place(int(n.Raw.Offset))})
	}
	return out
}

// child is the mapping behind a name, made when it isn't there. Behind a list it
// is the list's last element.
func child(n *policies.Node, name policies.Field) *policies.Node {
	v := n.Get(name.Name)
	if v == nil {
		v = &policies.Node{Kind: policies.Mapping, Source: name.Source}
		n.Fields = append(n.Fields, policies.Field{Name: name.Name, Source: name.Source, Value: v})
	}
	if v.Kind == policies.Sequence && len(v.Items) > 0 {
		return v.Items[len(v.Items)-1]
	}
	return v
}

// descend finds the table that a header names.
func (t *text) descend(root *policies.Node, e *unstable.Node, list bool) *policies.Node {
	at := root
	names := t.names(e)
	for i, name := range names {
		if !list || i < len(names)-1 {
			at = child(at, name)
			continue
		}
		v := at.Get(name.Name)
		if v == nil {
			v = &policies.Node{Kind: policies.Sequence, Source: name.Source}
			at.Fields = append(at.Fields, policies.Field{Name: name.Name, Source: name.Source, Value: v})
		}
		item := &policies.Node{Kind: policies.Mapping, Source: name.Source}
		v.Items = append(v.Items, item)
		at = item
	}
	return at
}

func (t *text) keyValue(at *policies.Node, e *unstable.Node) {
	names := t.names(e)
	for _, name := range names[:len(names)-1] {
		at = child(at, name)
	}
	last := names[len(names)-1]
	last.Value = t.tomlValue(e.Value(), last.Source)
	at.Fields = append(at.Fields, last)
}

// tomlValue converts a value. A list or an inline table stands where its name
// does.
func (t *text) tomlValue(v *unstable.Node, name evaluator.Source) *policies.Node {
	n := &policies.Node{Source: name}
	switch v.Kind {
	case unstable.Array:
		n.Kind = policies.Sequence
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind != unstable.Comment {
				n.Items = append(n.Items, t.tomlValue(c, name))
			}
		}
	case unstable.InlineTable:
		n.Kind = policies.Mapping
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind == unstable.KeyValue {
				t.keyValue(n, c)
			}
		}
	default:
		n.Kind, n.Text, n.Quoted = policies.Scalar, string(v.Data), v.Kind == unstable.String
		if v.Raw.Length > 0 && utf8.Valid(v.Data) {
			n.Source = t.place(int(v.Raw.Offset))
		}
	}
	return n
}

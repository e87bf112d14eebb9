package filetree

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// JSON reads a JSON text. With comments it may have comments and trailing commas,
// too. The error is a diag.List.
func JSON(name string, data []byte, comments bool) (*policies.Node, error) {
	t, ok := newText(name, data)
	if !ok {
		return t.done(nil)
	}
	plain := t.data
	if comments {
		var err error
		// Comments and commas become blanks, so that offsets stay.
		if plain, err = hujson.Standardize(bytes.Clone(t.data)); err != nil {
			t.syntax(err)
			return t.done(nil)
		}
	}
	j := &jsonText{text: t, d: jsontext.NewDecoder(bytes.NewReader(plain), jsontext.AllowDuplicateNames(true)), plain: plain}
	root := j.value(1)
	if root != nil {
		if _, err := j.d.ReadToken(); !errors.Is(err, io.EOF) {
			t.refuse(j.next(), "this isn't JSON: something follows the value")
		}
	}
	return t.done(root)
}

// jsonText reads values off a decoder. A nil value was refused.
type jsonText struct {
	*text
	d     *jsontext.Decoder
	plain []byte
}

// next is the offset of the next token: blanks, colons and commas precede it.
func (j *jsonText) next() int {
	at := int(j.d.InputOffset())
	for at < len(j.plain) && bytes.IndexByte([]byte(" \t\r\n,:"), j.plain[at]) >= 0 {
		at++
	}
	return at
}

func (j *jsonText) value(depth int) *policies.Node {
	n := &policies.Node{Source: j.place(j.next())}
	tok, err := j.d.ReadToken()
	switch {
	case err != nil:
		j.syntax(err)
		return nil
	case depth > maxDepth:
		j.Refuse(n.Source, "values are nested deeper than %d levels", maxDepth)
		return nil
	}
	switch tok.Kind() {
	case '{':
		n.Kind = policies.Mapping
		return j.object(n, depth)
	case '[':
		n.Kind = policies.Sequence
		for j.d.PeekKind() != ']' {
			item := j.value(depth + 1)
			if item == nil {
				return nil
			}
			n.Items = append(n.Items, item)
		}
		_, err = j.d.ReadToken()
	default:
		n.Kind, n.Text, n.Quoted = policies.Scalar, tok.String(), tok.Kind() == '"'
	}
	if err != nil {
		j.syntax(err)
		return nil
	}
	return n
}

func (j *jsonText) object(n *policies.Node, depth int) *policies.Node {
	lines := map[string]int{}
	for j.d.PeekKind() != '}' {
		at := j.place(j.next())
		name, err := j.d.ReadToken()
		if err != nil {
			j.syntax(err)
			return nil
		}
		f := policies.Field{Name: name.String(), Source: at}
		if f.Value = j.value(depth + 1); f.Value == nil {
			return nil
		}
		if line, twice := lines[f.Name]; twice {
			j.Refuse(at, "the name %q stands here a second time (first on line %d): keep one", f.Name, line)
			continue
		}
		lines[f.Name] = at.Line
		n.Fields = append(n.Fields, f)
	}
	if _, err := j.d.ReadToken(); err != nil {
		j.syntax(err)
		return nil
	}
	return n
}

// hujsonPlace is how hujson names the place of an error.
var hujsonPlace = regexp.MustCompile(`^hujson: line ([0-9]+), column ([0-9]+): `)

// syntax refuses the text where a reader of it gave up.
func (t *text) syntax(err error) {
	var at evaluator.Source
	message := err.Error()
	var syntactic *jsontext.SyntacticError
	if m := hujsonPlace.FindStringSubmatch(message); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		line = min(max(line, 1), len(t.lines))
		at, message = t.place(t.lines[line-1]+column-1), message[len(m[0]):]
	} else if errors.As(err, &syntactic) {
		at, message = t.place(int(syntactic.ByteOffset)), syntactic.Err.Error()
	} else {
		at = t.place(len(t.data))
	}
	t.Refuse(at, "this isn't JSON: %s", message)
}

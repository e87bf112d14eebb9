// Package loosejson owns the reading of JSON of which nothing is certain: what a
// provider asks, perhaps in a form that it has only since yesterday.
//
// Every step of a look-up may miss, and a value of another type than expected
// reads as nothing, so that one odd field never hides the others. What people
// write is read by strictjson instead.
package loosejson

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// loose takes what JavaScript writes and reads: repeated names and lone surrogates.
var loose = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Value is one JSON value. The zero Value is one that isn't there.
type Value struct{ raw jsontext.Value }

// Parse reads one JSON value. A text that no strict reader takes (repeated names,
// broken Unicode) comes out clean: the last of the repeated names, U+FFFD for
// what is no character.
func Parse(text []byte) (Value, error) {
	v := jsontext.Value(slices.Clone(text))
	if v.IsValid() {
		return Value{v}, nil
	}
	clean, err := rewrite(v)
	if err != nil {
		return Value{}, fmt.Errorf("no JSON: %w", err)
	}
	return Value{clean}, nil
}

func rewrite(v jsontext.Value) (jsontext.Value, error) {
	switch v.Kind() {
	case '{':
		var members map[string]jsontext.Value
		if err := json.Unmarshal(v, &members, loose); err != nil {
			return nil, err
		}
		for name, member := range members {
			clean, err := rewrite(member)
			if err != nil {
				return nil, err
			}
			members[name] = clean
		}
		return json.Marshal(members, json.Deterministic(true))
	case '[':
		var list []jsontext.Value
		if err := json.Unmarshal(v, &list, loose); err != nil {
			return nil, err
		}
		for i, element := range list {
			clean, err := rewrite(element)
			if err != nil {
				return nil, err
			}
			list[i] = clean
		}
		return json.Marshal(list)
	case '"':
		var s string
		if err := json.Unmarshal(v, &s, loose); err != nil {
			return nil, err
		}
		return json.Marshal(s)
	}
	if !v.IsValid() {
		return nil, errors.New("no value can be read")
	}
	return v, nil
}

// Get is the member of nested objects, or the zero Value.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		v = Value{v.members()[name]}
	}
	return v
}

func (v Value) members() map[string]jsontext.Value {
	var m map[string]jsontext.Value
	if v.raw.Kind() != '{' || json.Unmarshal(v.raw, &m, loose) != nil {
		return nil
	}
	return m
}

// Names are an object's names, sorted.
func (v Value) Names() []string {
	var out []string
	for name := range v.members() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Text is a string's text, else "".
func (v Value) Text() string {
	var s string
	if v.raw.Kind() != '"' || json.Unmarshal(v.raw, &s, loose) != nil {
		return ""
	}
	return s
}

// True reports whether the value is true.
func (v Value) True() bool { return v.raw.Kind() == 't' }

// List is a list's values, else nil.
func (v Value) List() []Value {
	var list []jsontext.Value
	if v.raw.Kind() != '[' || json.Unmarshal(v.raw, &list, loose) != nil {
		return nil
	}
	out := make([]Value, len(list))
	for i, raw := range list {
		out[i] = Value{raw}
	}
	return out
}

// Texts are the strings of a list.
func (v Value) Texts() []string {
	var out []string
	for _, e := range v.List() {
		if e.raw.Kind() == '"' {
			out = append(out, e.Text())
		}
	}
	return out
}

// IsObject, IsList and IsNumber say what the value is.
func (v Value) IsObject() bool { return v.raw.Kind() == '{' }
func (v Value) IsList() bool   { return v.raw.Kind() == '[' }
func (v Value) IsNumber() bool { return v.raw.Kind() == '0' }

// IsText reports whether the value is a string.
func (v Value) IsText() bool { return v.raw.Kind() == '"' }

// IsBool reports whether the value is true or false.
func (v Value) IsBool() bool { return v.raw.Kind() == 't' || v.raw.Kind() == 'f' }

// There reports whether the value is there and isn't null.
func (v Value) There() bool { return len(v.raw) > 0 && v.raw.Kind() != 'n' }

// Raw is the value's text, as it came where a strict reader takes it; null when
// it isn't there.
func (v Value) Raw() jsontext.Value {
	if len(v.raw) == 0 {
		return jsontext.Value("null")
	}
	return v.raw
}

// String is the value's text on one line.
func (v Value) String() string {
	out := v.Raw().Clone()
	if out.Compact() != nil {
		return string(v.raw)
	}
	return string(out)
}

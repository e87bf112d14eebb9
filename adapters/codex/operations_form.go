package codex

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/loosejson"
)

// field is one field of an elicitation's form. A person decides only whether to
// accept; the fields are filled from that.
type field struct {
	key      string
	schema   loosejson.Value
	required bool
}

// formFields are the fields of the form, by name.
func formFields(p loosejson.Value) ([]field, error) {
	schema := p.Get("requestedSchema")
	if schema.There() && !schema.IsObject() {
		return nil, errors.New("its form can't be read")
	}
	required := schema.Get("required").Texts()
	var out []field
	for _, key := range schema.Get("properties").Names() {
		out = append(out, field{key, schema.Get("properties", key), slices.Contains(required, key)})
	}
	for _, key := range required {
		if !schema.Get("properties", key).There() {
			return nil, fmt.Errorf("its form needs %q and doesn't describe it", key)
		}
	}
	return out, nil
}

// choice is a value of a field with a list of them.
type choice struct{ value, title string }

// choices are the values of an enum, with the names that a legacy one has beside
// it, or of a oneOf (MCP 2025-11-25).
func (f field) choices() []choice {
	var out []choice
	names := f.schema.Get("enumNames").List()
	for i, v := range f.schema.Get("enum").List() {
		if !v.IsText() {
			continue
		}
		c := choice{value: v.Text()}
		if i < len(names) {
			c.title = names[i].Text()
		}
		out = append(out, c)
	}
	for _, v := range f.schema.Get("oneOf").List() {
		if v.Get("const").IsText() {
			out = append(out, choice{v.Get("const").Text(), v.Get("title").Text()})
		}
	}
	return out
}

func (f field) isBool() bool { return f.schema.Get("type").Text() == "boolean" }

// persistence reads a text as a lasting choice: session is looked for first.
func persistence(text string) broker.Decision {
	text = strings.ToLower(text)
	if strings.Contains(text, "session") {
		return broker.AcceptForSession
	}
	for _, word := range []string{"always", "permanent", "forever", "persistent"} {
		if strings.Contains(text, word) {
			return broker.AcceptAlways
		}
	}
	return ""
}

func (c choice) persistence() broker.Decision {
	if d := persistence(c.value); d != "" {
		return d
	}
	return persistence(c.title)
}

// persistent is what a field as a whole is about.
func (f field) persistent() broker.Decision {
	if f.key == "persist" {
		return broker.AcceptAlways
	}
	for _, text := range []string{f.key, f.schema.Get("title").Text(), f.schema.Get("description").Text()} {
		if d := persistence(text); d != "" {
			return d
		}
	}
	return ""
}

// fill is the field's value under a decision, nil to leave it out, or why it
// can't be filled. A choice that lasts longer than the decision says is never
// taken, not even as a default.
func (f field) fill(d broker.Decision) (any, error) {
	if f.isBool() && f.persistent() != "" {
		return f.persistent() == d, nil
	}
	if c, ok := f.pick(d); ok {
		return c.value, nil
	}
	byDefault := f.schema.Get("default")
	for _, text := range append(byDefault.Texts(), byDefault.Text()) {
		if p := f.chosen(text).persistence(); p != "" && p != d {
			return nil, fmt.Errorf("%q has only lasting choices", f.key)
		}
	}
	switch {
	case byDefault.There() && byDefault.String() != `""`:
		return byDefault.Raw(), nil
	case f.required:
		return nil, fmt.Errorf("%q needs an answer that a decision doesn't give", f.key)
	}
	return nil, nil
}

// chosen is the choice of a value.
func (f field) chosen(value string) choice {
	for _, c := range f.choices() {
		if c.value == value {
			return c
		}
	}
	return choice{value: value}
}

// pick takes the choice that says what the decision says: the lasting one; else
// one that accepts and doesn't last; else, of choices about lasting, the one
// that says no to it.
func (f field) pick(d broker.Decision) (choice, bool) {
	list := f.choices()
	lasting := f.key == "persist"
	for _, c := range list {
		if p := c.persistence(); p != "" && p == d {
			return c, true
		}
		lasting = lasting || c.persistence() != ""
	}
	for _, c := range list {
		if c.persistence() == "" && c.accepts() {
			return c, true
		}
	}
	for _, c := range list {
		if lasting && c.persistence() == "" && c.says("never", "none", "no", "off", "false") {
			return c, true
		}
	}
	return choice{}, false
}

// accepts reports whether a choice reads as a yes.
func (c choice) accepts() bool {
	text := strings.ToLower(c.value + " " + c.title)
	has := func(word string) bool { return strings.Contains(text, word) }
	return slices.ContainsFunc([]string{"once", "accept", "approve", "allow"}, has) &&
		!slices.ContainsFunc([]string{"deny", "reject", "decline", "disallow", "cancel", "n't"}, has) &&
		!c.says("not", "no", "never")
}

// says reports whether a choice has one of the words, whole.
func (c choice) says(words ...string) bool {
	for _, text := range []string{c.value, c.title} {
		for _, word := range strings.FieldsFunc(strings.ToLower(text), notInWord) {
			if slices.Contains(words, word) {
				return true
			}
		}
	}
	return false
}

func notInWord(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') }

func blank(text string) bool { return strings.TrimSpace(text) == "" }

package opencode

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Limits of what is read at all, so that no input makes the service slow.
const (
	MaxRules   = 20_000
	MaxPattern = 8 << 10   // bytes
	MaxText    = 256 << 10 // bytes
	MaxTexts   = 1_000
)

// CheckRules refuses rules that OpenCode would refuse, and what is oversized.
func CheckRules(rules []lastmatch.Rule) error {
	if len(rules) > MaxRules {
		return fmt.Errorf("%d rules are more than %d", len(rules), MaxRules)
	}
	for i, r := range rules {
		switch {
		case r.Effect != evaluator.Allow && r.Effect != evaluator.Ask && r.Effect != evaluator.Deny:
			return fmt.Errorf("/%d: OpenCode has no effect %q: use allow, ask, deny", i, r.Effect)
		case len(r.Action) > MaxPattern || len(r.Resource) > MaxPattern:
			return fmt.Errorf("/%d: a pattern is longer than %d bytes", i, MaxPattern)
		}
	}
	return nil
}

// NewRequest makes a request of a native one. It refuses one without an action
// or texts, a text that is null, and what is oversized.
func NewRequest(action string, texts []*string) (Request, error) {
	switch {
	case action == "":
		return Request{}, errors.New("the action of a request can't be empty")
	case len(texts) == 0:
		return Request{}, errors.New("a request without resources can't be asked about: the provider allows it whatever the rules say")
	case len(texts) > MaxTexts:
		return Request{}, fmt.Errorf("%d resources are more than %d", len(texts), MaxTexts)
	case len(action) > MaxPattern:
		return Request{}, fmt.Errorf("the action is longer than %d bytes", MaxPattern)
	}
	q := Request{Action: action}
	for i, t := range texts {
		if t == nil {
			return Request{}, fmt.Errorf("/resources/%d: null isn't a text", i)
		}
		if len(*t) > MaxText {
			return Request{}, fmt.Errorf("/resources/%d: longer than %d bytes", i, MaxText)
		}
		q.Resources = append(q.Resources, Resource{Text: *t})
	}
	return q, nil
}

// Object writes a JSON object of texts and lists of texts, in the given order.
// pairs are names, each followed by its value.
func Object(pairs ...any) jsontext.Value {
	out := []byte{'{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			out = append(out, ',')
		}
		for j, v := range pairs[i : i+2] {
			if j == 1 {
				out = append(out, ':')
			}
			b, err := strictjson.Encode(v)
			if err != nil { // only text that isn't UTF-8; it never gets here from an edge
				b = []byte(`"\ufffd"`)
			}
			out = append(out, b...)
		}
	}
	return append(out, '}')
}

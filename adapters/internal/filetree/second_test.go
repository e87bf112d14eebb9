package filetree_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/modegate/modegate/policies"
)

// second compares a tree with what another reader makes of the text. Numbers and
// dates are only texts in a tree, so that they aren't compared.
func second(t *testing.T, n *policies.Node, text []byte, format uint8) {
	t.Helper()
	var want any
	switch format {
	case 0:
		if json.Unmarshal(trim(text), &want) != nil {
			return // encoding/json is stricter about depth, and looser elsewhere
		}
	case 2:
		var all map[string]any
		if toml.Unmarshal(trim(text), &all) != nil {
			t.Fatalf("%q is read, and the TOML reader refuses it", text)
		}
		want = all
	default:
		return
	}
	if got, want := plain(n), scalars(want); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is read as\n%v\nwant\n%v", text, got, want)
	}
}

func trim(text []byte) []byte {
	if len(text) >= 3 && string(text[:3]) == "\ufeff" {
		return text[3:]
	}
	return text
}

// plain is a tree as Go values; what isn't a text, a list or an object is "*".
func plain(n *policies.Node) any {
	switch n.Kind {
	case policies.Mapping:
		out := map[string]any{}
		for _, f := range n.Fields {
			out[f.Name] = plain(f.Value)
		}
		return out
	case policies.Sequence:
		out := []any{}
		for _, item := range n.Items {
			out = append(out, plain(item))
		}
		return out
	}
	if n.Quoted {
		return "text " + n.Text
	}
	return "*"
}

func scalars(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			out[name] = scalars(value)
		}
		return out
	case []any:
		out := []any{}
		for _, value := range v {
			out = append(out, scalars(value))
		}
		return out
	case string:
		return fmt.Sprint("text ", v)
	}
	return "*"
}

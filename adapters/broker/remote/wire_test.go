package remote

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
)

// TestWire holds the types against the service's own description: a field that is
// in one alone would be refused, or never come.
func TestWire(t *testing.T) {
	data, err := os.ReadFile("../../../server/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for schema, v := range map[string]any{
		"Session": sessionAnswer{}, "Turn": turnAnswer{}, "OpenedRequest": requestAnswer{}, "Event": event{},
		"RuleSet": compiler.RuleSet{}, "Problem": problem{},
	} {
		var want []string
		for name := range doc.Components.Schemas[schema].Properties {
			want = append(want, name)
		}
		var got []string
		for i := range reflect.TypeOf(v).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
			got = append(got, name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", schema, d)
		}
	}
}

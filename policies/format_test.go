package policies_test

import (
	"encoding/json"
	"testing"

	"github.com/modegate/modegate/policies"
)

func TestFormatYAML(t *testing.T) {
	got, err := policies.FormatYAML([]byte(`{"b":[{"x":"*","y":"a: b"}],"a":{"on":"yes","t":"12:30","n":null,"f":true,"l":[],"m":{},"s":""}}`))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "YAML", string(got), `b:
    - x: '*'
      "y": 'a: b'
a:
    "on": "yes"
    t: "12:30"
    "n": null
    f: true
    l: []
    m: {}
    s: ""
`)
	if _, err := policies.FormatYAML([]byte("{")); err == nil {
		t.Error("half a JSON text is YAML")
	}
}

// What is written reads as the same texts, by the strictest reader there is.
func TestFormatYAMLReadsBack(t *testing.T) {
	for _, text := range []string{"012", "yes", "n", "12:30", "2026-11-30", "~", "<<", "=", "null", "1_000", ".inf", "a: b", "#x", "- x", "*", "&a", "!t", "@x", "%x", "日本", " x ", "x\ny", "x\ty", `"`, `'`, `\`} {
		in, err := json.Marshal(map[string]any{"apiVersion": policies.APIVersion, "name": "a", "providers": map[string]any{"codex": map[string]any{"x": text}}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := policies.FormatYAML(in)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		p, err := policies.Parse(policies.File{Name: "a.yaml", Data: out})
		if err != nil {
			t.Errorf("%q: %v\n%s", text, err, out)
			continue
		}
		if got := p.Profiles["codex"].Get("x").Text; got != text {
			t.Errorf("%q reads back as %q", text, got)
		}
	}
}

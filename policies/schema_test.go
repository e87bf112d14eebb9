package policies_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// schemaBlind are the bad files whose fault a schema can't express, and why.
var schemaBlind = map[string]string{
	"acknowledge-twice":            "uniqueness by one key",
	"acknowledge-invariant-twice":  "uniqueness by one key",
	"extends-a-file":               "it depends on where the policy is read from",
	"match-command-wide-space":     "depends on what a schema's \\s knows",
	"odd-equals":                   "a text for most readers",
	"odd-n":                        "a text for YAML 1.2",
	"odd-no":                       "a text for YAML 1.2",
	"odd-off":                      "a text for YAML 1.2",
	"odd-on":                       "a text for YAML 1.2",
	"odd-sexagesimal":              "a text for YAML 1.2",
	"odd-y":                        "a text for YAML 1.2",
	"odd-yes":                      "a text for YAML 1.2",
	"label-with-escape":            "a label is any text for the schema",
	"label-with-line-end":          "a label is any text for the schema",
	"rule-id-taken":                "made ids are made after merging",
	"rule-id-twice":                "uniqueness by one key",
	"text-bidi-override":           "in a comment",
	"text-bom":                     "gone after decoding",
	"text-carriage-return":         "a line end for some readers, gone after decoding",
	"text-line-separator":          "a line end for some readers, gone after decoding",
	"text-next-line":               "a line end for some readers, gone after decoding",
	"text-zero-width":              "a label is any text for the schema",
	"text-directive":               "gone after decoding",
	"text-utf16":                   "gone after decoding: the schema misses what is missing in the file",
	"text-utf16-without-mark":      "doesn't decode",
	"text-control-character":       "doesn't decode",
	"text-not-utf8":                "doesn't decode",
	"text-nul":                     "doesn't decode",
	"top-no-name":                  "a later file of a folder may do without",
	"yaml-star":                    "doesn't decode",
	"yaml-anchor":                  "gone after decoding",
	"yaml-at-sign":                 "doesn't decode",
	"yaml-bad-indent":              "doesn't decode",
	"yaml-broken-after-lists":      "doesn't decode",
	"yaml-key-is-a-list":           "doesn't decode",
	"yaml-lone-tag":                "gone after decoding",
	"yaml-merge-key":               "gone after decoding",
	"yaml-open-bracket":            "doesn't decode",
	"yaml-open-quote":              "doesn't decode",
	"yaml-own-tag":                 "gone after decoding",
	"yaml-repeated-key":            "doesn't decode",
	"yaml-repeated-key-escaped":    "doesn't decode",
	"yaml-repeated-key-in-profile": "doesn't decode",
	"yaml-second-document":         "only the first document is decoded",
	"yaml-second-document-broken":  "only the first document is decoded",
	"yaml-tab-indent":              "doesn't decode",
	"yaml-tag":                     "gone after decoding",
	"yaml-tag-on-list":             "gone after decoding",
	"yaml-tag-on-mapping":          "gone after decoding",
	"yaml-two-values":              "doesn't decode",
}

func compileSchema(t testing.TB, text []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate reads a file as an editor does, and asks the schema about it.
func validate(s *jsonschema.Schema, data []byte) (decoded bool, err error) {
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		return false, err
	}
	return true, s.Validate(plain(v))
}

// plain makes of a decoded YAML value one that JSON has too.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
		return v
	case map[any]any:
		out := map[string]any{}
		for k := range v {
			out[fmt.Sprint(k)] = plain(v[k])
		}
		return out
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
		return v
	case time.Time:
		return nil // JSON has no dates; it isn't a text in any case
	}
	return v
}

func TestSchemaAcceptsGoodFiles(t *testing.T) {
	s := compileSchema(t, policies.Schema())
	files := testFiles(t, "good")
	for _, name := range policies.BuiltinNames() {
		f, err := policies.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	for _, f := range files {
		if _, err := validate(s, f.Data); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func TestSchemaRefusesBadFiles(t *testing.T) {
	s := compileSchema(t, policies.Schema())
	seen := map[string]bool{}
	for _, f := range testFiles(t, "bad") {
		name := strings.TrimSuffix(f.Name, ".yaml")
		seen[name] = true
		decoded, err := validate(s, f.Data)
		reason, blind := schemaBlind[name]
		switch {
		case !decoded && !blind:
			t.Errorf("%s doesn't decode: %v", name, err)
		case !blind && err == nil:
			t.Errorf("the schema accepts %s", name)
		case blind && decoded && err != nil && name != "text-utf16":
			t.Errorf("the schema sees %s after all (%q): %v", name, reason, err)
		}
	}
	for name := range schemaBlind {
		if !seen[name] {
			t.Errorf("there is no bad file %s", name)
		}
	}
}

// The schema repeats the words of the language: they mustn't drift apart.
func TestSchemaWords(t *testing.T) {
	var schema struct {
		Properties struct {
			Extends struct {
				AnyOf []struct{ Enum []string } `yaml:"anyOf"`
			}
			APIVersion struct{ Const string } `yaml:"apiVersion"`
			Providers  struct{ Properties map[string]any }
		}
		Definitions map[string]struct{ Enum []string }
	}
	if err := yaml.Unmarshal(policies.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", what, d)
		}
	}
	check("apiVersion", schema.Properties.APIVersion.Const, policies.APIVersion)
	check("modes", schema.Definitions["mode"].Enum, words(evaluator.Modes()))
	check("interactions", schema.Definitions["interaction"].Enum, words(evaluator.Interactions()))
	check("providers", schema.Definitions["provider"].Enum, words(evaluator.Providers()))
	check("kinds", schema.Definitions["kind"].Enum, words(evaluator.RuleKinds()))
	check("profiles", len(schema.Properties.Providers.Properties), len(evaluator.Providers()))
	var builtins []string
	for _, name := range policies.BuiltinNames() {
		builtins = append(builtins, "builtin/"+name)
	}
	check("built-in policies", schema.Properties.Extends.AnyOf[0].Enum, builtins)
}

func words[T ~string](known []T) []string {
	var out []string
	for _, k := range known {
		out = append(out, string(k))
	}
	return out
}

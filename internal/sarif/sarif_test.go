package sarif_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modegate/modegate/internal/sarif"
	"github.com/modegate/modegate/internal/sarif/sariftest"
)

func validate(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc)
}

func TestEncode(t *testing.T) {
	schema := sariftest.Schema(t)
	tool := sarif.Tool{Name: "modegate", InformationURI: "https://github.com/modegate/modegate", Rules: []sarif.Rule{{
		ID: "dead-rule", Short: sarif.Text{Text: "short"}, Full: sarif.Text{Text: "full"}, Help: sarif.Text{Text: "help"},
		Defaults: sarif.Config{Level: sarif.Warning},
	}}}
	for name, run := range map[string]sarif.Run{
		"nothing found": {Tool: tool},
		"findings": {Tool: tool, Results: []sarif.Result{
			{RuleID: "dead-rule", Level: sarif.Error, Message: sarif.Text{Text: "a"}, Locations: []sarif.Location{{File: "a b/é:1.yaml", Line: 3, Column: 5, Snippet: "  x"}}},
			{RuleID: "dead-rule", Level: sarif.Note, Message: sarif.Text{Text: "b"}, Locations: []sarif.Location{{File: "/abs/%41.yaml"}},
				Related:      []sarif.Location{{File: "a.yaml", Line: 1, Message: "here"}},
				Properties:   map[string]any{"cells": []string{"codex/auto/plan"}},
				Fingerprints: map[string]string{"id/v1": "a/b"},
				Suppressions: []sarif.Suppression{{Kind: sarif.InSource, Status: sarif.Accepted, Justification: "because"}}},
		}},
	} {
		data, err := run.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema, data); err != nil {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
}

// TestSchemaRefuses shows that the check can fail.
func TestSchemaRefuses(t *testing.T) {
	schema := sariftest.Schema(t)
	data, err := sarif.Run{Tool: sarif.Tool{Name: "x"}, Results: []sarif.Result{{RuleID: "r", Level: sarif.Note, Message: sarif.Text{Text: "m"}}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for old, broken := range map[string]string{`"note"`: `"fatal"`, `"2.1.0"`: `"2.2"`, `"ruleIndex": 0`: `"ruleIndex": "0"`, `"ruleId"`: `"rule"`} {
		text := strings.Replace(string(data), old, broken, 1)
		if text == string(data) {
			t.Fatalf("%s isn't in\n%s", old, data)
		}
		if validate(t, schema, []byte(text)) == nil {
			t.Errorf("%s passes for %s", broken, old)
		}
	}
}

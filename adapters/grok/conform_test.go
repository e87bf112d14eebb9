package grok_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/compiler"
)

// rows reads the rows of a case file.
func rows(t testing.TB, file string) (version string, out []json.RawMessage) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Version string            `json:"version"`
		Cases   []json.RawMessage `json:"cases"`
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f.Version, f.Cases
}

// TestCorpus agrees with the real Grok on every recorded call.
func TestCorpus(t *testing.T) {
	for _, file := range []string{"cases.json", "matrix.json", "commands.json", "settings.json", "paths.json"} {
		version, cases := rows(t, "../../testdata/grok/"+file)
		if len(cases) == 0 {
			t.Fatalf("%s: no cases", file)
		}
		for _, row := range cases {
			j, err := grok.New().Conform(jsontext.Value(row), compiler.CaseFile{Version: version})
			if err != nil {
				t.Fatal(err)
			}
			if !j.Passed {
				t.Errorf("%s: we say %s, Grok did %s (unsafe: %v)", j.Case, j.Got, j.Want, j.Unsafe)
			}
		}
		t.Logf("%s: %d cases", file, len(cases))
	}
}

// TestHidden never says that a rule denies a command which it doesn't see. The other
// way round we see less than Grok does: of so many of the recorded texts at most.
func TestHidden(t *testing.T) {
	const most = 441
	version, cases := rows(t, "../../testdata/grok/hidden.json")
	failed := 0
	for _, row := range cases {
		j, err := grok.New().Conform(jsontext.Value(row), compiler.CaseFile{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		if j.Unsafe || j.Got == "deny" && j.Want != "deny" {
			t.Errorf("%s: we say %s, Grok did %s", j.Case, j.Got, j.Want)
		}
		if !j.Passed {
			failed++
		}
	}
	if failed > most || len(cases) == 0 {
		t.Errorf("%d of %d failed, more than %d", failed, len(cases), most)
	}
}

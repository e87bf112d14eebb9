package claude

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
)

// TestConform compares the dialect with recorded calls of the real agent. A call
// that wasn't made on the older version counts as one that it answers alike;
// those in which it is known not to are among its failures.
func TestConform(t *testing.T) {
	conform(t, "cases.json", map[string]int{V332: 0, V197: 1})
}

// TestConformFurther does the same with the calls that were made to see where
// mechanisms end.
func TestConformFurther(t *testing.T) {
	conform(t, "measured.json", map[string]int{V332: 19, V197: 35})
}

// TestConformRunners does the same with the calls that hide a command from the
// rules that speak of it. What is said of none is more than is so: among the
// failures are only texts that rules see further into than we say, and texts of
// which nothing is said.
func TestConformRunners(t *testing.T) {
	conform(t, "runners.json", map[string]int{V332: 164, V197: 141})
}

// TestConformRemovals does the same with the removals that nobody may pass unasked,
// in every form in which they were looked for. The failures are texts for which
// Claude asks and we say that they run.
func TestConformRemovals(t *testing.T) {
	conform(t, "removals.json", map[string]int{V332: 40, V197: 29})
}

// conform judges every call of a file; most says how many may fail.
func conform(t *testing.T, name string, most map[string]int) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/claude/" + name)
	if err != nil {
		t.Fatal(err)
	}
	header := map[string]jsontext.Value{}
	if err := json.Unmarshal(data, &header); err != nil {
		t.Fatal(err)
	}
	var cases []jsontext.Value
	if err := json.Unmarshal(header["cases"], &cases); err != nil {
		t.Fatal(err)
	}
	for version, most := range most {
		judged, failed, unsafe, skipped := 0, 0, 0, 0
		for _, row := range cases {
			j, err := dialect{}.Conform(row, compiler.CaseFile{Version: version, Header: header})
			switch {
			case err != nil:
				t.Fatalf("%s: %v", row, err)
			case j.Skipped != "":
				skipped++
			case !j.Passed:
				failed++
				if j.Unsafe {
					unsafe++
				}
				t.Logf("%s %s: said %s, the agent %s, unsafe %v", version, j.Case, j.Got, j.Want, j.Unsafe)
			}
			judged++
		}
		t.Logf("%s: %d judged, %d failed, %d unsafe, %d skipped", version, judged, failed, unsafe, skipped)
		if failed > most || skipped > 0 || unsafe > 0 {
			t.Errorf("%s: %d of %d failed (%d unsafe), %d skipped", version, failed, judged, unsafe, skipped)
		}
	}
}

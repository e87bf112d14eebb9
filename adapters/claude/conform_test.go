package claude

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
)

// TestConform compares the dialect with recorded calls of the real agent. The
// older version's few differences that aren't modelled are counted, not hidden.
func TestConform(t *testing.T) {
	data, err := os.ReadFile("../../testdata/claude/cases.json")
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
	for version, most := range map[string]int{V332: 0, V197: 3} {
		judged, failed, unsafe, skipped := 0, 0, 0, 0
		for _, row := range cases {
			j, err := dialect{}.Conform(row, compiler.CaseFile{Version: version, Header: header})
			switch {
			case err != nil:
				t.Fatalf("%s: %v", row, err)
			case strings.HasPrefix(j.Skipped, "the call wasn't made"):
				continue
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
		if failed > most || skipped > 0 || version == V332 && unsafe > 0 {
			t.Errorf("%s: %d of %d failed (%d unsafe), %d skipped", version, failed, judged, unsafe, skipped)
		}
	}
}

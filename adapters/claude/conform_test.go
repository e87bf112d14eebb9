package claude

import (
	"encoding/json"
	"os"
	"testing"
)

// TestConform compares the dialect with recorded calls of the real agent.
func TestConform(t *testing.T) {
	data, err := os.ReadFile("../../testdata/claude/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		CaseFile
		Cases []json.RawMessage `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, version := range New().Versions() {
		total, failed, unsafe, skipped := 0, 0, 0, 0
		for _, row := range file.Cases {
			var c struct {
				ID      string `json:"id"`
				Outcome string `json:"outcome"`
				Old     string `json:"outcome_2_1_197"`
			}
			if err := json.Unmarshal(row, &c); err != nil {
				t.Fatal(err)
			}
			want := c.Outcome
			if version == V197 {
				want = c.Old
			}
			if want == "" {
				continue
			}
			total++
			got, skip, err := file.Conform(row, version)
			switch {
			case err != nil:
				t.Errorf("%s: %v", c.ID, err)
				failed++
			case skip != "":
				t.Logf("%s: skipped: %s", c.ID, skip)
				skipped++
			case got != want:
				failed++
				mark := ""
				if want == "allow" && got != "allow" && got != "unknown" {
					mark = " UNSAFE"
					unsafe++
				}
				t.Logf("%s %s: said %s, the agent %s%s", version, c.ID, got, want, mark)
			}
		}
		t.Logf("%s: %d cases, %d failed, %d unsafe, %d skipped", version, total, failed, unsafe, skipped)
		if version == V332 && (unsafe > 0 || failed*100 > total || skipped*100 > 3*total) {
			t.Errorf("%s: %d of %d cases failed, %d unsafe, %d skipped", version, failed, total, unsafe, skipped)
		}
	}
}

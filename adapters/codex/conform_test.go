package codex

import (
	"encoding/json"
	"hash/fnv"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
)

// TestConform compares our answers with 918 rows of the real 0.171.0. The rows are
// split in two by a hash of their ids: the evaluator was written against the first
// half, and then tried on the second, where it had no row wrong.
func TestConform(t *testing.T) {
	data, err := os.ReadFile("../../testdata/codex/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []jsontext.Value `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	judge, ok := New().(compiler.Conformer)
	if !ok {
		t.Fatal("the dialect judges no rows")
	}
	var passed, failed [2]int
	for i, row := range file.Cases {
		j, err := judge.Conform(row, compiler.CaseFile{Version: Version})
		if err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
		var c Case
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatal(err)
		}
		h := fnv.New32a()
		h.Write([]byte(c.ID))
		half := int(h.Sum32()>>7) % 2
		if j.Passed {
			passed[half]++
			continue
		}
		failed[half]++
		t.Errorf("%s\n  we say %s, codex did %s (unsafe %v) %s", j.Case, j.Got, j.Want, j.Unsafe, j.Skipped)
	}
	t.Logf("first half %d passed, %d failed; second half %d passed, %d failed", passed[0], failed[0], passed[1], failed[1])
}

// TestConformFails pins that a wrong row fails and says how.
func TestConformFails(t *testing.T) {
	const row = `{"id":"x","approvalPolicy":"never","sandboxPolicy":{"type":"readOnly"},"approvalsReviewer":"user","collaborationMode":"default","rules":null,"action":{"tool":"exec_command","cmd":"rm -rf x"},"outcome":"runs-sandboxed","effects":["seen"]}`
	j, err := New().(compiler.Conformer).Conform(jsontext.Value(row), compiler.CaseFile{})
	if err != nil || j.Passed || !j.Unsafe || j.Got != "rejected" {
		t.Errorf("%+v %v", j, err)
	}
}

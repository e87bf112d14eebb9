package evidence_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/evidence"
)

var (
	update = flag.Bool("update", false, "write EVIDENCE.md anew")
	forget = flag.Bool("forget", false, "take what earlier runs showed out of the evidence file")
)

// TestForget empties the evidence of runs before a run, so that what isn't run
// this time can't pass for it.
func TestForget(t *testing.T) {
	if !*forget {
		t.Skip("only before a run, with -forget")
	}
	if err := evidence.Forget("evidence.json"); err != nil {
		t.Fatal(err)
	}
}

// TestPage holds EVIDENCE.md to the evidence file.
func TestPage(t *testing.T) {
	f, err := evidence.ReadFile("evidence.json")
	if err != nil {
		t.Fatal(err)
	}
	const page = "../../EVIDENCE.md"
	got := f.Page(adapters.Table())
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("EVIDENCE.md isn't what evidence.json gives (-want +got); see -update:\n%s", diff)
	}
}

package lint_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler/lint"
)

var update = flag.Bool("update", false, "write LINTS.md anew")

// TestPage holds LINTS.md to the catalogue.
func TestPage(t *testing.T) {
	const page = "../../LINTS.md"
	if *update {
		if err := os.WriteFile(page, []byte(lint.Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), lint.Page()); d != "" {
		t.Errorf("LINTS.md isn't what the catalogue gives (-want +got); see -update:\n%s", d)
	}
}

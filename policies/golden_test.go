package policies_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

var update = flag.Bool("update", false, "write the .err files of testdata anew")

// testFiles reads the policy files of one folder of testdata.
func testFiles(t testing.TB, folder string) []policies.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in testdata/%s (%v)", folder, err)
	}
	var files []policies.File
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, policies.File{Name: filepath.Base(path), Data: data})
	}
	return files
}

func TestGoodFiles(t *testing.T) {
	for _, f := range testFiles(t, "good") {
		if _, err := policies.Parse(f); err != nil {
			t.Errorf("%s is refused:\n%v", f.Name, err)
		}
	}
}

// Each bad file has one fault, and one problem tells of it.
func TestBadFiles(t *testing.T) {
	files := testFiles(t, "bad")
	if len(files) < 60 {
		t.Errorf("only %d bad files", len(files))
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(f.Name, ".yaml"), func(t *testing.T) {
			p, err := policies.Parse(f)
			var problems diag.List
			if !errors.As(err, &problems) || p != nil {
				t.Fatalf("got policy %v and error %v, want no policy and a diag.List", p, err)
			}
			if len(problems) != 1 {
				t.Errorf("%d problems, want 1", len(problems))
			}
			checkProblems(t, f, problems)
			goldenErr(t, "bad", f.Name, err)
		})
	}
}

// goldenErr compares what is said of a bad file with the .err file beside it.
func goldenErr(t *testing.T, folder, name string, err error) {
	t.Helper()
	golden := filepath.Join("testdata", folder, strings.TrimSuffix(name, ".yaml")+".err")
	got := err.Error() + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("-%s +got\n%s", golden, d)
	}
}

// checkProblems checks what holds for every problem of a file: its place is in
// the file, and it says something.
func checkProblems(t *testing.T, f policies.File, problems diag.List) {
	t.Helper()
	lines := diag.Lines(f.Data)
	for _, p := range problems {
		switch {
		case p.File == "" || p.Message == "":
			t.Errorf("a problem without a file or a message: %+v", p)
		case p.Line < 0 || p.Line > len(lines) || p.Column < 0 || p.Line == 0 && p.Column > 0:
			t.Errorf("a problem outside of the file: %+v", p)
		case p.Line > 0 && p.Column > len([]rune(lines[p.Line-1]))+1:
			t.Errorf("a problem outside of its line: %+v", p)
		case p.Line > 0 && p.Text != lines[p.Line-1]:
			t.Errorf("the text isn't line %d: %+v", p.Line, p)
		}
	}
}

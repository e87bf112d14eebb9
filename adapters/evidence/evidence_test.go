package evidence_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// claims is a dialect that claims one thing.
type claims struct {
	compiler.Dialect
	list []compiler.Claim
}

func (c claims) Claims(string) []compiler.Claim { return c.list }

func entry(key string, cases, disagreements int) evidence.Entry {
	return evidence.Entry{Key: key, Status: evaluator.Verified, By: "x 1", Date: "2026-12-01", Cases: cases, Agreements: cases - disagreements, Disagreements: disagreements}
}

func TestProofs(t *testing.T) {
	d := claims{list: []compiler.Claim{{Claim: "decisions", Key: "x/1/decisions", Status: evaluator.Documented, By: "a page"}}}
	older := entry("x/1/decisions/fresh", 5, 0)
	older.Date = "2026-11-01"
	for _, c := range []struct {
		name    string
		entries []evidence.Entry
		status  evaluator.Status
		date    string
	}{
		{"no evidence", nil, evaluator.Unverified, ""},
		{"evidence of something else", []evidence.Entry{entry("x/1/decisionsmore", 5, 0)}, evaluator.Documented, ""},
		{"shown", []evidence.Entry{entry("x/1/decisions", 5, 0)}, evaluator.Verified, "2026-12-01"},
		{"parts, the oldest counts", []evidence.Entry{entry("x/1/decisions/recorded", 5, 0), older}, evaluator.Verified, "2026-11-01"},
		{"one part disagrees", []evidence.Entry{entry("x/1/decisions", 5, 0), entry("x/1/decisions/fresh", 5, 1)}, evaluator.Unverified, ""},
		{"nothing was asked", []evidence.Entry{entry("x/1/decisions", 0, 0)}, evaluator.Unverified, ""},
	} {
		p := evidence.File{Entries: c.entries}.Proofs(d, "1")[0]
		if p.Status != c.status || p.Date != c.date {
			t.Errorf("%s: %+v, want %s of %q", c.name, p, c.status, c.date)
		}
	}
}

func TestPutDropForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.json")
	wire := entry("w", 1, 0)
	wire.Status = evaluator.Recorded
	for _, err := range []error{
		evidence.Put(path, entry("b", 1, 0)), evidence.Put(path, entry("a", 1, 0)), evidence.Put(path, entry("b", 2, 0)), evidence.Put(path, wire),
		evidence.Drop(path, "a"), evidence.Drop(path, "none"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := keys(t, path); !slices.Equal(got, []string{"b", "w"}) {
		t.Errorf("left: %v", got)
	}
	if err := evidence.Forget(path); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, path); !slices.Equal(got, []string{"w"}) {
		t.Errorf("a run's entries are forgotten, recordings stay: %v", got)
	}
}

// TestPageSaysNotRun pins that a claim without a run never reads as a pass.
func TestPageSaysNotRun(t *testing.T) {
	page := evidence.File{Entries: []evidence.Entry{entry("claude/2.1.332/decisions/fresh", 60, 1)}}.Page(adapters.Table())
	for _, want := range []string{
		"| claude | 2.1.332 | decisions | fresh | x 1 |  | 2026-12-01 | 60 | 59 | 1 | unverified |",
		"| claude | 2.1.197 | decisions | | | | | | | | not run",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "| verified |") {
		t.Error("something reads verified")
	}
}

func keys(t *testing.T, path string) []string {
	t.Helper()
	f, err := evidence.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range f.Entries {
		out = append(out, e.Key)
	}
	return out
}

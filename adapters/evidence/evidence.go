// Package evidence owns what has been shown on the real providers: a file that
// the live runs write, and the proofs that are read from it. Without an entry a
// claim is unverified, whatever anybody believes.
package evidence

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

//go:embed evidence.json
var embedded []byte

// What a run may show of one claim, apart: each has an entry of its own, whose
// key is the claim's, a slash and this word.
const (
	Recorded = "recorded" // a sample of recorded cases, taken again
	Fresh    = "fresh"    // random cases that nobody recorded
)

// Entry is what one run showed for one claim, or for a part of it.
type Entry struct {
	Key           string           `json:"key"`
	Status        evaluator.Status `json:"status"` // verified for a run, recorded for a recording
	By            string           `json:"by"`     // provider and version
	Binary        string           `json:"binary,omitempty"`
	Date          string           `json:"date"`
	Cases         int              `json:"cases"`
	Agreements    int              `json:"agreements"`
	Disagreements int              `json:"disagreements"`
}

// File is every entry, ordered by key.
type File struct {
	Entries []Entry `json:"entries"`
}

// Embedded returns the evidence that this build was made with.
func Embedded() (File, error) { return Parse(embedded) }

// Parse reads an evidence file. An empty file has no entries.
func Parse(data []byte) (File, error) {
	var f File
	if len(strings.TrimSpace(string(data))) == 0 {
		return f, nil
	}
	if err := strictjson.Decode(data, &f); err != nil {
		return File{}, fmt.Errorf("evidence: %w", err)
	}
	return f, nil
}

// Proofs says what is proven of a dialect's claims. Where a run disagreed, its
// claim is unverified; where there is no evidence at all, every claim is.
func (f File) Proofs(d compiler.Dialect, version string) []evaluator.Proof {
	out := []evaluator.Proof{}
	for _, c := range d.Claims(version) {
		p := evaluator.Proof{Claim: c.Claim, Status: c.Status, By: c.By, Date: c.Date}
		if shown := f.Of(c.Key); len(shown) > 0 {
			p = together(c.Claim, shown)
		}
		if len(f.Entries) == 0 || p.Status == "" || p.Status == evaluator.Unverified {
			p = evaluator.Proof{Claim: c.Claim, Status: evaluator.Unverified}
		}
		out = append(out, p)
	}
	return out
}

// together is what several entries prove of one claim: nothing when one of them
// disagrees or is empty, else what the oldest says.
func together(claim string, shown []Entry) evaluator.Proof {
	p := evaluator.Proof{Claim: claim, Status: shown[0].Status, By: shown[0].By, Date: shown[0].Date}
	for _, e := range shown {
		if e.Date < p.Date {
			p.Date, p.By = e.Date, e.By
		}
		if e.Status != evaluator.Verified {
			p.Status = e.Status
		}
	}
	for _, e := range shown {
		if e.Disagreements > 0 || e.Cases == 0 {
			p.Status = evaluator.Unverified
		}
	}
	return p
}

// Of lists the entries of a claim's key: its own, and those of its parts.
func (f File) Of(key string) []Entry {
	var out []Entry
	for _, e := range f.Entries {
		if key != "" && (e.Key == key || strings.HasPrefix(e.Key, key+"/")) {
			out = append(out, e)
		}
	}
	return out
}

// Put stores an entry in a file on disk, in place of the one with its key.
// Runs that write at the same time must not share a file.
func Put(path string, e Entry) error {
	return change(path, func(f *File) {
		f.drop(func(old Entry) bool { return old.Key == e.Key })
		f.Entries = append(f.Entries, e)
	})
}

// Drop takes an entry out of a file on disk.
func Drop(path, key string) error {
	return change(path, func(f *File) { f.drop(func(old Entry) bool { return old.Key == key }) })
}

// Forget takes out of a file on disk whatever a run showed: what isn't shown
// again then reads as not run.
func Forget(path string) error {
	return change(path, func(f *File) { f.drop(func(old Entry) bool { return old.Status == evaluator.Verified }) })
}

func (f *File) drop(which func(Entry) bool) { f.Entries = slices.DeleteFunc(f.Entries, which) }

// ReadFile reads an evidence file on disk; one that isn't there has no entries.
func ReadFile(path string) (File, error) {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return File{}, err
	}
	return Parse(data)
}

func change(path string, edit func(*File)) error {
	f, err := ReadFile(path)
	if err != nil {
		return err
	}
	edit(&f)
	slices.SortFunc(f.Entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	out, err := strictjson.Indent(f)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(out, '\n'), 0o644)
}

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

// Entry is what one run showed for one claim.
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
		if e, ok := f.find(c.Key); ok {
			p = evaluator.Proof{Claim: c.Claim, Status: e.Status, By: e.By, Date: e.Date}
			if e.Disagreements > 0 || e.Cases == 0 {
				p.Status = evaluator.Unverified
			}
		}
		if len(f.Entries) == 0 || p.Status == "" || p.Status == evaluator.Unverified {
			p = evaluator.Proof{Claim: c.Claim, Status: evaluator.Unverified}
		}
		out = append(out, p)
	}
	return out
}

func (f File) find(key string) (Entry, bool) {
	i := slices.IndexFunc(f.Entries, func(e Entry) bool { return e.Key == key && key != "" })
	if i < 0 {
		return Entry{}, false
	}
	return f.Entries[i], true
}

// Put stores an entry in a file on disk, in place of the one with its key.
// Runs that write at the same time must not share a file.
func Put(path string, e Entry) error {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := Parse(data)
	if err != nil {
		return err
	}
	f.Entries = slices.DeleteFunc(f.Entries, func(old Entry) bool { return old.Key == e.Key })
	f.Entries = append(f.Entries, e)
	slices.SortFunc(f.Entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	out, err := strictjson.Indent(f)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(out, '\n'), 0o644)
}

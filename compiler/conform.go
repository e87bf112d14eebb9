package compiler

import "github.com/go-json-experiment/json/jsontext"

// Conformer judges recorded answers of the real provider. A dialect with a
// corpus is one.
type Conformer interface {
	// Conform judges one row of a case file. The error is about a row that isn't
	// in the corpus's form.
	Conform(row jsontext.Value, f CaseFile) (Judged, error)
}

// CaseFile is what the rows of a case file share.
type CaseFile struct {
	Version string                    // the provider's version that is judged
	Header  map[string]jsontext.Value // the file's fields beside its cases
}

// Judged is our answer to one row beside the provider's own.
type Judged struct {
	Passed  bool
	Got     string // what we said
	Want    string // what the provider did
	Unsafe  bool   // we said stricter than the provider is
	Skipped string // the mechanism that is missing, "" when the row was judged
	Case    string // the row in short, for people
}

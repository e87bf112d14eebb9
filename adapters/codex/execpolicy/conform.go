package execpolicy

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
)

// Conformer judges answers of `codex execpolicy check`.
type Conformer struct{}

// Refused is the answer of a row whose rules Codex refuses.
const Refused = "refused"

// Conform judges a row: rules files, a command, and the bytes that were answered.
func (Conformer) Conform(raw jsontext.Value, _ compiler.CaseFile) (compiler.Judged, error) {
	var c struct {
		Files   []string `json:"files"` // texts, in load order
		Argv    []string `json:"argv"`
		ByPaths bool     `json:"byPaths"` // --resolve-host-executables
		Dir     string   `json:"dir"`     // where it was run
		Answer  string   `json:"answer"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return compiler.Judged{}, err
	}
	files := make([]File, len(c.Files))
	for i, text := range c.Files {
		files[i] = File{Name: fmt.Sprint(i, ".rules"), Text: text}
	}
	got := Refused
	p, err := Parse(files...)
	var answer []byte
	if err == nil {
		answer, err = p.Check(c.Argv, Where{Dir: c.Dir, ByPaths: c.ByPaths})
	}
	if err == nil {
		got = string(answer)
	}
	return compiler.Judged{Passed: got == c.Answer, Got: got, Want: c.Answer, Case: fmt.Sprintf("%q under %q", c.Argv, c.Files)}, nil
}

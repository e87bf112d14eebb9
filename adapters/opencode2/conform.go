package opencode2

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
)

// Conform judges a row of the native evaluator's corpus, or of the home
// shortcuts in its configuration file.
func (dialect) Conform(row jsontext.Value, f compiler.CaseFile) (compiler.Judged, error) {
	return opencode.Conform(row, f.Version == Measured)
}

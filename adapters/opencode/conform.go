package opencode

import (
	"github.com/go-json-experiment/json/jsontext"

	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
)

// Conform judges a row of the agent loop's corpus.
func (dialect) Conform(row jsontext.Value, _ compiler.CaseFile) (compiler.Judged, error) {
	return oc.Conform(row, false)
}

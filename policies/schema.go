package policies

import (
	_ "embed"
	"slices"
)

//go:embed schema/policy.schema.json
var schema []byte

//go:embed schema/suite.schema.json
var suiteSchema []byte

// Schema returns the JSON Schema (draft-07) of policy files, for editors. It
// knows the words and the patterns of the language, and the known keys of the
// providers' profiles; [Parse] and the dialects refuse more.
func Schema() []byte { return slices.Clone(schema) }

// SuiteSchema returns the JSON Schema (draft-07) of test files, for editors.
func SuiteSchema() []byte { return slices.Clone(suiteSchema) }

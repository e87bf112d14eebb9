package rego

import (
	"bytes"
	_ "embed"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"
)

//go:embed schema/guardrail.schema.json
var guardrailSchema []byte

//go:embed schema/invariant.schema.json
var invariantSchema []byte

// GuardrailSchema returns the JSON Schema (draft-07) of what a guardrail sees.
func GuardrailSchema() []byte { return slices.Clone(guardrailSchema) }

// InvariantSchema returns the JSON Schema (draft-07) of what an invariant sees.
func InvariantSchema() []byte { return slices.Clone(invariantSchema) }

// schemaSet is a schema of the whole input, as OPA's compiler takes it.
func schemaSet(schema []byte) (*ast.SchemaSet, error) {
	var document any
	if err := util.NewJSONDecoder(bytes.NewReader(schema)).Decode(&document); err != nil {
		return nil, err
	}
	out := ast.NewSchemaSet()
	out.Put(ast.SchemaRootRef, document)
	return out, nil
}

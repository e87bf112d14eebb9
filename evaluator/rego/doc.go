// Package rego owns what is written in Rego: guardrails, which tighten what a
// live session may do, and invariants, which must hold over every cell of a
// compiled policy. It is the one place that imports OPA.
//
// Rego is never asked to match native patterns: it sees Verdicts, which were
// computed from native bytes. What a text may do is bounded when it is loaded:
// it reads its input alone, no clock, no network, no environment, no data file. And
// it names what its input has (schema/): a misspelt field is undefined in Rego, so
// that a condition with it would fail for ever, in silence.
package rego

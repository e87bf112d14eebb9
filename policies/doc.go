// Package policies owns the policy language: YAML text in, a [Policy] with the
// place of every value out. It holds the built-in policies and the JSON Schema
// of the format, and it is the one place that imports yaml.v3.
//
// A Policy says what each mode means in words that no provider owns. What a
// provider's profile may say is the provider's dialect's business: here it is a
// tree of nodes ([Node]) that keep their places.
package policies

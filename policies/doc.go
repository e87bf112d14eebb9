// Package policies owns the policy language: YAML text in, a [Policy] with the
// place of every value out, or a [Suite] of tests. It holds the built-in policies,
// their suites and the JSON Schemas of the formats, and it is the one place that
// imports yaml.v3.
//
// A Policy says what each mode means in words that no provider owns. What a
// provider's profile may say is the provider's dialect's business: here it is a
// tree of nodes ([Node]) that keep their places.
//
// # Texts
//
// A file is one YAML document of mappings, lists and texts. The language has no
// numbers, dates or nothings, so a plain scalar that some YAML reader would take
// for one (012, 1_000, 12:30, 2026-01-02, no, ~) is refused: in quotes it is a
// text for everybody. Anchors, aliases, merge keys, tags, directives, repeated
// keys, later documents and invisible characters are refused too: what a
// reviewer sees is what is read.
//
// # Layers
//
// A policy is made of layers: the file that the first file extends (and what
// that one extends), then the files in the order given. Each later layer changes
// what is there:
//
//   - a list of rules: a rule whose id is in the list already replaces that rule
//     in its place; the others come after, in order. So the last layer has the
//     last word, because the last rule that matches decides;
//   - a mode's label, and the policy's name: the last layer that sets it;
//   - a provider's profile: mappings are merged key by key, at any depth; a list
//     or a text replaces what was there;
//   - acknowledgements are added.
//
// Nothing can be taken away: a rule is undone by one with its id.
//
// # Suites
//
// NAME_test.yaml tests the policy NAME.yaml beside it. It is a text of the same
// language. What stands in a native request, in facts and in an expected native rule
// becomes JSON: true and false, texts, lists and mappings; where a provider's own
// form needs a number or null, it is written as JSON, in single quotes.
package policies

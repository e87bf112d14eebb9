// Package diff owns the comparison of two sets of native settings by what they
// mean: Action by Action over the boundaries of both sides' rules, in every cell
// that both have. The text of a policy, the order of its rules and their names
// change nothing here as long as no answer changes.
package diff

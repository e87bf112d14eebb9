// Package lastmatch owns rule lists in which the last rule that matches decides,
// as both generations of OpenCode judge: a fast way that finds the deciding rule
// ([Index]) and a slow way that says of every rule whether it matched ([Walk]).
// A property test keeps the two equal.
package lastmatch

import "github.com/modegate/modegate/evaluator"

// Rule is one rule: two patterns of package wildcard, and what happens.
type Rule struct {
	Action   string
	Resource string
	Effect   evaluator.Effect
}

// Package policylint owns what is wrong with a policy that reads well, in words that
// no provider owns: rules that a later or a stricter one hides, patterns that can't
// match, launchers, names and modes that promise less than they grant.
//
// A rule's fate is found by meaning: samples of everything that it matches are
// judged as the compiler judges them, in every cell that says something else.
package policylint

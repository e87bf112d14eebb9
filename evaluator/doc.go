// Package evaluator owns the words of modegate: providers, modes, Actions,
// effects and Verdicts, and the one entry point, [Evaluate], that turns the
// meaning of native settings and an Action into a Verdict.
//
// It knows no provider's rules. A provider's dialect reads native settings into
// a [Meaning]; everything that is said about a provider comes from there. The
// package imports no other room of the project, so that every room can import it.
package evaluator

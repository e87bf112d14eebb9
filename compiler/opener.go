package compiler

import "github.com/modegate/modegate/evaluator"

// Opener is a Dialect that knows which settings of a user's own may let more happen
// than a policy's settings by themselves.
type Opener interface {
	// Openings lists such settings, each in an Env that is otherwise the given one,
	// which [Dialect.Env] has completed. One whose facts can't be read has none.
	Openings(env evaluator.Env) []Opening
}

// Opening is what a user's own settings may be.
type Opening struct {
	ID   string // such as always-approve
	What string // in words that follow "the policy says ask, and"
	Env  evaluator.Env
}

// Package server owns the HTTP service: who may call it, what is in force, and
// how requests are read and answered. It decodes strictly, makes one call, and
// encodes; what an answer says comes from the compiler and the evaluator.
//
// What is in force is one immutable snapshot (the policy, its 48 compiled cells
// and their encoded RuleSets) behind an atomic pointer. A request takes the
// pointer once, so that no answer mixes two policies. A reload builds a new
// snapshot beside it and swaps; a broken policy changes nothing but the state.
//
// Sessions of agents, and what they ask, are kept at one desk. Every change of
// theirs is planned on copies, written to the store in one transaction, and only
// then in force and seen: an answer is on the disk before an adapter hears of it.
// What may follow on what in a request's life is the broker's (broker.Life).
//
// The package imports Gin, and is the one place that does. It never imports a
// provider: whoever starts it hands it the table of dialects.
package server

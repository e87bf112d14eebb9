package compiler

import (
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Loss is a part of settings files that a policy made of them doesn't say.
type Loss struct {
	evaluator.Source
	Message string
	// Covers reports whether an Action may come to something else because of it;
	// nil when none can.
	Covers func(a evaluator.Action) bool
	Only   evaluator.Interaction // the interaction mode that it is about, "" for each
}

// About reports whether the loss may be why an Action comes to something else in an
// interaction mode.
func (l Loss) About(a evaluator.Action, i evaluator.Interaction) bool {
	return l.Covers != nil && (l.Only == "" || l.Only == i) && l.Covers(a)
}

// Problem is the loss as people read it.
func (l Loss) Problem() diag.Problem {
	return diag.Problem{File: l.File, Line: l.Line, Column: l.Column, Message: l.Message}
}

// Drafter makes a policy of settings files that were read.
type Drafter interface {
	// Rules is how many rules the files have. They are numbered from 0.
	Rules() int
	// Draft says the rules in a policy's words, but for the verbatim ones, and those
	// that no policy has words for: they stand in the provider's profile, for the
	// given modes. A rule's id is [DraftID].
	Draft(verbatim map[int]bool, modes []evaluator.Mode) (policies.Draft, []Loss)
	// Lost lists the rules that the written settings don't say as the files do, or
	// say too much for.
	Lost(w Written) []int
	// Probes lists Actions on which the files and the policy must come to the same.
	Probes() []evaluator.Action
}

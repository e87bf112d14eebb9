package compiler

import (
	"github.com/modegate/modegate/evaluator"
)

// Loss is a part of settings files that a policy made of them doesn't say.
type Loss struct {
	evaluator.Source
	Message string
	// Covers reports whether an Action may come to something else because of it;
	// nil when none can.
	Covers func(a evaluator.Action) bool
}

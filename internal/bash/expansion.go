package bash

import "mvdan.cc/sh/v3/syntax"

// StandsIn reports whether the word behind an expansion's operator may stand in the
// variable's place, as in ${A:-word}. The others cut, replace or change what it holds.
func StandsIn(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
}

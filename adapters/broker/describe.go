package broker

import "github.com/modegate/modegate/evaluator"

// Describer is a Translator that says what a request is about, in the words that
// no provider owns.
type Describer interface {
	// Actions are what a request asks for, all of it. An Action may lack what the
	// request doesn't say, such as a file's name; none means that no Action of
	// ours is like it.
	Actions(Request) []evaluator.Action
}

// ActionsOf are what a request asks for; where there is no word for it, the
// request itself.
func ActionsOf(t Translator, r Request) []evaluator.Action {
	if d, ok := t.(Describer); ok {
		if list := d.Actions(r); len(list) > 0 {
			return list
		}
	}
	return []evaluator.Action{{Kind: evaluator.Native, Request: r.Native}}
}

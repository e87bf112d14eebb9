package cursor

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// Asked are the Actions that Cursor's request to us is about, in the forms that
// the protocol documents; none was recorded.
func (Dialect) Asked(_ evaluator.Action, part jsontext.Value) []evaluator.Action {
	r, err := readRequest(part)
	if err != nil {
		return nil
	}
	switch r.Tool {
	case shellTool:
		return []evaluator.Action{{Kind: evaluator.Command, Command: r.Input.Command}}
	case webFetchTool:
		return []evaluator.Action{{Kind: evaluator.WebFetch, URL: r.Input.URL}}
	case questionTool:
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	return nil
}

// answerable are the kinds of Action about which our callback answers by rules:
// those that a documented request shows.
var answerable = map[evaluator.Kind]bool{evaluator.Command: true, evaluator.WebFetch: true}

// AnyPart is false: everything that is asked about must pass.
func (Dialect) AnyPart() bool { return false }

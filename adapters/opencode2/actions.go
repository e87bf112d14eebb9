package opencode2

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
)

// actionKinds are the Actions that 2's actions are about.
var actionKinds = map[string]evaluator.Kind{
	"shell": evaluator.Command, "read": evaluator.FileRead, "edit": evaluator.FileChange,
	"webfetch": evaluator.WebFetch, "websearch": evaluator.WebSearch, "subagent": evaluator.Subagent,
}

// Actions are what a request asks for. Of a command line it has the commands
// that it was split into, and not the whole.
func (boundary) Actions(r broker.Request) []evaluator.Action {
	if r.Shape == broker.Questioned {
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	q, err := readAsked(r.Native)
	if err != nil {
		return nil
	}
	return opencode.Actions(actionKinds[q.body.Get("action").Text()], r.Resources)
}

// Asked are the Actions that 2's request to us is about. Where a command line can't
// be split as 2 does, the part has no resources, and there are none.
func (dialect) Asked(_ evaluator.Action, part jsontext.Value) []evaluator.Action {
	q, err := decodeRequest(part)
	if err != nil {
		return nil
	}
	if q.Action == "question" {
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	texts := make([]string, len(q.Resources))
	for i, r := range q.Resources {
		texts[i] = r.Text
	}
	return opencode.Actions(actionKinds[q.Action], texts)
}

// AnyPart is false: everything that is asked about must pass.
func (dialect) AnyPart() bool { return false }

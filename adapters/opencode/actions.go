package opencode

import (
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
)

// actionKinds are the Actions that 1.x's permissions are about.
var actionKinds = map[string]evaluator.Kind{
	"bash": evaluator.Command, "read": evaluator.FileRead, "edit": evaluator.FileChange,
	"webfetch": evaluator.WebFetch, "websearch": evaluator.WebSearch, "task": evaluator.Subagent,
}

// Actions are what a request asks for: a command's whole text, which 1.x has in
// its metadata, and the commands that it was split into.
func (boundary) Actions(r broker.Request) []evaluator.Action {
	if r.Shape == broker.Questioned {
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	var a asked
	if json.Unmarshal(r.Native, &a) != nil {
		return nil
	}
	texts := a.Patterns
	if whole := a.Metadata.Command; a.Permission == "bash" && whole != "" && !slices.Contains(texts, whole) {
		texts = append([]string{whole}, texts...)
	}
	return oc.Actions(actionKinds[a.Permission], texts)
}

// Asked are the Actions that 1.x's request to us is about. Where the commands of
// a line can't be told, its whole text can.
func (dialect) Asked(a evaluator.Action, part jsontext.Value) []evaluator.Action {
	var q asked
	if json.Unmarshal(part, &q) != nil {
		return nil
	}
	texts := q.Patterns
	if q.Permission == "bash" && a.Kind == evaluator.Command && !slices.Contains(texts, a.Command) {
		texts = append([]string{a.Command}, texts...)
	}
	return oc.Actions(actionKinds[q.Permission], texts)
}

// AnyPart is false: everything that is asked about must pass.
func (dialect) AnyPart() bool { return false }

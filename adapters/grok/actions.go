package grok

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// Asked are the Actions that Grok's request to us is about, for the tools whose
// requests are recorded (1.0.41, 2026-11-30).
func (Dialect) Asked(_ evaluator.Action, part jsontext.Value) []evaluator.Action {
	r, in, err := readRequest(part)
	if err != nil {
		return nil
	}
	switch r.Tool {
	case shellTool:
		return []evaluator.Action{{Kind: evaluator.Command, Command: in.Command}}
	case writeTool, replaceTool:
		return []evaluator.Action{{Kind: evaluator.FileChange, Path: in.FilePath}}
	case askTool:
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	return nil
}

// answerable are the kinds of Action about which our callback answers by rules:
// those that a recorded request shows.
var answerable = map[evaluator.Kind]bool{evaluator.Command: true, evaluator.FileChange: true}

// AnyPart is true: the parts are tools that do the same.
func (Dialect) AnyPart() bool { return true }

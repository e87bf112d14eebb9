package acp

import (
	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// Actions are what a permission request asks for: its command, its files, or
// where it goes, as far as it names them.
func (t translator) Actions(r broker.Request) []evaluator.Action {
	if r.Shape == broker.Questioned {
		return []evaluator.Action{{Kind: evaluator.Question}}
	}
	m, err := t.read(r.Native)
	if err != nil || m.Method != "session/request_permission" {
		return nil
	}
	kind := kinds[m.Params.Get("toolCall", "kind").Text()]
	if m.Params.Get("toolCall", "kind").Text() == "fetch" {
		kind = evaluator.WebFetch
	}
	if kind == "" {
		return nil
	}
	texts := r.Resources
	if len(texts) == 0 {
		texts = []string{""}
	}
	var out []evaluator.Action
	for _, text := range texts {
		a := evaluator.Action{Kind: kind}
		switch kind {
		case evaluator.Command:
			a.Command = text
		case evaluator.WebFetch:
			a.URL = text
		default:
			a.Path = text
		}
		out = append(out, a)
	}
	return out
}

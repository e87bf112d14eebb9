package opencode

import "github.com/modegate/modegate/evaluator"

// Actions are what a permission request of a kind is about: one for each text.
func Actions(kind evaluator.Kind, texts []string) []evaluator.Action {
	var out []evaluator.Action
	for _, text := range texts {
		a := evaluator.Action{Kind: kind}
		switch kind {
		case evaluator.Command:
			a.Command = text
		case evaluator.FileRead, evaluator.FileChange:
			a.Path = text
		case evaluator.WebFetch:
			a.URL = text
		case evaluator.WebSearch:
			a.Query = text
		case evaluator.Subagent:
			a.Agent = text
		default:
			return nil
		}
		out = append(out, a)
	}
	return out
}

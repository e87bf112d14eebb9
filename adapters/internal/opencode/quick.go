package opencode

import "github.com/modegate/modegate/evaluator"

// Quick is what Verdict says of one request whose texts are certain: the effect,
// the first text that comes to it, and the position of its rule. It allocates
// nothing.
func (r *Rules) Quick(action string, texts []string) (effect evaluator.Effect, text, rule int) {
	effect, rule = r.Decide(action, texts[0])
	for i, t := range texts[1:] {
		e, at := r.Decide(action, t)
		if e != effect && evaluator.Strictest(e, effect) == e {
			effect, text, rule = e, i+1, at
		}
	}
	return effect, text, rule
}

package compiler

import (
	"slices"

	"github.com/modegate/modegate/evaluator"
)

// Sent lists the rules that a writer sends, where it leaves others to what their
// mode stands for. One that a later rule for everything covers decides nothing any
// more; but when that one isn't sent and is no looser, dropping the narrower one
// would open what both close: it is listed with the later one's effect. A rule for
// any kind is listed kind by kind where a later one takes some of them out.
func (in Intent) Sent(sent func(Rule) bool) []Rule {
	covers := covering{}
	var out []Rule
	for _, r := range slices.Backward(in.Rules) {
		mine := sent(r)
		if mine {
			out = append(out, covers.rest(r)...)
		}
		if _, covered := covers.of(r.Kind); r.Match == Everything && !covered {
			covers[r.Kind] = cover{r.Effect, mine}
		}
	}
	slices.Reverse(out)
	return out
}

// covering are the last rules for everything, by their kinds.
type covering map[evaluator.Kind]cover

type cover struct {
	effect evaluator.Effect
	sent   bool
}

func (c covering) of(kind evaluator.Kind) (cover, bool) {
	if found, ok := c[kind]; ok || kind == evaluator.OutsideWorkspace {
		return found, ok
	}
	found, ok := c[evaluator.AnyKind]
	return found, ok
}

// rest is what is left of a rule before the later ones.
func (c covering) rest(r Rule) []Rule {
	if _, all := c[evaluator.AnyKind]; r.Kind == evaluator.AnyKind && !all {
		var out []Rule
		split := false
		for _, kind := range ConditionKinds() {
			if kind == evaluator.OutsideWorkspace {
				continue
			}
			if _, covered := c[kind]; covered {
				split = true
			}
			one := r
			one.Kind = kind
			out = append(out, c.rest(one)...)
		}
		if split {
			return out
		}
		return []Rule{r}
	}
	found, covered := c.of(r.Kind)
	switch {
	case !covered:
		return []Rule{r}
	case found.sent, r.Effect == evaluator.Allow, Looser(found.effect, r.Effect):
		return nil
	}
	r.Effect = found.effect
	return []Rule{r}
}

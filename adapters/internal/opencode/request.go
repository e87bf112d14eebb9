package opencode

import "github.com/modegate/modegate/evaluator"

// Request is one permission request that a tool raises.
type Request struct {
	Action    string
	Resources []Resource
	Doubt     string // the texts can't be predicted, and why: one or more, whatever they are
	Maybe     bool   // it can't be predicted whether it is raised at all
}

// Resource is one text of a request.
type Resource struct {
	Text string
	Or   string // another text that it may be instead, "" for none: whether a path is a folder isn't known
}

// Texts makes resources of texts.
func Texts(texts ...string) []Resource {
	out := make([]Resource, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

// outcomes is a set of effects that a request may have: one bit an effect.
type outcomes uint8

func one(e evaluator.Effect) outcomes { return 1 << e }

func (o outcomes) list() []evaluator.Effect {
	var out []evaluator.Effect
	for e := evaluator.Allow; e <= evaluator.Deny; e++ {
		if o&one(e) != 0 {
			out = append(out, e)
		}
	}
	return out
}

// effect is the one effect of the set, or Unknown when there are several.
func (o outcomes) effect() evaluator.Effect {
	if l := o.list(); len(l) == 1 {
		return l[0]
	}
	return evaluator.Unknown
}

// with combines two sets of which both must pass.
func (o outcomes) with(p outcomes) outcomes {
	var out outcomes
	for _, a := range o.list() {
		for _, b := range p.list() {
			out |= one(evaluator.Strictest(a, b))
		}
	}
	return out
}

func (o outcomes) words() string {
	s := ""
	for i, e := range o.list() {
		if i > 0 {
			s += " or "
		}
		s += e.String()
	}
	return s
}

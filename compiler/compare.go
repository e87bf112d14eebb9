package compiler

import (
	"fmt"

	"github.com/modegate/modegate/evaluator"
)

// Compare writes an Intent and reads it back, and returns the gaps that the
// writer declared and those that a comparison finds. What people granted isn't a
// gap, so grants are left out; a workspace that isn't known is made up, because
// a policy's gaps don't depend on where it is.
func Compare(d Dialect, in Intent, s Setting) (declared, found []evaluator.Gap, err error) {
	s.Env.Grants, s.Env.Saved = nil, nil
	if s.Env.Workspace == "" {
		s.Env.Workspace = "/a-workspace"
	}
	w, err := d.Write(in, s.Env)
	if err != nil {
		return nil, nil, err
	}
	m, err := d.Read(w.Native, s)
	if err != nil {
		return nil, nil, err
	}
	return w.Gaps, Found(in, m, s.Env), nil
}

// Found compares an Intent with what its native settings mean, Action by Action
// over the probes, and returns every gap: one for each rule and direction.
func Found(in Intent, m evaluator.Meaning, env evaluator.Env) []evaluator.Gap {
	provider := in.Cell.Provider
	if _, ok := m.(evaluator.NotRead); ok {
		return []evaluator.Gap{{
			ID: fmt.Sprintf("%s.any.not-compared", provider), Kind: evaluator.AnyKind, Direction: evaluator.NotCompared,
			Reason: "these settings can't be read back yet, so nobody knows whether they mean what the policy says",
		}}
	}
	found := gapSet{}
	for _, a := range probes(in, env) {
		w := in.Want(a, env)
		if w.Rule == nil {
			continue
		}
		v, err := evaluator.Evaluate(m, a, false)
		if err != nil {
			v = evaluator.Verdict{Reason: err.Error()}
		}
		found.add(provider, w, v, a)
	}
	return found.list
}

// gapSet keeps one gap for each id and direction, the widest or narrowest.
type gapSet struct {
	list []evaluator.Gap
}

func (s *gapSet) add(p evaluator.Provider, w Want, v evaluator.Verdict, a evaluator.Action) {
	got, known := evaluator.Strictness(v.Effect, v.Confinement)
	g := NewGap(p, w.Kind, *w.Rule, w.Against(a, v))
	g.Got = v.Effect
	switch g.Direction {
	case "":
		return
	case evaluator.NotCompared:
		g.Reason = fmt.Sprintf("what the provider does can't be predicted: %s", v.Reason)
	default:
		g.Reason = fmt.Sprintf("%s: %s", describe(a), v.Reason)
	}
	for i, old := range s.list {
		if old.ID != g.ID || old.Direction != g.Direction {
			continue
		}
		before, _ := evaluator.Strictness(old.Got, evaluator.Unconfined)
		if known && (got < before) == (g.Direction == evaluator.Wider) && got != before {
			s.list[i] = g
		}
		return
	}
	s.list = append(s.list, g)
}

// Against says in which direction a Verdict on the Action parts from what the
// policy wants: "" where it doesn't, or where no rule speaks of the Action.
func (w Want) Against(a evaluator.Action, v evaluator.Verdict) evaluator.Direction {
	want, _ := evaluator.Strictness(w.Effect, evaluator.Unconfined)
	got, known := evaluator.Strictness(v.Effect, v.Confinement)
	switch {
	case w.Rule == nil:
		return ""
	case a.Kind == evaluator.Question && w.Effect != evaluator.Deny && (v.Effect == evaluator.Allow || v.Effect == evaluator.Ask):
		return "" // a question that is allowed is one that a person answers
	case !known:
		return evaluator.NotCompared
	case got < want:
		return evaluator.Wider
	case got > want:
		return evaluator.Narrower
	}
	return ""
}

// NewGap starts the gap that a rule has on a provider: its id, place and want.
func NewGap(p evaluator.Provider, kind evaluator.Kind, r Rule, d evaluator.Direction) evaluator.Gap {
	at := r.Source
	return evaluator.Gap{
		ID:   fmt.Sprintf("%s.%s.%s", p, kind, r.ID),
		Kind: kind, Direction: d, Want: r.Effect, Source: &at,
	}
}

func describe(a evaluator.Action) string {
	for _, s := range []string{a.Command, a.Path, a.URL, a.Query, a.Tool, a.Agent} {
		if s != "" {
			return fmt.Sprintf("%s %q", a.Kind, s)
		}
	}
	return string(a.Kind)
}

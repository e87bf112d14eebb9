package compiler

import (
	"cmp"
	"fmt"

	"github.com/modegate/modegate/evaluator"
)

// Compare writes an Intent and reads it back, and returns the gaps that the
// writer declared and those that a comparison finds. What people granted isn't a
// gap, so grants are left out; a workspace or home folder that isn't known is
// made up, because a policy's gaps don't depend on where they are.
func Compare(d Dialect, in Intent, s Setting) (declared, found []evaluator.Gap, err error) {
	s.Env.Grants, s.Env.Saved = nil, nil
	s.Env.Workspace = cmp.Or(s.Env.Workspace, "/a-workspace")
	s.Env.Home = cmp.Or(s.Env.Home, "/a-home")
	w, err := d.Write(in, s.Env)
	if err != nil {
		return nil, nil, err
	}
	if w.Gaps != nil {
		declared = w.Gaps()
	}
	m, err := d.Read(w.Native, s)
	if err != nil {
		return nil, nil, err
	}
	return declared, Found(in, m, s.Env), nil
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
	return gaps(in, env, func(p Probe) Outcome {
		v, err := evaluator.Evaluate(m, p.Action, false)
		if err != nil {
			return Outcome{Reason: err.Error()}
		}
		return Outcome{Effect: v.Effect, Confinement: v.Confinement, Reason: v.Reason}
	})
}

// Outcome is what a provider does with a probe: what its settings mean, or what a
// writer knows that they come to.
type Outcome struct {
	Effect      evaluator.Effect
	Confinement evaluator.Confinement
	Reason      string
}

// Declare compares an Intent, Action by Action over the probes, with what a
// writer says of the settings that it writes. The writer answers from what it
// was told and from what it knows of its provider, never from the settings: what
// those mean is found later, by others, and must come to the same gaps.
func Declare(in Intent, env evaluator.Env, answer func(Probe) Outcome) []evaluator.Gap {
	return gaps(in, env, answer)
}

func gaps(in Intent, env evaluator.Env, answer func(Probe) Outcome) []evaluator.Gap {
	var out gapSet
	for _, j := range in.judged(env) {
		out.add(in.Cell.Provider, j.want, answer(j.Probe), j.Probe)
	}
	return out.list
}

// gapSet keeps one gap for each id and direction, the widest or narrowest.
type gapSet struct {
	list []evaluator.Gap
	at   map[string]int
}

func (s *gapSet) add(provider evaluator.Provider, w Want, a Outcome, p Probe) {
	g := NewGap(provider, w.Kind, *w.Rule, w.against(p.Kind, a))
	if g.Direction == "" {
		return
	}
	g.Got = a.Effect
	g.Reason = fmt.Sprintf("%s: %s", Describe(p.Action), a.Reason)
	if g.Direction == evaluator.NotCompared {
		g.Reason = fmt.Sprintf("%s: what the provider does can't be predicted: %s", Describe(p.Action), a.Reason)
	}
	key := g.ID + string(g.Direction)
	i, ok := s.at[key]
	switch {
	case !ok:
		if s.at == nil {
			s.at = map[string]int{}
		}
		s.at[key] = len(s.list)
		s.list = append(s.list, g)
	case g.Direction == evaluator.Wider && Looser(g.Got, s.list[i].Got), g.Direction == evaluator.Narrower && Looser(s.list[i].Got, g.Got):
		s.list[i] = g
	}
}

// Against says in which direction a Verdict on the Action parts from what the
// policy wants: "" where it doesn't, or where no rule speaks of the Action.
func (w Want) Against(a evaluator.Action, v evaluator.Verdict) evaluator.Direction {
	return w.against(a.Kind, Outcome{Effect: v.Effect, Confinement: v.Confinement})
}

func (w Want) against(kind evaluator.Kind, a Outcome) evaluator.Direction {
	want, _ := evaluator.Strictness(w.Effect, evaluator.Unconfined)
	got, known := evaluator.Strictness(a.Effect, a.Confinement)
	switch {
	case w.Rule == nil:
		return ""
	case kind == evaluator.Question && w.Effect != evaluator.Deny && (a.Effect == evaluator.Allow || a.Effect == evaluator.Ask):
		return "" // a question that is allowed is one that a person answers
	case !known:
		return evaluator.NotCompared
	case got < want:
		return evaluator.Wider
	case got > want && !w.Partly:
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

// Describe names an Action for people: its kind, what it is about, and where it runs
// or goes to when it says so.
func Describe(a evaluator.Action) string {
	subject := a.Tool
	if a.Server != "" {
		subject = a.Server + "/" + a.Tool
	}
	for _, s := range []string{a.Command, a.Path, a.URL, a.Query, subject, a.Agent} {
		if s == "" {
			continue
		}
		text := fmt.Sprintf("%s %q", a.Kind, s)
		if a.To != "" {
			text += fmt.Sprintf(" to %q", a.To)
		}
		if a.Cwd != "" {
			text += fmt.Sprintf(" in %q", a.Cwd)
		}
		return text
	}
	return string(a.Kind)
}

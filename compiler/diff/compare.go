package diff

import (
	"context"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// Compare compares two sides in the cells that both have. The error says that there
// is none, or is the context's.
func Compare(ctx context.Context, old, new *Side) (*Report, error) {
	r := &Report{Old: Named{old.Name, old.Digest}, New: Named{new.Name, new.Digest}}
	for _, cell := range order() {
		a, b := old.cells[cell], new.cells[cell]
		switch {
		case a == nil && b == nil:
		case a == nil:
			r.OnlyNew = append(r.OnlyNew, cell.String())
		case b == nil:
			r.OnlyOld = append(r.OnlyOld, cell.String())
		default:
			if err := r.cell(ctx, cell, a, b); err != nil {
				return nil, err
			}
		}
	}
	if r.Cells == 0 {
		return nil, errors.New("the two have no cell in common: nothing was compared")
	}
	return r, nil
}

// order lists all cells in report order.
func order() []evaluator.Cell {
	var out []evaluator.Cell
	for _, p := range evaluator.Providers() {
		for _, m := range evaluator.Modes() {
			for _, i := range evaluator.Interactions() {
				out = append(out, evaluator.Cell{Provider: p, Mode: m, Interaction: i})
			}
		}
	}
	return out
}

// cell compares one cell. Equal bytes that are read in equal sessions mean the same.
func (r *Report) cell(ctx context.Context, cell evaluator.Cell, a, b *settings) error {
	r.Cells++
	if string(a.set.Native) == string(b.set.Native) && reflect.DeepEqual(a.env, b.env) {
		r.Same++
		return nil
	}
	type key struct {
		kind     evaluator.Kind
		old, new given
	}
	seen := map[key]int{}
	for _, action := range probes(a, b) {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.Probes++
		before, after := a.answer(action), b.answer(action)
		direction, widens := direction(before, after)
		if direction == "" {
			continue
		}
		k := key{action.Kind, before.given(), after.given()}
		if i, ok := seen[k]; ok {
			r.Changes[i].Probes++
			continue
		}
		seen[k] = len(r.Changes)
		a.place(&before, action, b)
		b.place(&after, action, a)
		r.Changes = append(r.Changes, Change{
			Provider: cell.Provider, Mode: cell.Mode, Interaction: cell.Interaction,
			Direction: direction, Widens: widens, Witness: action, Probes: 1, Old: before, New: after,
		})
	}
	return nil
}

// answer asks one side. What it can't answer can't be predicted.
func (s *settings) answer(a evaluator.Action) Answer {
	v, err := evaluator.Evaluate(s.meaning, a, false)
	if err != nil {
		return Answer{Decider: evaluator.ByNobody, Enforcer: evaluator.EnforcedByNobody, Reason: err.Error()}
	}
	return Answer{
		Effect: v.Effect, Confinement: v.Confinement, Decider: v.Decider, Enforcer: v.Enforcer, Native: v.Native,
		Then: v.Then, OnDenial: v.OnDenial, ToolAbsent: v.ToolAbsent, Visible: v.Visible, Reason: v.Reason, Rule: v.Rule,
	}
}

// meaning is what of an answer counts: not its words, nor the rule that gives it.
type meaning struct {
	effect, native evaluator.Effect
	confinement    evaluator.Confinement
	decider        evaluator.Decider
	enforcer       evaluator.Enforcer
	then, onDenial string
	absent, unseen bool
}

func (a Answer) meaning() meaning {
	m := meaning{
		effect: a.Effect, native: a.Native.Effect, confinement: a.Confinement, decider: a.Decider, enforcer: a.Enforcer,
		onDenial: a.OnDenial, absent: a.ToolAbsent, unseen: a.Visible != nil && !*a.Visible,
	}
	if a.Then != nil {
		m.then = a.Then.Runs
	}
	return m
}

// given is a meaning and the rule that gives it.
type given struct {
	meaning
	layer string
	index int
}

func (a Answer) given() given {
	g := given{meaning: a.meaning(), index: -1}
	if a.Rule != nil {
		g.layer, g.index = a.Rule.Layer, a.Rule.Index
	}
	return g
}

// direction compares two answers: "" when they mean the same. An answer that can't
// be predicted has no place on the scale; a live gate treats it as ask, so more may
// happen where one becomes unknown, and where an unknown one becomes looser than
// ask.
func direction(old, new Answer) (d evaluator.Direction, widens bool) {
	if old.meaning() == new.meaning() {
		return "", false
	}
	before, knownBefore := evaluator.Strictness(old.Effect, old.Confinement)
	after, knownAfter := evaluator.Strictness(new.Effect, new.Confinement)
	switch {
	case !knownBefore && !knownAfter:
		return Changed, false
	case !knownAfter:
		return Changed, true
	case !knownBefore:
		return Changed, new.Effect != evaluator.Ask && new.Effect != evaluator.Deny
	case after < before:
		return evaluator.Wider, true
	case after > before:
		return evaluator.Narrower, false
	}
	return Changed, false
}

// place finds the policy's lines behind an answer: that of the deciding native rule;
// or, where none of the policy's decides, those of the values in which the two sides
// differ, and what the policy says in its own words.
func (s *settings) place(answer *Answer, a evaluator.Action, other *settings) {
	if r := answer.Rule; r != nil && r.Pointer != "" {
		if r.Source = s.set.Place(r.Pointer); r.Source != nil {
			return
		}
	}
	answer.Values = differingValues(s.set, other.set)
	if s.intent != nil {
		if w := s.intent.Want(a, s.env); w.Rule != nil {
			answer.Policy = &Said{w.Effect, w.Rule.Source}
		}
	}
}

// collect lists a value's parts by their JSON Pointers.
func collect(out map[string]jsontext.Value, pointer string, v jsontext.Value) {
	out[pointer] = v
	var object map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &object) != nil {
		return
	}
	for name, value := range object {
		collect(out, string(jsontext.Pointer(pointer).AppendToken(name)), value)
	}
}

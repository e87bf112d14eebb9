package rego

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Invariants are what must hold over every cell of a policy, compiled.
//
// An invariant is a package modegate.invariants.NAME with a set violation of
// {"cell": the cell's name, "action": the witness, "message": text}. Its input is
// a compiler.Matrix.
type Invariants struct {
	programs []program
	slots    slots
}

// LoadInvariants compiles the invariants of one source or several, each of which
// has one at least: a folder that checks nothing would look as if all held. The error
// is a diag.List of everything that is wrong.
func LoadInvariants(sources ...Source) (*Invariants, error) {
	f := read(sources...)
	programs := compile(f, invariantForm)
	for _, src := range sources {
		if programs != nil && !slices.ContainsFunc(programs, func(p program) bool { return f.from[p.file] == src.Name }) {
			f.refuse(src.Name, "%s", invariantForm.missing())
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return &Invariants{programs, newSlots()}, nil
}

// Names lists the invariants in the order in which they are checked.
func (in *Invariants) Names() []string {
	out := make([]string, len(in.programs))
	for i, p := range in.programs {
		out[i] = p.name
	}
	return out
}

// Violation is a cell in which an invariant doesn't hold, and an Action that
// shows it.
type Violation struct {
	Invariant string
	Title     string // of the invariant, "" when it has none
	File      string // where the invariant is
	Line      int
	Cell      evaluator.Cell
	Action    evaluator.Action
	Message   string
}

// Check runs every invariant over a matrix. An invariant that can't be evaluated,
// or whose violations aren't in the form, is an error: it isn't taken for one
// that holds. The order is that of the invariants, the cells and the messages.
func (in *Invariants) Check(ctx context.Context, matrix any) ([]Violation, error) {
	input, err := inputOf(matrix)
	if err != nil {
		return nil, err
	}
	var out []Violation
	var failed []error
	for _, p := range in.programs {
		found, err := in.check(ctx, p, input)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s:%d: invariant %s can't be checked: %w", p.file, p.line, p.name, err))
		}
		out = append(out, found...)
	}
	return out, errors.Join(failed...)
}

func (in *Invariants) check(ctx context.Context, p program, input ast.Value) ([]Violation, error) {
	value, err := in.slots.run(ctx, p, input)
	if err != nil {
		return nil, err
	}
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("violation must be a set, not %T", value)
	}
	out := make([]Violation, len(list))
	for i, one := range list {
		if out[i], err = violation(one); err != nil {
			return nil, err
		}
		out[i].Invariant, out[i].Title, out[i].File, out[i].Line = p.name, p.title, p.file, p.line
	}
	slices.SortStableFunc(out, func(a, b Violation) int {
		if n := order(a.Cell) - order(b.Cell); n != 0 {
			return n
		}
		return strings.Compare(a.Message, b.Message)
	})
	return out, nil
}

// order is a cell's place in reports.
func order(c evaluator.Cell) int {
	i := slices.Index(evaluator.Providers(), c.Provider)
	i = i*len(evaluator.Modes()) + slices.Index(evaluator.Modes(), c.Mode)
	return i*len(evaluator.Interactions()) + slices.Index(evaluator.Interactions(), c.Interaction)
}

func violation(value any) (Violation, error) {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return Violation{}, err
	}
	var v struct {
		Cell    string           `json:"cell"`
		Action  evaluator.Action `json:"action"`
		Message string           `json:"message"`
	}
	if err := strictjson.Decode(text, &v); err != nil {
		return Violation{}, fmt.Errorf("the violation %s isn't {cell, action, message}: %w", text, err)
	}
	if err := v.Action.Check(); err != nil {
		return Violation{}, fmt.Errorf("the violation %s has no witness: %w", text, err)
	}
	if strings.TrimSpace(v.Message) == "" {
		return Violation{}, fmt.Errorf("the violation %s has no message", text)
	}
	cell, ok := cellOf(v.Cell)
	if !ok {
		return Violation{}, fmt.Errorf("the violation %s names no cell: write provider/mode/interaction", text)
	}
	return Violation{Cell: cell, Action: v.Action, Message: v.Message}, nil
}

// cellOf reads a cell's name.
func cellOf(name string) (evaluator.Cell, bool) {
	for _, p := range evaluator.Providers() {
		for _, m := range evaluator.Modes() {
			for _, i := range evaluator.Interactions() {
				if c := (evaluator.Cell{Provider: p, Mode: m, Interaction: i}); c.String() == name {
					return c, true
				}
			}
		}
	}
	return evaluator.Cell{}, false
}

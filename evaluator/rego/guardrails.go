package rego

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// Guardrails are an admin's, compiled. They never change.
//
// A guardrail is a package modegate.guardrails.NAME with a rule decision, whose
// value is {"effect": "allow"}, or {"effect": "ask", "reason": …} or deny. Allow
// means that it has nothing against the Action; it opens nothing. Its input is an
// evaluator.GuardrailInput.
type Guardrails struct {
	programs []program
	digest   string
	slots    slots
}

// LoadGuardrails compiles a folder's guardrails. The error is a diag.List of
// everything that is wrong.
func LoadGuardrails(src Source) (*Guardrails, error) {
	f := read(src)
	programs := compile(f, guardrailForm)
	if err := f.err(); err != nil {
		return nil, err
	}
	return &Guardrails{programs, f.digest, newSlots()}, nil
}

// Digest is that of the texts and their names below the folder.
func (g *Guardrails) Digest() string { return g.digest }

// List names the guardrails in the order in which they are asked.
func (g *Guardrails) List() []evaluator.Guardrail {
	out := make([]evaluator.Guardrail, len(g.programs))
	for i, p := range g.programs {
		out[i] = p.guardrail()
	}
	return out
}

func (p program) guardrail() evaluator.Guardrail {
	return evaluator.Guardrail{Name: p.name, Title: p.title, File: p.file, Line: p.line}
}

// Ask puts one input to every guardrail, in order, until the context ends. A
// guardrail that gives no answer has an error and the effect unknown.
func (g *Guardrails) Ask(ctx context.Context, in evaluator.GuardrailInput) []evaluator.Said {
	input, encoding := inputOf(in)
	out := make([]evaluator.Said, len(g.programs))
	for i, p := range g.programs {
		said := &out[i]
		said.Guardrail = p.guardrail()
		value, err := any(nil), encoding
		if err == nil {
			value, err = g.slots.run(ctx, p, input)
		}
		if err == nil {
			said.Effect, said.Reason, err = decision(value)
		}
		if err != nil {
			said.Effect, said.Err = evaluator.Unknown, fmt.Errorf("guardrail %s (%s:%d) gave no answer: %w", p.name, p.file, p.line, err)
		}
	}
	return out
}

// maxReason bounds what is kept of a reason, in bytes.
const maxReason = 2000

// decision reads what a guardrail came to. Whatever isn't in the form is an
// error: what an author didn't mean isn't guessed.
func decision(value any) (effect evaluator.Effect, reason string, err error) {
	members, ok := value.(map[string]any)
	if !ok {
		return 0, "", fmt.Errorf("decision must be an object with effect and reason, not %T", value)
	}
	for name := range members {
		if name != "effect" && name != "reason" {
			return 0, "", fmt.Errorf("decision has no %q: it has effect and reason", name)
		}
	}
	word, _ := members["effect"].(string)
	if effect.UnmarshalText([]byte(word)) != nil || effect != evaluator.Allow && effect != evaluator.Ask && effect != evaluator.Deny {
		return 0, "", fmt.Errorf("the effect %v is none: use allow, ask or deny", members["effect"])
	}
	if given, there := members["reason"]; there {
		if reason, ok = given.(string); !ok {
			return 0, "", errors.New("the reason isn't a text")
		}
	}
	if strings.TrimSpace(reason) == "" && effect != evaluator.Allow {
		return 0, "", fmt.Errorf("%s needs a reason: a person reads it", effect)
	}
	if len(reason) > maxReason {
		return 0, "", fmt.Errorf("the reason is longer than %d bytes", maxReason)
	}
	return effect, reason, nil
}

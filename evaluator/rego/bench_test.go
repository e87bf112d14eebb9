package rego

import (
	"context"
	"testing"

	"github.com/modegate/modegate/evaluator"
)

// BenchmarkAsk is what a session under two guardrails pays for each action.
func BenchmarkAsk(b *testing.B) {
	g, err := LoadGuardrails(Folder("../../docs/rego/guardrails"))
	if err != nil {
		b.Fatal(err)
	}
	in := push(evaluator.FullAccess)
	for b.Loop() {
		for _, s := range g.Ask(context.Background(), in) {
			if s.Err != nil {
				b.Fatal(s.Err)
			}
		}
	}
}

package opencode

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TestModeTable holds T3 Code's lists, typed by hand.
func TestModeTable(t *testing.T) {
	supervised := []string{
		"* * ask", "bash * ask", "edit * ask", "webfetch * ask", "websearch * ask", "codesearch * ask",
		"external_directory * ask", "doom_loop * ask", "question * allow",
	}
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range evaluator.Modes() {
		want := supervised
		if mode == evaluator.FullAccess {
			want = []string{"* * allow"}
		}
		for _, interaction := range evaluator.Interactions() {
			cell := evaluator.Cell{Provider: evaluator.OpenCode, Mode: mode, Interaction: interaction}
			env := New().Env(interaction, evaluator.Env{Workspace: "/w"})
			w, err := New().Write(compiler.Lower(policy, cell), env)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := decode(w.Native)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range rules {
				got = append(got, fmt.Sprintf("%s %s %s", r.Action, r.Resource, r.Effect))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", cell, d)
			}
			agent := map[evaluator.Interaction]string{evaluator.Plan: "plan"}[interaction]
			if w.Agent != agent {
				t.Errorf("%s: agent %q, want %q", cell, w.Agent, agent)
			}
		}
	}
}

package claude

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TestDeclaredGapsAreFound compares the gaps that the writer declares from its
// table with those that the meaning of the bytes shows.
func TestDeclaredGapsAreFound(t *testing.T) {
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range evaluator.Modes() {
		for _, i := range evaluator.Interactions() {
			for _, env := range []evaluator.Env{{Workspace: "/a-workspace"}, {Workspace: "/w", Home: "/h"}} {
				cell := evaluator.Cell{Provider: evaluator.Claude, Mode: mode, Interaction: i}
				declared, found := gaps(t, compiler.Lower(policy, cell), env)
				if d := cmp.Diff(declared, found); d != "" {
					t.Errorf("%s: declared and found part: %s", cell, d)
				}
			}
		}
	}
}

// gaps are the ids of the gaps that are declared and found for an Intent.
func gaps(t *testing.T, in compiler.Intent, env evaluator.Env) (declared, found []string) {
	t.Helper()
	d := dialect{}
	in.PlanFiles = d.PlanFiles(env)
	w, err := d.Write(in, env)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Read(w.Native, compiler.Setting{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return ids(w.Gaps), ids(compiler.Found(in, m, env))
}

func ids(gaps []evaluator.Gap) []string {
	var out []string
	for _, g := range gaps {
		out = append(out, string(g.Direction)+" "+g.ID+" "+g.Got.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

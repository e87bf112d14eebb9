package adapters_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// TestTake takes every cell's RuleSet over the wire and holds that it answers as
// the one that was compiled; a RuleSet that was tampered with, that is another
// cell's or that can't be read isn't taken.
func TestTake(t *testing.T) {
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	env := evaluator.Env{Workspace: "/w", Home: "/h"}
	command := evaluator.Action{Kind: evaluator.Command, Command: "git push"}
	for _, d := range adapters.Table() {
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				compiled, err := compiler.Compile(policy, d, cell, compiler.Options{Env: env})
				if err != nil {
					t.Fatal(err)
				}
				sent, err := strictjson.Encode(compiled.RuleSet)
				if err != nil {
					t.Fatal(err)
				}
				var came compiler.RuleSet
				if err := strictjson.Decode(sent, &came); err != nil {
					t.Fatalf("%s: %v", cell, err)
				}
				taken, err := compiler.Take(came, d, cell, compiler.Options{Env: env})
				if err != nil {
					t.Fatalf("%s: %v", cell, err)
				}
				want, err1 := compiled.Evaluate(command, true)
				got, err2 := taken.Evaluate(command, true)
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err1 != nil || err2 != nil {
					t.Errorf("%s: %s %v %v", cell, diff, err1, err2)
				}
				refused(t, came, d, cell, env)
			}
		}
	}
}

func refused(t *testing.T, set compiler.RuleSet, d compiler.Dialect, cell evaluator.Cell, env evaluator.Env) {
	t.Helper()
	other := cell
	other.Mode = evaluator.Modes()[0]
	if cell.Mode == other.Mode {
		other.Mode = evaluator.FullAccess
	}
	looser := set
	looser.Native = []byte(strings.Replace(string(set.Native), "ask", "allow", 1) + " ")
	for name, c := range map[string]struct {
		set  compiler.RuleSet
		cell evaluator.Cell
		says string
	}{
		"another cell's":   {set, other, "the rules are for"},
		"other bytes":      {looser, cell, "digest"},
		"the digest alone": {compiler.RuleSet{Provider: cell.Provider, Mode: cell.Mode, Interaction: cell.Interaction, Digest: set.Digest}, cell, "digest"},
	} {
		if _, err := compiler.Take(c.set, d, c.cell, compiler.Options{Env: env}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %s: %v", name, cell, err)
		}
	}
}

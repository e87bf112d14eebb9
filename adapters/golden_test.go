package adapters_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestCells holds every cell of the built-in policies: one file a mode and
// interaction, the six providers below each other. The values of builtin/t3code are
// compared with hand-typed tables in each provider's own tests.
func TestCells(t *testing.T) {
	for folder, builtin := range map[string]*policies.Policy{".": builtin(t, "t3code"), "strict": builtin(t, "strict")} {
		goldenCells(t, folder, builtin)
	}
}

func builtin(t *testing.T, name string) *policies.Policy {
	t.Helper()
	p, err := policies.Load("builtin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func goldenCells(t *testing.T, folder string, policy *policies.Policy) {
	t.Helper()
	env := evaluator.Env{Workspace: "/work/app", Home: "/home/dev"}
	for _, mode := range evaluator.Modes() {
		for _, interaction := range evaluator.Interactions() {
			var b bytes.Buffer
			fmt.Fprintf(&b, "# %s, %s\n", mode, interaction)
			for _, d := range adapters.Table() {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				c, err := compiler.Compile(policy, d, cell, compiler.Options{Env: env})
				if err != nil {
					t.Fatal(err)
				}
				writeCell(&b, c.RuleSet)
			}
			golden(t, filepath.Join(folder, fmt.Sprintf("%s.%s.txt", mode, interaction)), b.Bytes())
		}
	}
}

func writeCell(b *bytes.Buffer, set compiler.RuleSet) {
	fmt.Fprintf(b, "\n## %s\n", set.Provider)
	var parts []jsontext.Value
	if json.Unmarshal(set.Native, &parts) == nil {
		for _, p := range parts { // a list of rules: one a line
			fmt.Fprintf(b, "%s\n", p)
		}
	} else {
		native := jsontext.Value(bytes.Clone(set.Native))
		native.Indent(jsontext.WithIndent("  "))
		fmt.Fprintf(b, "%s\n", native)
	}
	if set.Agent != "" {
		fmt.Fprintf(b, "agent: %s\n", set.Agent)
	}
	for _, g := range set.Gaps {
		accepted := ""
		if g.Acknowledged {
			accepted = ", acknowledged"
		}
		fmt.Fprintf(b, "gap: %s %s (wants %s, gets %s%s): %s\n", g.Direction, g.ID, g.Want, g.Got, accepted, g.Reason)
	}
	for _, a := range set.Assumed {
		fmt.Fprintf(b, "assumed: %s\n", a)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("..", "testdata", "cells", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run with -update", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s\nrun with -update if that is meant", name, d)
	}
}

// TestEqualBytes holds that equal input gives equal bytes and digests.
func TestEqualBytes(t *testing.T) {
	for _, name := range policies.BuiltinNames() {
		equalBytes(t, builtin(t, name))
	}
}

func equalBytes(t *testing.T, policy *policies.Policy) {
	t.Helper()
	seen := map[string]evaluator.Cell{}
	for _, d := range adapters.Table() {
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				first, err := compiler.Compile(policy, d, cell, compiler.Options{})
				if err != nil {
					t.Fatal(err)
				}
				again, err := compiler.Compile(policy, d, cell, compiler.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(first.RuleSet.Native, again.RuleSet.Native) || first.RuleSet.Digest != again.RuleSet.Digest {
					t.Errorf("%s: two runs differ", cell)
				}
				if other, ok := seen[first.RuleSet.Digest]; ok {
					t.Errorf("%s and %s have one digest", cell, other)
				}
				seen[first.RuleSet.Digest] = cell
			}
		}
	}
	if len(seen) != 48 {
		t.Errorf("%s: %d cells, want 48", policy.Name, len(seen))
	}
}

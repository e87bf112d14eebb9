package policies_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/tester"

	"github.com/modegate/modegate/policies"
)

// TestInvariantsInRego runs the shipped invariants' own tests as opa test does.
func TestInvariantsInRego(t *testing.T) {
	modules := map[string]*ast.Module{}
	files, err := fs.Glob(policies.Invariants(), "*.rego")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(policies.Invariants(), name)
		if err != nil {
			t.Fatal(err)
		}
		if modules[name], err = ast.ParseModule(name, string(text)); err != nil {
			t.Fatal(err)
		}
	}
	ran, err := tester.NewRunner().SetModules(modules).RunTests(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for r := range ran {
		if !r.Pass() {
			t.Errorf("%s: %v %s", r.Name, r.Error, r.Output)
		}
		tested[r.Name] = true
	}
	if len(tested) < 9 {
		t.Errorf("only %d tests ran: %v", len(tested), tested)
	}
	tests, err := fs.ReadFile(policies.Invariants(), "invariants_test.rego")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		invariant := strings.TrimSuffix(name, ".rego")
		if invariant != "invariants_test" && !strings.Contains(string(tests), invariant+".violation") {
			t.Errorf("%s has no test", invariant)
		}
	}
}

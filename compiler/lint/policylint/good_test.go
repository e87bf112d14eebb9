package policylint_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/compiler/lint/policylint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// TestNoFalseAlarm: nothing is found in the built-in policies, nor in policies that
// were written to be fine.
func TestNoFalseAlarm(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Errorf("only %d good policies", len(files))
	}
	for _, name := range policies.BuiltinNames() {
		files = append(files, "builtin/"+name)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			t.Parallel()
			p, cells := compileAll(t, path)
			if len(cells) < 8 {
				t.Errorf("only %d cells were looked at", len(cells))
			}
			for _, f := range policylint.All(p, cells) {
				t.Errorf("%s:%d: %s: %s [%s] %v", f.File, f.Line, f.Severity, f.Message, f.Rule, f.Cells)
			}
		})
	}
}

var gapID = regexp.MustCompile(`gap ([a-z0-9.-]+):`)

// compileAll compiles every cell of a policy. Gaps are accepted, and cells of
// providers that the policy has no profile for are left out: this is about what is
// said of the rest.
func compileAll(t *testing.T, path string) (*policies.Policy, []lint.Cell) {
	t.Helper()
	p, err := policies.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	accepted := map[string]bool{}
	for {
		var cells []lint.Cell
		missing := false
		for _, d := range adapters.Table() {
			for _, m := range evaluator.Modes() {
				for _, i := range evaluator.Interactions() {
					at := evaluator.Cell{Provider: d.Provider(), Mode: m, Interaction: i}
					c, err := compiler.Compile(p, d, at, compiler.Options{})
					var list diag.List
					if errors.As(err, &list) {
						for _, m := range gapID.FindAllStringSubmatch(err.Error(), -1) {
							accepted[m[1]], missing = true, true
						}
					}
					if err == nil {
						cells = append(cells, lint.Cell{Dialect: d, Set: c.RuleSet, Setting: compiler.Setting{Env: d.Env(i, evaluator.Env{})}})
					}
				}
			}
		}
		if !missing {
			return p, cells
		}
		p = withAccepted(t, path, accepted)
	}
}

func withAccepted(t *testing.T, path string, accepted map[string]bool) *policies.Policy {
	t.Helper()
	layer := filepath.Join(t.TempDir(), "accepted.yaml")
	text := "apiVersion: modegate/v1\nacknowledge:\n"
	for id := range accepted {
		text += fmt.Sprintf("  - {gap: %s, reason: accepted by the test}\n", id)
	}
	if err := os.WriteFile(layer, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := policies.Load(path, layer)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTooLarge: what isn't looked at is said.
func TestTooLarge(t *testing.T) {
	defer policylint.SetMaxWork(100)()
	text := "apiVersion: modegate/v1\nname: x\nextends: builtin/t3code\nrules:\n" + strings.Repeat("  - {kind: command, match: ls, effect: ask}\n", 50)
	p, err := policies.Parse(policies.File{Name: "x.yaml", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range policylint.Policy(p) {
		if f.Rule == "too-large" {
			return
		}
	}
	t.Error("nobody says that rules weren't looked at")
}

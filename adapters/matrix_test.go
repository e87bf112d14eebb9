package adapters_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TestMatrix holds what invariants are checked over: all 48 cells, each judged by
// its own native bytes, with the plan folder of its own provider.
func TestMatrix(t *testing.T) {
	m, err := compiler.NewMatrix(t3code, adapters.Table())
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Cells) != 48 || len(m.Actions) < 30 || m.Omitted != 0 {
		t.Fatalf("%d cells, %d actions, %d left out", len(m.Cells), len(m.Actions), m.Omitted)
	}
	planFiles := map[evaluator.Provider]*regexp.Regexp{
		evaluator.Claude: regexp.MustCompile(`^/a-home/.claude/plans/[^/]*\.md$`), evaluator.Grok: regexp.MustCompile(`^/a-home/.grok/sessions/[^/]+/[^/]+/plan\.md$`),
		evaluator.OpenCode:  regexp.MustCompile(`^(/a-home/.local/share/opencode|(/a-workspace/|(\./)?x/\.\./)?\.opencode)/plans/.*\.md$`),
		evaluator.OpenCode2: regexp.MustCompile(`^/a-home/.opencode/plan/.+`),
		evaluator.Codex:     regexp.MustCompile(`^$`), evaluator.Cursor: regexp.MustCompile(`^$`),
	}
	granted := 0
	for _, c := range m.Cells {
		d, _ := adapters.Find(c.Provider)
		meaning, err := d.Read(c.Native, compiler.Setting{Env: d.Env(c.Interaction, m.Env)})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range m.Actions {
			v, err := evaluator.Evaluate(meaning, a, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Verdicts[i]; got.Effect != v.Effect || got.Confinement != v.Confinement || got.Decider != v.Decider || got.Native != v.Native || got.Reason != v.Reason {
				t.Errorf("%s, %+v: %s, by its native bytes %s", c.Name, a, got.Effect, v.Effect)
			}
			if c.Granted[i].Effect != v.Effect {
				granted++
			}
			of := planFiles[c.Provider]
			if in := slices.Contains(c.PlanFiles, i); in != (a.Path != "" && of.MatchString(a.Path) && (a.To == "" || of.MatchString(a.To))) {
				t.Errorf("%s: %s, %s in the plan folder: %v", c.Name, a.Path, a.To, in)
			}
		}
	}
	if granted == 0 {
		t.Error("what is granted changes nothing anywhere")
	}
}

// TestMatrixIsBounded: rules without number don't crowd out what no rule is about.
func TestMatrixIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: modegate/v1\nname: acme\nextends: builtin/t3code\nrules:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "  - {kind: command, match: tool%d run *, effect: ask, providers: [opencode2], modes: [approval-required]}\n", i)
	}
	path := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := policies.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := compiler.NewMatrix(p, adapters.Table())
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Actions) != 500 || m.Omitted < 100 {
		t.Errorf("%d actions, %d left out", len(m.Actions), m.Omitted)
	}
	for _, c := range m.Cells {
		if c.Provider == evaluator.OpenCode2 && len(c.PlanFiles) == 0 {
			t.Errorf("%s: the plan folder was crowded out", c.Name)
		}
	}
}

package audit_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

var update = flag.Bool("update", false, "write the golden files anew")

// options are those of an audit of some providers, or of all, with evidence and an
// invariant that are made up: golden files don't change when a live run is made.
func options(names ...evaluator.Provider) audit.Options {
	o := audit.Options{
		Modegate: "v0.0.0",
		Evidence: func(d compiler.Dialect, version string) []audit.Claim {
			by := fmt.Sprintf("%s %s", d.Provider(), version)
			out := []audit.Claim{{Proof: evaluator.Proof{Claim: "wire", Status: evaluator.Documented, By: "a page", Date: "2026-01-02"}}}
			if d.Provider() != evaluator.Cursor {
				proof := evaluator.Proof{Claim: "decisions", Status: evaluator.Verified, By: by, Date: "2026-03-04"}
				run := audit.Run{Part: "fresh", Status: evaluator.Verified, By: by, Binary: "sha256:00", Date: "2026-03-04", Cases: 7, Agreements: 7}
				out = append(out, audit.Claim{Proof: proof, Runs: []audit.Run{run}})
			}
			return out
		},
		Invariants: func(_ context.Context, p *policies.Policy, list []compiler.Dialect) ([]audit.Broken, error) {
			var out []audit.Broken
			for _, d := range list {
				at := evaluator.Cell{Provider: d.Provider(), Mode: evaluator.FullAccess, Interaction: evaluator.Plan}
				one := audit.Broken{
					ID: string(d.Provider()) + ".example", Title: "An example", Message: "it says so", Cell: at, Cells: []string{at.String()},
					Witness: evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go"},
				}
				for i := range p.Acknowledge {
					if p.Acknowledge[i].Invariant == one.ID {
						one.Acknowledged = &p.Acknowledge[i]
					}
				}
				out = append(out, one)
			}
			return out, nil
		},
	}
	for _, d := range adapters.Table() {
		if len(names) == 0 || slices.Contains(names, d.Provider()) {
			o.Dialects = append(o.Dialects, d)
		}
	}
	return o
}

func load(t testing.TB, path string) *policies.Policy {
	t.Helper()
	p, err := policies.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// parse reads a policy's text.
func parse(t testing.TB, text string) *policies.Policy {
	t.Helper()
	p, err := policies.Parse(policies.File{Name: "acme.yaml", Data: []byte("apiVersion: modegate/v1\nname: acme\nextends: builtin/t3code\n" + text)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func build(t testing.TB, p *policies.Policy, o audit.Options) *audit.Report {
	t.Helper()
	r, err := audit.Build(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t testing.TB, r *audit.Report, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got); see -update:\n%s", name, d)
	}
}

// TestGolden holds the findings on each built-in policy to a list, one a line, and
// the whole report to that on one provider.
func TestGolden(t *testing.T) {
	for _, name := range policies.BuiltinNames() {
		r := build(t, load(t, "builtin/"+name), options())
		var b strings.Builder
		for _, f := range r.Findings {
			accepted, shown := "", "nothing shows it"
			if f.Acknowledged != nil {
				accepted = " (acknowledged)"
			}
			if s := f.Shown; s != nil {
				shown = fmt.Sprintf("%s %s: %s", s.Cell, action(s.Witness), s.Effect)
			}
			fmt.Fprintf(&b, "%s%s %s\n\t%d cells; %s\n", f.Severity, accepted, f.ID, len(f.Cells), shown)
		}
		golden(t, name+".findings.txt", b.String())
	}
	t3code := load(t, "builtin/t3code")
	golden(t, "t3code.opencode2.md", written(t, build(t, t3code, options(evaluator.OpenCode2)), "markdown"))
	o := options(evaluator.Cursor)
	o.Modes, o.Interactions = []evaluator.Mode{evaluator.ApprovalRequired}, []evaluator.Interaction{evaluator.Plan}
	golden(t, "t3code.cursor.json", written(t, build(t, t3code, o), "json"))
}

func action(a evaluator.Action) string {
	return strings.Join(slices.DeleteFunc([]string{string(a.Kind), a.Command, a.Path, a.To, a.URL, a.Query, a.Server, a.Tool, a.Agent}, func(s string) bool { return s == "" }), " ")
}

// TestEqualInputs: the same policy gives the same bytes.
func TestEqualInputs(t *testing.T) {
	p := parse(t, hostile)
	of := options(evaluator.Claude, evaluator.OpenCode2)
	first, second := build(t, p, of), build(t, p, of)
	for _, format := range audit.Formats() {
		a, b := written(t, first, format), written(t, second, format)
		if a != b {
			t.Errorf("%s: %s", format, cmp.Diff(a, b))
		}
	}
}

// TestFilters: a report on some cells speaks of them alone.
func TestFilters(t *testing.T) {
	o := options(evaluator.Claude, evaluator.OpenCode)
	o.Modes, o.Interactions = []evaluator.Mode{evaluator.Auto}, []evaluator.Interaction{evaluator.Plan}
	r := build(t, load(t, "builtin/t3code"), o)
	if len(r.Matrix) != 2 || len(r.Providers) != 2 || r.Providers[0].Cells != 1 {
		t.Errorf("%d cells, providers %+v", len(r.Matrix), r.Providers)
	}
	want := []string{"claude/auto/plan", "opencode/auto/plan"}
	for _, f := range r.Findings {
		for _, c := range f.Cells {
			if !slices.Contains(want, c) {
				t.Errorf("%s: %s", f.ID, c)
			}
		}
	}
	for _, g := range r.Gaps {
		if g.Provider != evaluator.Claude && g.Provider != evaluator.OpenCode {
			t.Errorf("%s", g.ID)
		}
	}
}

// TestWhatIsRefused: what people granted isn't policy; a context that is over is an
// error.
func TestWhatIsRefused(t *testing.T) {
	p := load(t, "builtin/t3code")
	o := options(evaluator.OpenCode2)
	o.Env.Saved = []evaluator.Grant{{Action: "edit", Resource: "*"}}
	if _, err := audit.Build(context.Background(), p, o); err == nil || !strings.Contains(err.Error(), "grants and saved") {
		t.Errorf("%v", err)
	}
	over, stop := context.WithCancel(context.Background())
	stop()
	if _, err := audit.Build(over, p, options()); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if err := build(t, p, options(evaluator.OpenCode2)).Write(&bytes.Buffer{}, "pdf"); err == nil || !strings.Contains(err.Error(), "markdown, html, json, sarif") {
		t.Errorf("%v", err)
	}
}

// TestDocs holds docs/audit.md to the catalogue, and the catalogue to kinds that
// are told apart.
func TestDocs(t *testing.T) {
	const page = "../../docs/audit.md"
	if *update {
		if err := os.WriteFile(page, []byte(audit.Docs()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), audit.Docs()); d != "" {
		t.Errorf("docs/audit.md isn't what the catalogue gives (-want +got); see -update:\n%s", d)
	}
	seen := map[string]bool{}
	for _, d := range audit.Catalogue() {
		if seen[d.ID] || d.Short == "" || d.Why == "" || d.Instead == "" {
			t.Errorf("%+v", d)
		}
		seen[d.ID] = true
	}
}

// TestUsersSettings is MO-05 of testdata/reports.json, for its whole kind: what users
// may have set for themselves is a hole of a policy that doesn't neutralise it.
func TestUsersSettings(t *testing.T) {
	for policy, want := range map[string][]string{
		"builtin/t3code": {"users-settings.claude.allow-all", "users-settings.grok.always-approve", "users-settings.grok.claude-bypass"},
		"builtin/strict": {"users-settings.claude.allow-all", "users-settings.grok.claude-bypass"},
	} {
		var got []string
		for _, f := range build(t, load(t, policy), options(evaluator.Claude, evaluator.Grok, evaluator.Cursor)).Findings {
			if f.Kind == "users-settings" {
				got = append(got, f.ID)
				if !strings.Contains(f.Title, "the policy says ") || !strings.Contains(f.Reason, "facts {") {
					t.Errorf("%s: %s: %s", f.ID, f.Title, f.Reason)
				}
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", policy, d)
		}
	}
}

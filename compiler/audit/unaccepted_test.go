package audit_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// refusing has a rule that OpenCode 2 can't keep, which nobody accepts.
const refusing = `rules:
  - {id: no-push, kind: command, match: git push *, effect: deny, providers: [opencode2], modes: [full-access]}
`

var gapID = regexp.MustCompile(`gap ([a-z0-9.-]+):`)

// TestUnacknowledged: a policy that doesn't compile is audited all the same, and
// what keeps it from compiling comes first.
func TestUnacknowledged(t *testing.T) {
	p := parse(t, refusing)
	d, _ := adapters.Find(evaluator.OpenCode2)
	_, err := compiler.Compile(p, d, evaluator.Cell{Provider: evaluator.OpenCode2, Mode: evaluator.FullAccess, Interaction: evaluator.Default}, compiler.Options{})
	var list diag.List
	if !errors.As(err, &list) {
		t.Fatalf("the policy compiles: %v", err)
	}
	o := options(evaluator.OpenCode2)
	o.Invariants = nil
	r := build(t, p, o)
	if len(r.Matrix) != 8 {
		t.Errorf("%d cells", len(r.Matrix))
	}
	for _, m := range gapID.FindAllStringSubmatch(err.Error(), -1) {
		i := slices.IndexFunc(r.Findings, func(f audit.Finding) bool { return f.ID == "gap-wider."+m[1] })
		if i < 0 {
			t.Fatalf("%s has no finding", m[1])
		}
		f := r.Findings[i]
		if f.Acknowledged != nil || f.Source == nil || f.Source.File != "acme.yaml" || f.Source.Line != 5 || !strings.Contains(f.Instead, "{gap: "+m[1]) {
			t.Errorf("%+v", f)
		}
		if len(f.Cells) != 2 || f.Cells[0] != "opencode2/full-access/default" {
			t.Errorf("%s: cells %v", f.ID, f.Cells)
		}
		if f.Shown == nil || f.Shown.Effect != evaluator.Allow || f.Shown.Policy.Effect != evaluator.Deny {
			t.Errorf("%s: %+v", f.ID, f.Shown)
		}
	}
	if worst, found := r.Worst(); !found || worst < lint.Warning {
		t.Errorf("the worst is %s, %v", worst, found)
	}
	if p.Acknowledge != nil && slices.ContainsFunc(p.Acknowledge, func(a policies.Acknowledgement) bool { return strings.Contains(a.Gap, "no-push") }) {
		t.Error("the policy itself was changed")
	}
}

// TestNothingIsAccepted takes all of t3code's acknowledgements away: every wider gap
// is a finding that nobody accepts, and the errors come first.
func TestNothingIsAccepted(t *testing.T) {
	full := load(t, "builtin/t3code")
	bare := *full
	bare.Acknowledge = nil
	before, after := build(t, full, options()), build(t, &bare, options())
	if before.Summary.Acknowledged.Errors == 0 || after.Summary.Acknowledged != (audit.Counts{}) {
		t.Errorf("acknowledged: %+v, %+v", before.Summary, after.Summary)
	}
	if got, want := after.Summary.Errors, before.Summary.Errors+before.Summary.Acknowledged.Errors; got != want {
		t.Errorf("%d errors, want %d", got, want)
	}
	ids := func(r *audit.Report) (out []string) {
		for _, f := range r.Findings {
			out = append(out, f.ID)
		}
		slices.Sort(out)
		return out
	}
	if d := cmp.Diff(ids(before), ids(after)); d != "" {
		t.Errorf("acknowledging changes what is found: %s", d)
	}
	if !slices.IsSortedFunc(after.Findings, func(a, b audit.Finding) int { return int(b.Severity) - int(a.Severity) }) {
		t.Error("the worst don't come first")
	}
}

// TestRefusedCell: a cell without settings is a finding, and not in the matrix.
func TestRefusedCell(t *testing.T) {
	o := options(evaluator.Codex, evaluator.OpenCode2)
	o.Dialects[0] = mute{o.Dialects[0]}
	r := build(t, load(t, "builtin/t3code"), o)
	i := slices.IndexFunc(r.Findings, func(f audit.Finding) bool { return f.Kind == "refused" })
	if i < 0 || len(r.Findings[i].Cells) != 8 || r.Findings[i].Reason != "nothing can be said" || len(r.Matrix) != 8 {
		t.Errorf("%d cells, %+v", len(r.Matrix), r.Findings)
	}
}

// mute is a dialect that can't write anything.
type mute struct{ compiler.Dialect }

func (mute) Write(compiler.Intent, evaluator.Env) (compiler.Written, error) {
	return compiler.Written{}, errors.New("nothing can be said")
}

// TestInvariants: those that can't be checked are said to be so, and never taken
// for ones that hold.
func TestInvariants(t *testing.T) {
	p := load(t, "builtin/t3code")
	o := options(evaluator.Codex)
	fails := errors.New("it fails")
	o.Invariants = func(context.Context, *policies.Policy, []compiler.Dialect) ([]audit.Broken, error) { return nil, fails }
	if _, err := audit.Build(context.Background(), p, o); err != fails {
		t.Errorf("%v", err)
	}
	for _, in := range []func(context.Context, *policies.Policy, []compiler.Dialect) ([]audit.Broken, error){
		nil,
		func(context.Context, *policies.Policy, []compiler.Dialect) ([]audit.Broken, error) {
			return nil, diag.List{{Message: "a cell doesn't compile"}}
		},
	} {
		o.Invariants = in
		if r := build(t, p, o); !slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.ID == "not-checked.invariants" }) {
			t.Error("nobody says that the invariants weren't checked")
		}
	}
}

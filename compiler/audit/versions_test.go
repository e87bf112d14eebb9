package audit_test

import (
	"slices"
	"testing"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// newer is a dialect that can judge a further version, which answers everything
// alike, and no Verdict speaks of it.
type newer struct {
	compiler.Dialect
	says evaluator.Effect
}

func (n newer) Versions() []string { return append(slices.Clone(n.Dialect.Versions()), "9.9") }

func (n newer) Read(native []byte, s compiler.Setting) (evaluator.Meaning, error) {
	if s.Version == "9.9" {
		return always{n.says}, nil
	}
	return n.Dialect.Read(native, s)
}

type always struct{ effect evaluator.Effect }

func (a always) Judge(evaluator.Action, bool) (evaluator.Verdict, error) {
	return evaluator.Verdict{Effect: a.effect, Reason: "always"}, nil
}

// TestOtherVersions: a version that lets more happen is a warning for each kind of
// Action, one that lets less happen a note.
func TestOtherVersions(t *testing.T) {
	for _, c := range []struct {
		says     evaluator.Effect
		id       string
		severity lint.Severity
	}{
		{evaluator.Allow, "version-dependent.opencode2.command.9.9-looser", lint.Warning},
		{evaluator.Deny, "version-dependent.opencode2.9.9-stricter", lint.Note},
	} {
		o := options(evaluator.OpenCode2)
		o.Dialects[0] = newer{o.Dialects[0], c.says}
		r := build(t, load(t, "builtin/t3code"), o)
		i := slices.IndexFunc(r.Findings, func(f audit.Finding) bool { return f.ID == c.id })
		if i < 0 {
			t.Errorf("no finding %s", c.id)
			continue
		}
		f := r.Findings[i]
		if f.Severity != c.severity || f.Shown.Version != "2.0.18" || f.Shown.Differs[0] != (evaluator.Difference{Version: "9.9", Effect: c.says, Reason: "always"}) {
			t.Errorf("%s: %s %+v", f.ID, f.Severity, f.Shown)
		}
	}
}

package cursor_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/evaluator"
)

// TestReports are the rows of testdata/reports.json that are in Cursor's words, each
// with others of its kind.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		id, native, facts string
		action            evaluator.Action
		want              evaluator.Effect
	}{
		{"SH-14", implement, `{"approvalMode":"allowlist","allow":["Shell(cd)"]}`, command("cd tofu && tofu apply -auto-approve"), evaluator.Ask},
		{"SH-14", implement, `{"approvalMode":"allowlist","allow":["Shell(cd)"]}`, command("cd tofu; tofu apply"), evaluator.Ask},
		{"SH-14", implement, `{"approvalMode":"allowlist","allow":["Shell(cd)"]}`, command("cd $(tofu apply)"), evaluator.Ask},
		{"SH-14", implement, `{"approvalMode":"allowlist","allow":["Shell(cd)"]}`, command("cd tofu | tofu apply"), evaluator.Ask},
		{"SH-14", implement, `{"approvalMode":"allowlist","allow":["Shell(cd)"]}`, command("cd tofu"), evaluator.Allow},
		{"MO-04", full, `{"deny":["Shell(rm)"]}`, command("rm -r build"), evaluator.Deny},
		{"MO-04", forced, `{"deny":["Shell(rm)"]}`, command("ls && rm -r build"), evaluator.Deny},
		{"MO-04", forced, `{"deny":["Write(src/**)"]}`, change("src/a.go"), evaluator.Deny},
		{"MO-04", forced, `{"deny":["Shell(rm)"]}`, command("ls"), evaluator.Allow},
		// A provider without a mode of the wanted kind: nothing is promised.
		{"MO-10", supervised, `{"modes":[{"id":"yolo"}]}`, command("ls"), evaluator.Unknown},
		{"MO-10", supervised, `{"modes":[{"id":"yolo"}]}`, change("a.go"), evaluator.Unknown},
		{"MO-10", planned, `{"modes":[{"id":"agent"}]}`, change("a.go"), evaluator.Allow}, // and not: plan blocks edits
	} {
		if v := evaluate(t, c.native, c.facts, c.action); v.Effect != c.want {
			t.Errorf("%s: %s%s: %s, want %s: %s", c.id, c.action.Command, c.action.Path, v.Effect, c.want, v.Reason)
		}
	}
}

// TestReportNobodyEnforces is MO-13 and MO-26: where Cursor never asks, the answer
// says that nobody holds it to the mode.
func TestReportNobodyEnforces(t *testing.T) {
	v := evaluate(t, implement, "", command("rm -r build"))
	if v.Effect != evaluator.Allow || v.Enforcer != evaluator.EnforcedByNobody || !strings.Contains(v.Reason, "the mode isn't enforced") {
		t.Errorf("%s, enforced by %s: %s", v.Effect, v.Enforcer, v.Reason)
	}
}

package audit_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/evaluator"
)

// TestWhoEnforces is EX-04 of testdata/reports.json: a reviewer sees of every provider,
// mode and action what happens and who enforces it, the provider's rule, mode or sandbox,
// the adapter, an instruction only or nobody. The words, and a cell for each, are
// typed from the words of the contract and the tables of the modes.
func TestWhoEnforces(t *testing.T) {
	r := build(t, load(t, "builtin/t3code"), options())
	if len(r.Matrix) != 48 {
		t.Fatalf("%d cells, want 6 providers in 4 modes, with and without plan", len(r.Matrix))
	}
	seen := map[evaluator.Enforcer]string{}
	for _, row := range r.Matrix {
		if len(row.Answers) != len(r.Samples) {
			t.Errorf("%s: %d answers to %d actions", row.Name, len(row.Answers), len(r.Samples))
		}
		for i, a := range row.Answers {
			switch a.Effect {
			case evaluator.Allow, evaluator.Ask, evaluator.Deny, evaluator.Review, evaluator.Unknown:
			default:
				t.Errorf("%s, action %d: effect %v", row.Name, i, a.Effect)
			}
			seen[a.Enforcer] += row.Name + " "
		}
	}
	for enforcer, cell := range map[evaluator.Enforcer]string{
		"provider-rule":    "opencode/approval-required/default",
		"provider-mode":    "claude/approval-required/default",
		"provider-sandbox": "codex/auto-accept-edits/default",
		"adapter":          "claude/full-access/plan", // plan asks, and the callback answers
		"instruction":      "codex/full-access/plan",
		"nobody":           "codex/full-access/default",
	} {
		if !strings.Contains(seen[enforcer], cell+" ") {
			t.Errorf("nothing in %s is enforced by %s, but in %s", cell, enforcer, seen[enforcer])
		}
		delete(seen, enforcer)
	}
	for enforcer := range seen {
		t.Errorf("%q isn't a word for who enforces", enforcer)
	}
}

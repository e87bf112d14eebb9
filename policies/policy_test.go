package policies_test

import (
	"testing"

	"github.com/modegate/modegate/policies"
)

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		accepted, gap string
		want          bool
	}{
		{"codex.command.push", "codex.command.push", true},
		{"codex.command.push", "codex.command.push-force", false},
		{"codex.command.push-*", "codex.command.push-force", true},
		{"codex.command.push-*", "codex.command.push", false},
		{"codex.command.push-*", "claude.command.push-force", false},
		{"codex.command.push-*", "codex.file-change.push-force", false},
		{"", "codex.command.push", false},
	} {
		if got := (policies.Acknowledgement{Gap: c.accepted}).Accepts(c.gap); got != c.want {
			t.Errorf("%q accepts %q: %v", c.accepted, c.gap, got)
		}
	}
}

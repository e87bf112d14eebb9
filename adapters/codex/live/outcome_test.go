package live

import "testing"

// TestWord tells outcomes apart by what turns of 0.171.0 showed.
func TestWord(t *testing.T) {
	const in, out = "@@MARK 1 codex@@ hi", "@@MARK 0 init@@ hi"
	for _, c := range []struct {
		want string
		full bool
		seen seen
	}{
		{"runs-sandboxed", false, seen{items: []string{"commandExecution"}, told: in}},
		{"runs-unsandboxed", false, seen{items: []string{"commandExecution"}, told: out}},
		{"asks-user", false, seen{asks: []string{"item/commandExecution/requestApproval"}, told: out}},
		{"runs-sandboxed", false, seen{asks: []string{"retry item/commandExecution/requestApproval"}, told: out}},
		{"auto-reviewer", false, seen{reviews: 1, told: out}},
		{"rejected", false, seen{told: "exec_command failed: rejected by policy"}},
		{"rejected", false, seen{items: []string{"commandExecution"}, told: "exec_command failed for `x`"}},
		{unplaced, false, seen{items: []string{"commandExecution"}, told: "hi"}},
		{"runs-sandboxed", false, seen{items: []string{"fileChange"}}},
		{"runs-unsandboxed", true, seen{items: []string{"fileChange"}}},
	} {
		if got := c.seen.word(c.full); got != c.want {
			t.Errorf("%+v: %s, want %s", c.seen, got, c.want)
		}
	}
}

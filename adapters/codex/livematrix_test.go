package codex_test

import (
	"math/rand/v2"
	"testing"
)

const matrixRules = `prefix_rule(pattern=["touch"], decision="allow")
prefix_rule(pattern=["touch", "asked"], decision="prompt")
prefix_rule(pattern=["rm", "-rf", "sub"], decision="allow")
prefix_rule(pattern=["cat", ["secret", "key"]], decision="forbidden", justification="no")
prefix_rule(pattern=["git", "status"], decision="prompt")
`

// matrix asks about random rows: every flag of a granular policy, which the corpus
// sets all alike, with sandboxes, reviewers, rules and calls.
func (total *tally) matrix(t *testing.T, bin string) {
	r := rand.New(rand.NewPCG(17, 1))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	agents := map[string]*agent{"": startAgent(t, bin, ""), matrixRules: startAgent(t, bin, matrixRules)}
	for range 100 {
		row := liveRow{
			Sandbox: pick("readOnly", "workspaceWrite", "dangerFullAccess"), Reviewer: pick("user", "user", "auto_review"), Mode: pick("default", "default", "plan"),
			Rules: pick("", matrixRules), Approval: pick("untrusted", "on-request", "never"),
		}
		if r.IntN(2) == 0 {
			flags := map[string]any{}
			for _, f := range []string{"sandbox_approval", "rules", "mcp_elicitations"} {
				flags[f] = r.IntN(2) == 0
			}
			row.Approval = map[string]any{"granular": flags}
		}
		row.Action = map[string]any{"tool": "exec_command", "cmd": pick(
			"ls", "cat file.txt", "touch x", "touch asked", "touch x && ls", "touch x && touch asked", "touch x; rm -rf sub", "touch x && rm -rf other", "rm -rf sub", "rm -rf other", "rm -rf sub > /dev/null",
			"cat secret", "cat secret > /dev/null", "touch x | cat key", "git status", "git status; ls", "git status && rm -rf other", "touch x > y", "/bin/touch x", "env touch x",
		)}
		switch r.IntN(6) {
		case 0, 1:
			row.Action["sandbox_permissions"], row.Action["justification"] = "require_escalated", "May I?"
		case 2:
			row.Action = map[string]any{"tool": "apply_patch", "cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: " + pick("p1.txt", "/srv/outside/p2.txt", ".git/p3", "sub/.git/p", "../p4") + "\n+hello\n*** End Patch\nEOF\n"}
		case 3:
			tool := pick("read_it", "write_it", "plain", "elicit", "closed_it")
			row.Action = map[string]any{"tool": "mcp:" + tool, "elicits": tool == "elicit"}
			if hints := stubTools[tool]; hints != nil {
				row.Action["annotations"] = hints
			}
		}
		ours := row.ours(t)
		if row.Reviewer != "user" && ours.Outcome == "runs-sandboxed" {
			continue // a review that follows a denial can't be told from one before
		}
		total.cases++
		if got := agents[row.Rules].live(row); got != ours.Outcome {
			total.disagreements++
			t.Errorf("%s: real %s, ours %s (%s)", row, got, ours.Outcome, ours.Reason)
		}
	}
}

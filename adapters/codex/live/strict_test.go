package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/internal/scripted"
	"github.com/modegate/modegate/policies"
)

// TestStrictPlanChangesNothing has the real Codex change a file in plan with full
// access, in every way that its model has. Under builtin/t3code the file is there
// afterwards; under builtin/strict it isn't, although whatever asks is accepted.
func TestStrictPlanChangesNothing(t *testing.T) {
	a, err := startAgent(t.Context(), livebin.Need(t, livebin.Codex), "")
	if err != nil {
		t.Fatal(err)
	}
	defer a.stop()
	const name = "hole.txt"
	calls := map[string]map[string]any{
		"a command":               {"cmd": "echo x > " + name},
		"a patch":                 {"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: " + name + "\n+x\n*** End Patch\nEOF\n"},
		"a command that asks out": {"cmd": "echo x > " + name, "sandbox_permissions": "require_escalated", "justification": "j"},
	}
	for way, args := range calls {
		t.Run(way, func(t *testing.T) {
			for policy, changes := range map[string]bool{"t3code": way != "a command that asks out", "strict": false} {
				if err := a.place.reset(); err != nil {
					t.Fatal(err)
				}
				native := planSettings(t, policy)
				result, err := a.call(t.Context(), "thread/start", map[string]any{
					"cwd": a.place.ws(), "ephemeral": true, "approvalPolicy": native.Approval, "approvalsReviewer": native.Reviewer, "sandbox": native.Sandbox,
				})
				if err != nil {
					t.Fatal(err)
				}
				var started struct {
					Thread struct {
						ID string `json:"id"`
					} `json:"thread"`
				}
				if err := json.Unmarshal(result, &started); err != nil {
					t.Fatal(err)
				}
				s, err := a.turn(t.Context(), started.Thread.ID, map[string]any{
					"approvalPolicy": native.Approval, "approvalsReviewer": native.Reviewer, "sandboxPolicy": native.Policy,
					"collaborationMode": map[string]any{"mode": native.Collaboration.Mode, "settings": map[string]any{"model": "mock-model"}},
				}, scripted.Call{Tool: "exec_command", Args: args})
				if err != nil {
					t.Fatal(err)
				}
				_, err = os.Stat(filepath.Join(a.place.ws(), name))
				if changed := err == nil; changed != changes || policy == "strict" && len(s.asks) > 0 {
					t.Errorf("under %s the file is there: %v; asks %q; the model heard %q", policy, changed, s.asks, s.told)
				}
			}
		})
	}
}

type settings struct {
	Approval      any    `json:"approvalPolicy"`
	Sandbox       string `json:"sandbox"`
	Policy        any    `json:"sandboxPolicy"`
	Reviewer      string `json:"approvalsReviewer"`
	Collaboration struct {
		Mode string `json:"mode"`
	} `json:"collaborationMode"`
}

func planSettings(t *testing.T, policy string) (s settings) {
	t.Helper()
	p, err := policies.Load("builtin/" + policy)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compiler.Compile(p, codex.New(), evaluator.Cell{Provider: evaluator.Codex, Mode: evaluator.FullAccess, Interaction: evaluator.Plan}, compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.RuleSet.Native, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

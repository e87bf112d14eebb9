package lint

import "testing"

func TestNear(t *testing.T) {
	known := []string{"approval_policy", "sandbox_mode", "permissions", "permission", "agent", "mode", "enabled_tools", "disabled_tools", "PreToolUse"}
	for name, want := range map[string]string{
		"aproval_policy":    "approval_policy",
		"approval-policy":   "approval_policy",
		"ApprovalPolicy":    "approval_policy",
		"approvals_policys": "approval_policy",
		"approve_policies":  "",
		"SANDBOX_MODE":      "sandbox_mode",
		"sandbox":           "",
		"permision":         "permission",
		"permisions":        "permissions",
		"premissions":       "permissions",
		"agnet":             "agent",
		"event":             "",
		"modes":             "mode",
		"node":              "",
		"mdoe":              "",
		"enabledTools":      "enabled_tools",
		"pre_tool_use":      "PreToolUse",
		"PostToolUse":       "",
		"":                  "",
		"theme":             "",
	} {
		if got := Near(name, known...); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

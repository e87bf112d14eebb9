package claude

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/policies"
)

// TestIgnoredKeys: what the real binaries do with these keys is measured by the test
// of this name beside the oracle.
func TestIgnoredKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"permision": {"deny": ["Bash"]}}`:                                        "no-permissions: write permissions, unless another file has them ignored-key: write permissions",
		`{"permission": {"deny": ["Bash"]}, "permissions": {}}`:                    "ignored-key: write permissions",
		`{"Permissions": {"deny": ["Bash"]}, "permissions": {}}`:                   "ignored-key: write permissions",
		`{"defaultMode": "plan", "permissions": {}}`:                               "ignored-key: write permissions.defaultMode",
		`{"default_mode": "plan", "permissions": {}}`:                              "ignored-key: write permissions.defaultMode",
		`{"deny": ["Bash"]}`:                                                       "ignored-key: write permissions.deny",
		`{"disallowedTools": ["Bash"], "permissions": {}}`:                         "ignored-key: write permissions.deny",
		`{"disableAllHook": true, "permissions": {}}`:                              "ignored-key: write disableAllHooks",
		`{"hook": {}, "permissions": {}}`:                                          "ignored-key: write hooks",
		`{"permissions": {"Deny": ["Bash"]}}`:                                      "inert-rule: write deny",
		`{"permissions": {"default_mode": "plan"}}`:                                "inert-rule: write defaultMode",
		`{"permissions": {"denyInsteadOfPrompting": true, "defaultMode": "plan"}}`: "",
		`{}`: "no-permissions: write permissions, unless another file has them",
		`[]`: "invalid",
	} {
		var got []string
		for _, f := range lint.File(dialect{}, "settings.json", []byte(text), compiler.Setting{}) {
			one := f.Rule
			if f.Instead != "" {
				one += ": " + f.Instead
			}
			got = append(got, one)
			if f.Line != 1 {
				t.Errorf("%s: %+v has no place", text, f)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s:\n got %s\nwant %s", text, g, want)
		}
	}
}

// TestUnrelatedKeys: a full file has no findings, whatever it sets beside
// permissions, and keys that nobody knows have none either.
func TestUnrelatedKeys(t *testing.T) {
	text := `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "model": "opus", "theme": "dark", "env": {"PERMISSION": "1"}, "includeCoAuthoredBy": false, "cleanupPeriodDays": 20,
  "apiKeyHelper": "/bin/key", "outputStyle": "Explanatory", "statusLine": {"type": "command", "command": "s"},
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}, "disableAllHooks": false,
  "enabledPlugins": {"a@b": true}, "enableAllProjectMcpServers": true, "enabledMcpjsonServers": ["x"],
  "sandbox": {"enabled": false, "network": {"allowedDomains": []}}, "alwaysThinkingEnabled": true, "spinnerTipsEnabled": false,
  "allowedMcpServers": [], "deniedMcpServers": [], "skillOverrides": {}, "forceLoginMethod": "console", "worktree": {},
  "mine": {"deny": ["x"]}, "task": 1, "alloy": 1,
  "permissions": {"allow": ["Bash(npm test)"], "deny": ["Read(.env)"], "defaultMode": "default", "additionalDirectories": ["../x"]}
}`
	for _, f := range lint.File(dialect{}, "settings.json", []byte(text), compiler.Setting{}) {
		t.Error(fmt.Sprint(f.Line, f.Rule, f.Message, f.Instead))
	}
	for name := range idleKeys {
		if got := ignoredKeys(treeOf(t, fmt.Sprintf("{%q: 1}", name))); len(got) > 0 {
			t.Error(got)
		}
	}
}

func treeOf(t *testing.T, text string) *policies.Node {
	t.Helper()
	n, err := filetree.JSON("settings.json", []byte(text), true)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

package opencode

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
)

// TestIgnoredKeys: the live tests put these files before the real binary, which
// passes over the keys.
func TestIgnoredKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"permision": {"bash": "deny"}}`:                             "no-permissions ignored-key: permission",
		`{"Permission": {"bash": "deny"}, "permission": {}}`:          "ignored-key: permission",
		`{"tool": {"bash": false}, "permission": {}}`:                 "ignored-key: tools",
		`{"agnet": {}, "permission": {}}`:                             "ignored-key: agent",
		`{"bash": "deny", "edit": {"*.go": "ask"}, "permission": {}}`: "ignored-key: it in the object permission ignored-key: it in the object permission",
		`{"bash": "deny"}`:                                            "no-permissions ignored-key: it in the object permission",
		`{"agent": {"a": {"permision": {"bash": "deny"}}}}`:           "ignored-key: the agent's permission",
		`{"agent": {"a": {"bash": "deny", "mode": "subagent"}}}`:      "ignored-key: it in the agent's object permission",
		`{"agent": {"a": {"tool": {"bash": false}}}}`:                 "ignored-key: the agent's tools",
		`{"agents": {"a": {"permission": {"bash": "deny"}}}}`:         "ignored-key: it as agent.a.permission",
		`{}`:                               "no-permissions",
		`{"tools": {"bash": false}}`:       "",
		`{"permission": "allow"}`:          "", // it says what it is
		`{"permission": {"bash": "deny"}}`: "",
		`{
  "$schema": "https://opencode.ai/config.json", "theme": "x", "model": "a/b", "small_model": "a/c", "username": "me", "autoupdate": false,
  "provider": {"a": {"options": {"permision": 1}}}, "mcp": {"x": {"type": "local", "command": ["y"], "enabled": false}}, "plugin": [],
  "keybinds": {"leader": "ctrl+x"}, "formatter": {"edit": {"disabled": true}}, "lsp": {}, "share": "disabled", "instructions": ["a.md"],
  "command": {"t": {"template": "x"}}, "tui": {"scroll_speed": 3}, "snapshot": true, "watcher": {"ignore": []}, "event": {}, "task": {"a": 1}, "mine": {"permission": "x"},
  "agent": {"a": {"description": "d", "mode": "subagent", "prompt": "p", "temperature": 0.1, "reasoningEffort": "high", "permission": {"edit": "deny", "bash": "deny"}}},
  "permission": {"bash": "ask"}
}`: "",
	} {
		var got []string
		for _, f := range lint.File(dialect{}, "opencode.json", []byte(text), compiler.Setting{}) {
			one := f.Rule
			if f.Rule == "ignored-key" {
				one += ": " + strings.TrimPrefix(f.Instead, "write ")
			}
			got = append(got, one)
			if f.Line == 0 {
				t.Errorf("%s: %+v has no place", text, f)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s:\n got %s\nwant %s", text, g, want)
		}
	}
}

// TestEffectPlace: a bad effect stands where its value is, in check as in eval.
func TestEffectPlace(t *testing.T) {
	text := []byte(`{"permission": {"bash": "sometimes"}}`)
	found := lint.File(dialect{}, "opencode.json", text, compiler.Setting{})
	_, err := dialect{}.ReadSettings([]compiler.SettingsFile{{Name: "opencode.json", Text: text}}, "", compiler.Setting{})
	if len(found) != 1 || found[0].Column != 25 || err == nil || !strings.HasPrefix(err.Error(), "opencode.json:1:25: ") {
		t.Error(found, err)
	}
}

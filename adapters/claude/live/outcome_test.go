package live

import (
	"encoding/json"
	"testing"
)

// TestWord tells outcomes apart by lines that the two binaries were seen to send.
func TestWord(t *testing.T) {
	for _, c := range []struct {
		name, line, want string
	}{
		{"ran", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"ok"}]},"tool_result_meta":[{"permission_decision":{"decision":"accept"}}]}`, "allow"},
		{"ran and failed", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"Exit code 1","is_error":true}]},"tool_result_meta":[{"permission_decision":{"decision":"accept"}}]}`, "allow"},
		{"denied by a rule", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"no","is_error":true}]},"tool_result_meta":[{"permission_decision":{"decision":"reject"}}]}`, "deny"},
		{"auto mode has no check", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"no","is_error":true}]},"tool_result_meta":[{"non_execution_kind":"automode-unavailable","permission_decision":{"decision":"reject"}}]}`, "review"},
		{"no such tool", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"<tool_use_error>Error: No such tool available: Bash</tool_use_error>","is_error":true}]}}`, "absent"},
		{"refused before permissions", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"<tool_use_error>String to replace not found in file.</tool_use_error>","is_error":true}]}}`, ""},
		{"the older one's words", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"Permission to use Bash with command danger has been denied.","is_error":true}]}}`, "deny"},
		{"the older one ran it", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"called echo"}]}]}}`, "allow"},
		{"the older one blocks a skill", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"Skill execution blocked by permission rules","is_error":true}]}}`, "deny"},
		{"an agent that a rule denies", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"Agent type 'Explore' has been denied by permission rule 'Agent(Explore)' from flagSettings.","is_error":true}]},"tool_result_meta":[{"permission_decision":{"decision":"accept"}}]}`, "deny"},
		{"another call's result", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"y","content":"ok"}]}}`, ""},
		{"text", `{"type":"user","message":{"content":"hello"}}`, ""},
	} {
		var l line
		if err := json.Unmarshal([]byte(c.line), &l); err != nil {
			t.Fatal(err)
		}
		var d did
		d.take(l, "x")
		if got := d.word(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := (did{result: true, failed: true, text: "hook says deny", hooks: `{"permissionDecisionReason":"hook says deny"}`}).word(); got != "deny" {
		t.Errorf("a hook's reason: %q", got)
	}
	if got := (did{asked: true, result: true, failed: true}).word(); got != "ask" {
		t.Errorf("asked: %q", got)
	}
	if got := (did{result: true, classified: true}).word(); got != "review" {
		t.Errorf("classified: %q", got)
	}
}

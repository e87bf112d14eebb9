package live

import (
	"encoding/json"
	"testing"
)

// TestJudge tells outcomes apart by messages as 1.0.41 sends them.
func TestJudge(t *testing.T) {
	update := func(status, text string) message {
		return message{Method: "session/update", Params: json.RawMessage(`{"update":{"sessionUpdate":"tool_call_update","status":"` + status + `","rawOutput":"` + text + `"}}`)}
	}
	for _, c := range []struct {
		want string
		seen []message
	}{
		{"allow", []message{update("pending", ""), update("completed", "ok")}},
		{"allow", []message{update("failed", "exit code 127")}},
		{"deny", []message{update("failed", "Denied by a rule")}},
		{"review", []message{update("failed", "Blocked by the auto mode classifier")}},
		{"ask", []message{update("pending", ""), {Method: "session/request_permission", Params: json.RawMessage(`{"toolCall":{"kind":"execute"}}`)}, update("failed", "denied")}},
		{"question", []message{{Method: "_x.ai/ask_user_question"}}},
		{"plan-exit", []message{{Method: "_x.ai/exit_plan_mode"}}},
		{"allow", []message{{Method: "session/update", Params: json.RawMessage(`{"update":{"sessionUpdate":"tool_call_update","status":"in_progress","rawOutput":{"exit_code":0}}}`)}}},
		{"none:in_progress", []message{update("in_progress", "")}},
		{"none:", nil},
	} {
		if got := judge(c.seen).word; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

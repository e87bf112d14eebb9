package scripted_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modegate/modegate/internal/scripted"
)

func post(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func wants(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s lacks %q:\n%s", what, p, got)
		}
	}
}

// TestMessages follows a script over the Messages API: a call, then text.
func TestMessages(t *testing.T) {
	m := scripted.StartMessages()
	defer m.Close()
	prompt, err := scripted.Script{{Calls: []scripted.Call{{ID: "toolu_x", Tool: "Bash", Args: map[string]any{"command": "ls"}}}}}.Prompt()
	if err != nil {
		t.Fatal(err)
	}
	const tools = `"tools":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]`
	user := `{"role":"user","content":[{"type":"text","text":"` + strings.ReplaceAll(prompt, `"`, `\"`) + `"}]}`
	url := m.BaseURL() + "/v1/messages?beta=true"
	wants(t, "the call", post(t, url, `{"model":"x","stream":true,`+tools+`,"messages":[`+user+`]}`),
		"event: message_start", `"id":"toolu_x"`, `"name":"Bash"`, `"partial_json":"{\"command\":\"ls\"}"`, `"stop_reason":"tool_use"`, "event: message_stop")
	wants(t, "the end", post(t, url, `{"model":"x",`+tools+`,"messages":[`+user+`,{"role":"assistant","content":"…"},{"role":"user","content":"result"}]}`),
		`"text":"done"`, `"stop_reason":"end_turn"`)
	if m.Classified() != 0 {
		t.Error("the main loop counts as the classifier")
	}
	wants(t, "the classifier", post(t, url, `{"model":"x","system":"You are a security monitor","messages":[`+user+`]}`), `block\u003eno`)
	if m.Classified() != 1 {
		t.Errorf("%d requests of the classifier", m.Classified())
	}
}

// TestResponses makes one call over the Responses API, then is done.
func TestResponses(t *testing.T) {
	m := scripted.StartResponses()
	defer m.Close()
	m.Next(scripted.Call{Tool: "exec_command", Args: map[string]any{"cmd": "ls"}})
	url := m.BaseURL() + "/responses"
	wants(t, "the call", post(t, url, `{"input":[]}`), `"name":"exec_command"`, `"arguments":"{\"cmd\":\"ls\"}"`, "response.completed")
	wants(t, "the end", post(t, url, `{"input":[{"type":"function_call_output","output":"told"}]}`), `"text":"done"`)
	wants(t, "the reviewer", post(t, url, `{"client_metadata":{"kind":"guardian"},"input":[]}`), "risk_level")
	if told, reviews := m.Heard(); told != "told" || reviews != 1 {
		t.Errorf("heard %q, %d reviews", told, reviews)
	}
}

// TestMCP lists and calls the tools of the scripted server.
func TestMCP(t *testing.T) {
	m := scripted.StartMCP(map[string]map[string]any{"get_y": {"annotations": map[string]any{"readOnlyHint": true}}})
	defer m.Close()
	wants(t, "the list", post(t, m.URL(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), `"name":"get_y"`, `"readOnlyHint":true`)
	wants(t, "the call", post(t, m.URL(), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_y"}}`), "called get_y", `"id":2`)
	if got := post(t, m.URL(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`); got != "" {
		t.Errorf("a notification is answered with %q", got)
	}
}

package scripted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modegate/modegate/internal/scripted"
)

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// ask sends a completion request and returns the answer's content type and body.
func ask(t *testing.T, s *scripted.Server, stream, tools bool, messages ...message) (string, string) {
	t.Helper()
	req := map[string]any{"model": "scripted", "stream": stream, "messages": messages}
	if tools {
		req["tools"] = []any{map[string]any{"type": "function", "function": map[string]any{"name": "bash", "parameters": map[string]any{}}}}
	}
	b, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(s.BaseURL()+"/chat/completions", "application/json", strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, string(body), err)
	}
	return resp.Header.Get("Content-Type"), string(body)
}

func prompt(t *testing.T) message {
	t.Helper()
	text, err := scripted.Script{
		{Calls: []scripted.Call{{ID: "c1", Tool: "bash", Args: map[string]any{"command": "a <b> \"c\""}}, {Tool: "read"}}},
		{Text: "half way"},
	}.Prompt()
	if err != nil {
		t.Fatal(err)
	}
	return message{"user", []any{map[string]string{"type": "text", "text": "Do this: " + text + " thanks"}}}
}

func TestSteps(t *testing.T) {
	s := scripted.Start()
	t.Cleanup(s.Close)
	said := message{"assistant", ""}
	for name, c := range map[string]struct {
		messages []message
		tools    bool
		holds    []string
	}{
		"the first step": {[]message{{"system", "x"}, prompt(t)}, true, []string{
			`"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"a \\u003cb\\u003e \\\"c\\\"\"}"}`,
			`"index":1`, `"name":"read","arguments":"{}"`, `"finish_reason":"tool_calls"`,
		}},
		"the second step":       {[]message{prompt(t), said, {"tool", "x"}}, true, []string{`"content":"half way"`, `"finish_reason":"stop"`}},
		"after the last":        {[]message{prompt(t), said, said}, true, []string{`"content":"done"`}},
		"an older script":       {[]message{prompt(t), said, said, said, prompt(t)}, true, []string{`"name":"bash"`}},
		"words after a script":  {[]message{prompt(t), said, {"user", "and?"}}, true, []string{`"content":"half way"`}},
		"no tools":              {[]message{prompt(t)}, false, []string{`"content":"ok"`}},
		"no script":             {[]message{{"user", "hello"}}, true, []string{`"content":"ok"`}},
		"a broken script":       {[]message{{"user", `{"modegateScript":[`}}, true, []string{`"content":"ok"`}},
		"content without texts": {[]message{{"user", 7}}, true, []string{`"content":"ok"`}},
	} {
		for _, stream := range []bool{true, false} {
			contentType, body := ask(t, s, stream, c.tools, c.messages...)
			want := "application/json"
			if stream {
				want = "text/event-stream"
				if !strings.HasSuffix(body, "\n\ndata: [DONE]\n\n") {
					t.Errorf("%s: the stream has no end: %q", name, body)
				}
			}
			if contentType != want {
				t.Errorf("%s: content type %q", name, contentType)
			}
			for _, part := range c.holds {
				if !strings.Contains(body, part) {
					t.Errorf("%s: %q lacks %q", name, body, part)
				}
			}
		}
	}
	requests := s.Requests()
	if len(requests) != 18 || requests[0].Model != "scripted" {
		t.Errorf("%d requests: %+v", len(requests), requests)
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	s := scripted.Start()
	t.Cleanup(s.Close)
	for path, want := range map[string]int{"/chat/completions": 400, "/other": 404} {
		resp, err := http.Post(s.BaseURL()+path, "application/json", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
	resp, err := http.Get(s.BaseURL() + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
		t.Error(resp.Status, resp.Header)
	}
}

package scripted

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Responses is a scripted model behind the OpenAI Responses API. It makes the
// calls that it was given, one a request, and then says that it is done. A request
// of Codex's own reviewer is counted, and answered with an approval.
type Responses struct {
	http *loopback

	mu      sync.Mutex
	calls   []Call
	serial  int
	reviews int
	outputs []string // what the calls gave, as the model hears it
}

// StartResponses starts a model on a free port of 127.0.0.1.
func StartResponses() *Responses {
	m := &Responses{}
	m.http = listen(http.HandlerFunc(m.serve))
	return m
}

// Close stops the model.
func (m *Responses) Close() { m.http.close() }

// BaseURL is the provider's base URL, which ends in /v1.
func (m *Responses) BaseURL() string { return m.http.url + "/v1" }

// Next sets the calls of the next turn, and forgets what was heard.
func (m *Responses) Next(calls ...Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls, m.outputs, m.reviews = calls, nil, 0
}

// Heard returns what the model was told since Next, and how often the reviewer
// was asked.
func (m *Responses) Heard() (told string, reviews int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.outputs, "\n"), m.reviews
}

func (m *Responses) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/responses") {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"models":[],"data":[]}`)
		return
	}
	var body struct {
		Metadata json.RawMessage `json:"client_metadata"`
		Text     json.RawMessage `json:"text"`
		Input    []struct {
			Type   string `json:"type"`
			Output any    `json:"output"`
		} `json:"input"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.serial++
	id := m.serial
	item := responseText(id, "done")
	if s := string(body.Metadata) + string(body.Text); strings.Contains(s, "guardian") || strings.Contains(s, "risk_level") {
		m.reviews++
		item = responseText(id, `{"outcome":"allow","risk_level":"low","user_authorization":"high","rationale":"scripted"}`)
	} else {
		m.outputs = nil
		for _, in := range body.Input {
			if strings.HasSuffix(in.Type, "_call_output") {
				m.outputs = append(m.outputs, fmt.Sprint(in.Output))
			}
		}
		if len(m.calls) > 0 {
			item, m.calls = responseCall(id, m.calls[0]), m.calls[1:]
		}
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": fmt.Sprintf("resp_%d", id)}},
		{"type": "response.output_item.done", "item": item},
		{"type": "response.completed", "response": map[string]any{"id": fmt.Sprintf("resp_%d", id), "usage": map[string]any{
			"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2,
		}}},
	} {
		b, err := json.Marshal(e)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], b)
	}
}

func responseText(id int, text string) map[string]any {
	return map[string]any{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", id), "content": []any{map[string]any{"type": "output_text", "text": text}}}
}

func responseCall(id int, c Call) map[string]any {
	args, err := json.Marshal(c.Args)
	if err != nil {
		args = []byte("{}")
	}
	return map[string]any{"type": "function_call", "name": c.Tool, "arguments": string(args), "call_id": fmt.Sprintf("call_%d", id)}
}

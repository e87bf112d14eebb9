package scripted

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync"
)

// Messages is a scripted model behind the Anthropic Messages API, streamed or
// whole. Its scripts are those of [Server]: the newest user message that holds
// one decides, and the assistant messages after it count the steps.
//
// A request with at most three tools isn't the agent's main loop. One whose
// system text speaks of classifying is Claude Code 2.1.197's auto mode: it is
// counted, and told that nothing is to be blocked.
type Messages struct {
	http *loopback

	mu         sync.Mutex
	serial     int
	classified int
}

// StartMessages starts a model on a free port of 127.0.0.1.
func StartMessages() *Messages {
	m := &Messages{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.create)
	mux.HandleFunc("POST /v1/messages/count_tokens", m.count)
	m.http = listen(mux)
	return m
}

// Close stops the model and waits for its requests.
func (m *Messages) Close() { m.http.close() }

// BaseURL is what ANTHROPIC_BASE_URL is set to.
func (m *Messages) BaseURL() string { return m.http.url }

// Classified counts the requests of auto mode's classifier so far.
func (m *Messages) Classified() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.classified
}

// messagesRequest is the part of a request that decides the answer.
type messagesRequest struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	System   json.RawMessage `json:"system"`
	Messages []Message       `json:"messages"`
	Tools    []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// mainTools is how many tools a request of the main loop has at least.
const mainTools = 4

var classifier = regexp.MustCompile(`(?i)classif|block.*allow|security monitor|auto mode`)

func (m *Messages) create(w http.ResponseWriter, r *http.Request) {
	var req messagesRequest
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&req); err != nil {
		http.Error(w, "not a messages request: "+err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.serial++
	serial := m.serial
	step := Step{Text: "ok"}
	switch {
	case len(req.Tools) >= mainTools:
		step = scriptStep(req.Messages)
	case classifier.MatchString(Message{Content: req.System}.text()):
		m.classified++
		step = Step{Text: "<block>no</block>"}
		if len(req.Tools) > 0 { // an answer through a tool
			step = Step{Calls: []Call{{Tool: req.Tools[0].Name, Args: map[string]any{"thinking": "x", "shouldBlock": false, "reason": "scripted"}}}}
		}
	}
	m.mu.Unlock()
	writeMessage(w, req, serial, step)
}

func (m *Messages) count(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"input_tokens":1}`)
}

// block is one block of a message's content.
type block map[string]any

func blocks(step Step, serial int) []block {
	var out []block
	if step.Text != "" || len(step.Calls) == 0 {
		out = append(out, block{"type": "text", "text": step.Text})
	}
	for i, c := range step.Calls {
		id, args := c.ID, c.Args
		if id == "" {
			id = fmt.Sprintf("toolu_%d_%d", serial, i)
		}
		if args == nil {
			args = map[string]any{}
		}
		out = append(out, block{"type": "tool_use", "id": id, "name": c.Tool, "input": args})
	}
	return out
}

func writeMessage(w http.ResponseWriter, req messagesRequest, serial int, step Step) {
	stop := "end_turn"
	if len(step.Calls) > 0 {
		stop = "tool_use"
	}
	content := blocks(step, serial)
	message := map[string]any{
		"id": fmt.Sprintf("msg_%d", serial), "type": "message", "role": "assistant", "model": req.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": 1, "output_tokens": 1},
	}
	if !req.Stream {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(message)
		return
	}
	message["content"], message["stop_reason"] = []block{}, nil
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(name string, data map[string]any) {
		data["type"] = name
		b, err := json.Marshal(data)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, b)
	}
	event("message_start", map[string]any{"message": message})
	for i, b := range content {
		start, delta := block{"type": "text", "text": ""}, block{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			input, err := json.Marshal(b["input"])
			if err != nil {
				return
			}
			start = block{"type": "tool_use", "id": b["id"], "name": b["name"], "input": block{}}
			delta = block{"type": "input_json_delta", "partial_json": string(input)}
		}
		event("content_block_start", map[string]any{"index": i, "content_block": start})
		event("content_block_delta", map[string]any{"index": i, "delta": delta})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]int{"output_tokens": 1}})
	event("message_stop", map[string]any{})
}

// Package scripted owns a model that does what a test says: an OpenAI-compatible
// chat completions server on loopback whose answers are a script inside the
// prompt.
//
// The newest user message that holds a script decides. Which step comes next is
// counted from the conversation itself, as the number of assistant messages
// after that message, so the server keeps no state between requests and several
// sessions can use it at once. A request that offers no tools (a title, a
// summary) or has no script is answered with plain text.
package scripted

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// A Script is what the model does, one step for each of its turns. After the
// last step the model says "done" and calls nothing.
type Script []Step

// A Step is one assistant message: tool calls, or text when there are none.
type Step struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
}

// A Call is one tool call. ID is what the agent reports as the call's id; it is
// made up when empty.
type Call struct {
	ID   string         `json:"id,omitempty"`
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

// scriptKey opens the JSON object that carries a script in a prompt.
const scriptKey = `{"modegateScript":`

// Prompt writes the script as the text of a user message.
func (s Script) Prompt() (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return scriptKey + string(b) + "}", nil
}

// scriptIn finds the script in a message's text.
func scriptIn(text string) (Script, bool) {
	at := strings.Index(text, scriptKey)
	if at < 0 {
		return nil, false
	}
	var carried struct {
		Script Script `json:"modegateScript"`
	}
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&carried); err != nil {
		return nil, false
	}
	return carried.Script, true
}

// A Server is the running model. Close it when nobody asks it any more.
type Server struct {
	http *loopback

	mu       sync.Mutex
	requests []Request
}

// Start starts a model on a free port of 127.0.0.1.
func Start() *Server {
	s := &Server{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	s.http = listen(mux)
	return s
}

// Close stops the model and waits for its requests.
func (s *Server) Close() { s.http.close() }

// BaseURL is the provider's base URL, which ends in /v1.
func (s *Server) BaseURL() string { return s.http.url + "/v1" }

// Requests returns the completion requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// maxRequest bounds one completion request, in bytes.
const maxRequest = 64 << 20

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var req Request
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&req); err != nil {
		http.Error(w, "not a chat completion request: "+err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	serial := len(s.requests)
	s.mu.Unlock()
	step := next(req)
	if req.Stream {
		writeStream(w, req.Model, serial, step)
		return
	}
	writeWhole(w, req.Model, serial, step)
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
}

// next chooses the step that a request asks for.
func next(req Request) Step {
	if len(req.Tools) == 0 {
		return Step{Text: "ok"}
	}
	return scriptStep(req.Messages)
}

// scriptStep finds the newest script of a conversation, and its next step.
func scriptStep(messages []Message) Step {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != "user" {
			continue
		}
		script, ok := scriptIn(messages[i].text())
		if !ok {
			continue
		}
		n := 0
		for _, m := range messages[i+1:] {
			if m.Role == "assistant" {
				n++
			}
		}
		if n < len(script) {
			return script[n]
		}
		return Step{Text: "done"}
	}
	return Step{Text: "ok"}
}

package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A Request is the part of a chat completion request that tests look at.
type Request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []Message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

// ToolNames lists the tools that the request offers to the model, in order.
func (r Request) ToolNames() []string {
	names := make([]string, 0, len(r.Tools))
	for _, t := range r.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

// A Message is one entry of the conversation. Content is a string or a list of
// parts.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// text joins the text of the message's parts.
func (m Message) text() string {
	var whole string
	if json.Unmarshal(m.Content, &whole) == nil {
		return whole
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// toolCall is a call in the provider's wire form. Index counts the calls of one
// message and is what joins streamed fragments.
type toolCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// answer is a message, or in a stream the change to one.
type answer struct {
	Role      string     `json:"role,omitempty"`
	Content   string     `json:"content,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

type choice struct {
	Index   int     `json:"index"`
	Delta   *answer `json:"delta,omitempty"`
	Message *answer `json:"message,omitempty"`
	Finish  *string `json:"finish_reason"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

// oneUsage is the token count of every answer: small, so that no agent starts
// to compact a conversation.
var oneUsage = usage{Prompt: 1, Completion: 1, Total: 2}

// toolCalls writes a step's calls in wire form. serial makes ids unique.
func toolCalls(step Step, serial int) ([]toolCall, error) {
	calls := make([]toolCall, 0, len(step.Calls))
	for i, c := range step.Calls {
		args := c.Args
		if args == nil {
			args = map[string]any{}
		}
		b, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("arguments of call %d: %w", i, err)
		}
		out := toolCall{Index: i, ID: c.ID, Type: "function"}
		if out.ID == "" {
			out.ID = fmt.Sprintf("call_%d_%d", serial, i)
		}
		out.Function.Name, out.Function.Arguments = c.Tool, string(b)
		calls = append(calls, out)
	}
	return calls, nil
}

func finish(step Step) *string {
	why := "stop"
	if len(step.Calls) > 0 {
		why = "tool_calls"
	}
	return &why
}

// writeWhole answers without streaming.
func writeWhole(w http.ResponseWriter, model string, serial int, step Step) {
	calls, err := toolCalls(step, serial)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(completion{
		ID: fmt.Sprintf("chatcmpl-%d", serial), Object: "chat.completion", Created: 1, Model: model,
		Choices: []choice{{Message: &answer{Role: "assistant", Content: step.Text, ToolCalls: calls}, Finish: finish(step)}},
		Usage:   &oneUsage,
	})
}

// writeStream answers as server-sent events: one chunk for each call, or one
// for the text, then the chunk that ends the message.
func writeStream(w http.ResponseWriter, model string, serial int, step Step) {
	calls, err := toolCalls(step, serial)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var deltas []answer
	if step.Text != "" || len(calls) == 0 {
		deltas = append(deltas, answer{Role: "assistant", Content: step.Text})
	}
	for _, c := range calls {
		deltas = append(deltas, answer{Role: "assistant", ToolCalls: []toolCall{c}})
	}
	chunk := completion{ID: fmt.Sprintf("chatcmpl-%d", serial), Object: "chat.completion.chunk", Created: 1, Model: model}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, d := range deltas {
		chunk.Choices = []choice{{Delta: &d}}
		writeEvent(w, chunk)
	}
	chunk.Choices, chunk.Usage = []choice{{Delta: &answer{}, Finish: finish(step)}}, &oneUsage
	writeEvent(w, chunk)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// writeEvent writes one event. A failed write means that the agent went away;
// there is no one to tell.
func writeEvent(w http.ResponseWriter, c completion) {
	b, err := json.Marshal(c)
	if err != nil {
		return
	}
	fmt.Fprintf(w, "data: %s\n\n", b)
}

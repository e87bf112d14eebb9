package codex_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

// scriptedModel answers the Responses API with one tool call, and then says that
// it is done. Requests of Codex's own reviewer are answered with an approval.
type scriptedModel struct {
	http *httptest.Server

	mu      sync.Mutex
	calls   []func(heard string) map[string]any // the next answers; then done
	serial  int
	reviews int
	outputs []string // what the tool calls gave, as the model hears it
}

func startModel() *scriptedModel {
	m := &scriptedModel{}
	m.http = httptest.NewServer(http.HandlerFunc(m.serve))
	return m
}

// next sets the calls that the model makes in the next turn. Each is made from
// what the model has heard of those before.
func (m *scriptedModel) next(calls ...func(heard string) map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls, m.outputs, m.reviews = calls, nil, 0
}

// heard returns what the model was told, and how often the reviewer was asked.
func (m *scriptedModel) heard() (string, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.outputs, "\n"), m.reviews
}

func (m *scriptedModel) serve(w http.ResponseWriter, r *http.Request) {
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
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.serial++
	id := m.serial
	item := message(id, "done")
	if s := string(body.Metadata) + string(body.Text); strings.Contains(s, "guardian") || strings.Contains(s, "risk_level") {
		m.reviews++
		item = message(id, `{"outcome":"allow","risk_level":"low","user_authorization":"high","rationale":"scripted"}`)
	} else {
		m.outputs = nil
		for _, in := range body.Input {
			if strings.HasSuffix(in.Type, "_call_output") {
				m.outputs = append(m.outputs, fmt.Sprint(in.Output))
			}
		}
		if len(m.calls) > 0 {
			item, m.calls = m.calls[0](strings.Join(m.outputs, "\n")), m.calls[1:]
			item["call_id"] = fmt.Sprintf("call_%d", id)
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

func message(id int, text string) map[string]any {
	return map[string]any{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", id), "content": []any{map[string]any{"type": "output_text", "text": text}}}
}

func call(tool string, args map[string]any) map[string]any {
	b, _ := json.Marshal(args)
	out := map[string]any{"type": "function_call", "name": tool, "arguments": string(b)}
	if name, ok := strings.CutPrefix(tool, "mcp:"); ok {
		out["name"], out["namespace"], out["arguments"] = name, "mcp__probe", "{}"
	}
	return out
}

// stubEnv makes the test binary an MCP server, so that live tests have one.
const stubEnv = "MODEGATE_MCP_STUB"

func TestMain(m *testing.M) {
	if os.Getenv(stubEnv) != "" {
		serveMCP(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// stubTools are the tools of the stub, with what it says of each.
var stubTools = map[string]map[string]any{
	"read_it":    {"readOnlyHint": true},
	"write_it":   {"readOnlyHint": false, "destructiveHint": true, "openWorldHint": true},
	"closed_it":  {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
	"plain":      nil,
	"elicit":     {"readOnlyHint": true},
	"both":       {"readOnlyHint": true, "destructiveHint": true},
	"harmless":   {"destructiveHint": false},
	"closed":     {"openWorldHint": false},
	"no_read":    {"readOnlyHint": false},
	"read_open":  {"readOnlyHint": true, "openWorldHint": true},
	"elicit_any": nil,
}

func serveMCP(in io.Reader, out io.Writer) {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	var waiting any
	for {
		var msg struct {
			ID     any            `json:"id"`
			Method string         `json:"method"`
			Params map[string]any `json:"params"`
			Result any            `json:"result"`
		}
		if decoder.Decode(&msg) != nil {
			return
		}
		var result any = map[string]any{}
		id := msg.ID
		switch {
		case msg.Method == "initialize":
			result = map[string]any{"protocolVersion": msg.Params["protocolVersion"], "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "probe", "version": "1"}}
		case msg.Method == "tools/list":
			var tools []any
			for name, hints := range stubTools {
				tool := map[string]any{"name": name, "description": name, "inputSchema": map[string]any{"type": "object", "properties": map[string]any{}}}
				if hints != nil {
					tool["annotations"] = hints
				}
				tools = append(tools, tool)
			}
			result = map[string]any{"tools": tools}
		case msg.Method == "tools/call" && strings.HasPrefix(fmt.Sprint(msg.Params["name"]), "elicit"):
			waiting = msg.ID
			encoder.Encode(map[string]any{"jsonrpc": "2.0", "id": "e1", "method": "elicitation/create", "params": map[string]any{
				"message": "pick", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{"color": map[string]any{"type": "string"}}},
			}})
			continue
		case msg.Method == "tools/call":
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": "stub ran"}}}
		case msg.Method == "" && msg.ID == "e1":
			id, result = waiting, map[string]any{"content": []any{map[string]any{"type": "text", "text": fmt.Sprintf("stub heard %v", msg.Result)}}}
		case msg.ID == nil:
			continue
		}
		encoder.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	}
}

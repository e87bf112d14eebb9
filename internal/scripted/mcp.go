package scripted

import (
	"encoding/json"
	"io"
	"net/http"
)

// MCP is a Model Context Protocol server (streamable HTTP, plain JSON answers)
// whose tools do nothing but say that they were called.
type MCP struct {
	http *loopback
}

// StartMCP starts a server on a free port of 127.0.0.1. tools gives what each
// tool is listed with beside its name and schema: annotations, _meta.
func StartMCP(tools map[string]map[string]any) *MCP {
	list := []map[string]any{}
	for name, more := range tools {
		tool := map[string]any{
			"name": name, "description": name,
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"a": map[string]string{"type": "string"}}},
		}
		for k, v := range more {
			tool[k] = v
		}
		list = append(list, tool)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) { answerMCP(w, r, list) })
	return &MCP{listen(mux)}
}

// Close stops the server.
func (m *MCP) Close() { m.http.close() }

// URL is the server's endpoint.
func (m *MCP) URL() string { return m.http.url + "/mcp" }

func answerMCP(w http.ResponseWriter, r *http.Request, tools []map[string]any) {
	var req struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Version string `json:"protocolVersion"`
			Name    string `json:"name"`
		} `json:"params"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&req); err != nil {
		http.Error(w, "not a JSON-RPC request: "+err.Error(), http.StatusBadRequest)
		return
	}
	if req.ID == nil { // a notification
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result any
	switch req.Method {
	case "initialize":
		result = map[string]any{
			"protocolVersion": req.Params.Version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]string{"name": "scripted", "version": "1"},
		}
	case "tools/list":
		result = map[string]any{"tools": tools}
	case "tools/call":
		result = map[string]any{"content": []any{map[string]string{"type": "text", "text": "called " + req.Params.Name}}}
	default:
		result = map[string]any{}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": result})
}

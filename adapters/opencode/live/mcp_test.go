package live_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"
)

// mcpEnv makes the test binary an MCP server on its standard streams, so that
// tests have one without another program.
const mcpEnv = "MODEGATE_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(mcpEnv) == "1" {
		serveMCP(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// mcpConfig is the "mcp" part of an opencode.json with that server under a name
// that needs sanitising.
func mcpConfig(t *testing.T) map[string]any {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"my srv": map[string]any{
		"type": "local", "command": []string{self}, "environment": map[string]string{mcpEnv: "1"},
	}}
}

// serveMCP answers newline-delimited JSON-RPC: two tools and one resource.
func serveMCP(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				ProtocolVersion string `json:"protocolVersion"`
				Name            string `json:"name"`
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &req) != nil || req.ID == nil {
			continue
		}
		schema := map[string]any{"type": "object", "properties": map[string]any{}}
		var result any = map[string]any{}
		switch req.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": req.Params.ProtocolVersion,
				"capabilities":    map[string]any{"tools": map[string]any{}, "resources": map[string]any{}},
				"serverInfo":      map[string]any{"name": "t", "version": "1"},
			}
		case "tools/list":
			result = map[string]any{"tools": []any{
				map[string]any{"name": "do.it now", "description": "x", "inputSchema": schema},
				map[string]any{"name": "plain", "description": "y", "inputSchema": schema},
			}}
		case "resources/list":
			result = map[string]any{"resources": []any{map[string]any{"uri": "note://one", "name": "one"}}}
		case "resources/read":
			result = map[string]any{"contents": []any{map[string]any{"uri": "note://one", "text": "text"}}}
		case "tools/call":
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": "called " + req.Params.Name}}}
		}
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": result})
		if err != nil {
			return
		}
		fmt.Fprintf(out, "%s\n", b)
	}
}

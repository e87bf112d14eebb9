package codex_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wire is a message of the app-server's newline JSON-RPC.
type wire struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// agent is a running `codex app-server` with a home of its own and a scripted
// model.
type agent struct {
	t     *testing.T
	base  string // holds home, ws and outside
	model *scriptedModel
	in    io.WriteCloser
	out   chan wire
	cmd   *exec.Cmd
	calls int
}

const liveConfig = `model = "mock-model"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = %q
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[features]
shell_snapshot = false
[projects.%q]
trust_level = "trusted"
[mcp_servers.probe]
command = %q
[mcp_servers.probe.env]
` + stubEnv + ` = "1"
`

// marker is what every login shell prints first: whether it may gain privileges,
// and who is process 1. It has none of the words that Codex takes for a denial.
const marker = `_n=0
while read -r k v _; do case $k in NoNewPrivs:) _n=$v;; esac; done < /proc/self/status
read -r _p < /proc/1/comm
echo "@@MARK $_n $_p@@"
`

// newBase makes the folders of one agent outside /tmp, which is writable in the
// sandbox, with rules in place.
func newBase(t *testing.T, rules string) string {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "modegate-codex-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	for _, d := range []string{"home/.codex/rules", "tmp", "ws", "outside"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(base, "home", ".bash_profile"), marker)
	if rules != "" {
		write(t, filepath.Join(base, "home", ".codex", "rules", "probe.rules"), strings.ReplaceAll(rules, "/srv/agent", base))
	}
	return base
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// resetWorkspace puts the files of the workspace back.
func (a *agent) resetWorkspace() {
	a.t.Helper()
	ws := filepath.Join(a.base, "ws")
	for _, d := range []string{ws, filepath.Join(a.base, "outside")} {
		if err := os.RemoveAll(d); err != nil {
			a.t.Fatal(err)
		}
	}
	for _, d := range []string{"ws/sub", "ws/.codex", "ws/.agents", "outside"} {
		if err := os.MkdirAll(filepath.Join(a.base, d), 0o755); err != nil {
			a.t.Fatal(err)
		}
	}
	write(a.t, filepath.Join(ws, "file.txt"), "hi\n")
	write(a.t, filepath.Join(ws, "sub", "f"), "a\n")
	write(a.t, filepath.Join(ws, "cat"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(ws, "cat"), 0o755); err != nil {
		a.t.Fatal(err)
	}
	git := exec.Command("git", "init", "-q", ws)
	git.Env = a.env()
	if out, err := git.CombinedOutput(); err != nil {
		a.t.Fatalf("git init: %v\n%s", err, out)
	}
}

func (a *agent) env() []string {
	home := filepath.Join(a.base, "home")
	return []string{"HOME=" + home, "CODEX_HOME=" + filepath.Join(home, ".codex"), "TMPDIR=" + filepath.Join(a.base, "tmp"), "PATH=/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/bash"}
}

func startAgent(t *testing.T, bin, rules string) *agent {
	t.Helper()
	a := &agent{t: t, base: newBase(t, rules), model: startModel(), out: make(chan wire, 100)}
	t.Cleanup(a.model.http.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(a.base, "home", ".codex", "config.toml"), fmt.Sprintf(liveConfig, a.model.http.URL+"/v1", filepath.Join(a.base, "ws"), self))
	a.resetWorkspace()
	a.cmd = exec.Command(bin, "app-server")
	a.cmd.Env, a.cmd.Dir = a.env(), a.base
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.stop)
	go a.read(out)
	a.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "modegate", "title": "modegate", "version": "0"}, "capabilities": map[string]any{"experimentalApi": true}})
	a.send(map[string]any{"method": "initialized"})
	return a
}

func (a *agent) stop() {
	a.in.Close()
	done := make(chan struct{})
	go func() { a.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		a.cmd.Process.Kill()
		<-done
	}
}

func (a *agent) read(out io.Reader) {
	defer close(a.out)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		var m wire
		if len(line) > 0 && json.Unmarshal(line, &m) == nil {
			a.out <- m
		}
		if err != nil {
			return
		}
	}
}

func (a *agent) send(v any) {
	a.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := a.in.Write(append(b, '\n')); err != nil {
		a.t.Fatal(err)
	}
}

// receive waits for one message.
func (a *agent) receive() wire {
	a.t.Helper()
	select {
	case m, ok := <-a.out:
		if !ok {
			a.t.Fatal("the app-server is gone")
		}
		return m
	case <-time.After(40 * time.Second):
		a.t.Fatal("the app-server says nothing")
	}
	return wire{}
}

// call sends a request and returns its result; what else comes is dropped.
func (a *agent) call(method string, params any) json.RawMessage {
	a.t.Helper()
	a.calls++
	id := fmt.Sprint(a.calls)
	a.send(map[string]any{"id": a.calls, "method": method, "params": params})
	for {
		m := a.receive()
		if string(m.ID) != id || m.Method != "" {
			continue
		}
		if m.Error != nil {
			a.t.Fatalf("%s: %s", method, m.Error)
		}
		return m.Result
	}
}

// seen is what one turn showed.
type seen struct {
	asks    []string // methods of the requests, "retry " before one that follows a denial
	reviews int      // by the reviewer
	items   []string // types of completed items
	told    string   // what the model heard, and the output
}

// turn runs one turn with the tool calls; every request is accepted.
func (a *agent) turn(thread string, settings map[string]any, calls ...func(heard string) map[string]any) seen {
	a.t.Helper()
	a.model.next(calls...)
	params := map[string]any{"threadId": thread, "input": []any{map[string]any{"type": "text", "text": "do it"}}}
	for k, v := range settings {
		params[k] = v
	}
	a.calls++
	a.send(map[string]any{"id": a.calls, "method": "turn/start", "params": params})
	var s seen
	for {
		m := a.receive()
		switch {
		case m.ID != nil && m.Method != "":
			ask := m.Method
			if strings.Contains(string(m.Params), "retry without sandbox") {
				ask = "retry " + ask
			}
			s.asks = append(s.asks, ask)
			a.send(map[string]any{"id": m.ID, "result": acceptance(m.Method)})
		case m.Error != nil:
			a.t.Fatalf("turn/start: %s", m.Error)
		case m.Method == "item/completed":
			var p struct {
				Item struct {
					Type   string `json:"type"`
					Output string `json:"aggregatedOutput"`
				} `json:"item"`
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				a.t.Fatal(err)
			}
			s.items = append(s.items, p.Item.Type)
			s.told += p.Item.Output
		case m.Method == "turn/completed" && strings.Contains(string(m.Params), thread):
			told, reviews := a.model.heard()
			s.told, s.reviews = told+s.told, reviews
			return s
		}
	}
}

func acceptance(method string) any {
	switch method {
	case "mcpServer/elicitation/request":
		return map[string]any{"action": "accept", "content": map[string]any{"color": "red"}}
	case "item/tool/requestUserInput":
		return map[string]any{"answers": map[string]any{"q1": map[string]any{"answers": []string{"A"}}}}
	case "item/permissions/requestApproval":
		return map[string]any{"permissions": map[string]any{}, "scope": "turn"}
	}
	return map[string]any{"decision": "accept"}
}

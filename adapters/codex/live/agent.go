package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modegate/modegate/internal/scripted"
)

// wire is a message of the app-server's newline JSON-RPC.
type wire struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// agent is a running `codex app-server` with its folders and model.
type agent struct {
	place place
	model *scripted.Responses
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	lines chan wire
	quit  chan struct{}
	over  chan struct{}
	once  sync.Once
	calls int
}

var errEnded = errors.New("the app-server ended")

// startAgent starts the binary with rules in place. stop must be called.
func startAgent(ctx context.Context, bin, rules string) (*agent, error) {
	a := &agent{model: scripted.StartResponses(), lines: make(chan wire), quit: make(chan struct{}), over: make(chan struct{})}
	var err error
	if a.place, err = newPlace(rules, a.model.BaseURL()); err != nil {
		a.clear()
		return nil, err
	}
	a.cmd = exec.Command(bin, "app-server")
	a.cmd.Env, a.cmd.Dir, a.cmd.WaitDelay = a.place.environment(), a.place.base, 2*time.Second
	in, err1 := a.cmd.StdinPipe()
	out, err2 := a.cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		a.clear()
		return nil, err
	}
	a.in, a.out = in, out
	if err := a.cmd.Start(); err != nil {
		a.clear()
		return nil, err
	}
	go a.read(out)
	if _, err := a.call(ctx, "initialize", map[string]any{
		"clientInfo": map[string]any{"name": "modegate", "title": "modegate", "version": "0"}, "capabilities": map[string]any{"experimentalApi": true},
	}); err != nil {
		a.stop()
		return nil, err
	}
	return a, a.send(map[string]any{"method": "initialized"})
}

// stop ends the binary and removes everything.
func (a *agent) stop() {
	a.once.Do(func() {
		close(a.quit)
		a.in.Close()
		select {
		case <-a.over:
		case <-time.After(3 * time.Second):
			a.cmd.Process.Kill()
			a.out.Close() // a child of it may hold the other end
			<-a.over
		}
		a.clear()
	})
}

func (a *agent) clear() {
	a.model.Close()
	if a.place.base != "" {
		os.RemoveAll(a.place.base)
	}
}

func (a *agent) read(out io.Reader) {
	defer close(a.over)
	defer a.cmd.Wait()
	defer close(a.lines)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		b, err := r.ReadBytes('\n')
		var m wire
		if len(b) > 0 && json.Unmarshal(b, &m) == nil {
			select {
			case a.lines <- m:
			case <-a.quit:
				io.Copy(io.Discard, r)
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (a *agent) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.in.Write(append(b, '\n'))
	return err
}

func (a *agent) next(ctx context.Context) (wire, error) {
	select {
	case m, ok := <-a.lines:
		if !ok {
			return wire{}, errEnded
		}
		return m, nil
	case <-ctx.Done():
		return wire{}, ctx.Err()
	}
}

// call sends a request and returns its result; what else comes is dropped.
func (a *agent) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	a.calls++
	id := fmt.Sprint(a.calls)
	if err := a.send(map[string]any{"id": a.calls, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		m, err := a.next(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		if string(m.ID) != id || m.Method != "" {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	}
}

// turn runs one turn in which the model makes one call; every request is
// accepted.
func (a *agent) turn(ctx context.Context, thread string, settings map[string]any, c scripted.Call) (seen, error) {
	a.model.Next(c)
	params := map[string]any{"threadId": thread, "input": []any{map[string]any{"type": "text", "text": "do it"}}}
	for k, v := range settings {
		params[k] = v
	}
	a.calls++
	var s seen
	if err := a.send(map[string]any{"id": a.calls, "method": "turn/start", "params": params}); err != nil {
		return s, err
	}
	for {
		m, err := a.next(ctx)
		if err != nil {
			return s, err
		}
		switch {
		case m.ID != nil && m.Method != "":
			s.ask(m)
			if err := a.send(map[string]any{"id": m.ID, "result": acceptance(m.Method)}); err != nil {
				return s, err
			}
		case m.Error != nil:
			return s, fmt.Errorf("turn/start: %s", m.Error)
		case m.Method == "item/completed":
			if err := s.item(m.Params); err != nil {
				return s, err
			}
		case m.Method == "turn/completed" && strings.Contains(string(m.Params), thread):
			told, reviews := a.model.Heard()
			s.told, s.reviews = told+s.told, reviews
			return s, nil
		}
	}
}

func acceptance(method string) any {
	switch method {
	case "item/tool/requestUserInput":
		return map[string]any{"answers": map[string]any{"q1": map[string]any{"answers": []string{"A"}}}}
	case "item/permissions/requestApproval":
		return map[string]any{"permissions": map[string]any{}, "scope": "turn"}
	}
	return map[string]any{"decision": "accept"}
}

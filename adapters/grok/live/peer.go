package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// message is one JSON-RPC message of the Agent Client Protocol, a line each.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// peer is a running agent on the other end of the protocol.
type peer struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	noise tail
	once  sync.Once

	mu      sync.Mutex
	serial  int
	waiting map[string]chan message
	seen    []message // requests and notifications of the agent, oldest first
	answer  func(method string, params json.RawMessage) any
	ended   chan struct{}
}

// tail keeps the end of what the agent says to people.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	t.buf = t.buf[max(0, len(t.buf)-2000):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

var errEnded = errors.New("the agent ended")

// startPeer runs a command, which stop ends. answer gives the result of each
// request of the agent; nil is "method not found".
func startPeer(cmd *exec.Cmd, answer func(string, json.RawMessage) any) (*peer, error) {
	p := &peer{cmd: cmd, waiting: map[string]chan message{}, answer: answer, ended: make(chan struct{})}
	cmd.Stderr = &p.noise
	cmd.WaitDelay = 2 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(out)
	return p, nil
}

// stop ends the agent, as often as it is called.
func (p *peer) stop() {
	p.once.Do(func() {
		p.in.Close()
		select {
		case <-p.ended:
		case <-time.After(2 * time.Second):
			p.cmd.Process.Kill()
			p.out.Close() // a child of it may hold the other end
			<-p.ended
		}
		p.cmd.Wait()
	})
}

func (p *peer) read(out io.Reader) {
	defer close(p.ended)
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		p.take(m)
	}
}

func (p *peer) take(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Method == "" {
		if ch := p.waiting[string(m.ID)]; ch != nil {
			delete(p.waiting, string(m.ID))
			ch <- m
		}
		return
	}
	p.seen = append(p.seen, m)
	if m.ID == nil {
		return
	}
	reply := message{Version: "2.0", ID: m.ID}
	if result := p.answer(m.Method, m.Params); result != nil {
		reply.Result, _ = json.Marshal(result)
	} else {
		reply.Error = json.RawMessage(`{"code":-32601,"message":"method not found"}`)
	}
	p.send(reply)
}

func (p *peer) send(m message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = p.in.Write(append(b, '\n'))
	return err
}

// call sends a request and waits for its result.
func (p *peer) call(method string, params any, wait time.Duration) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.serial++
	id := fmt.Sprint(p.serial)
	ch := make(chan message, 1)
	p.waiting[id] = ch
	err = p.send(message{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: raw})
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case m := <-ch:
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	case <-p.ended:
		return nil, fmt.Errorf("%s: %w: %s", method, errEnded, p.noise.String())
	case <-time.After(wait):
		return nil, fmt.Errorf("%s: %w after %s", method, os.ErrDeadlineExceeded, wait)
	}
}

// since returns what the agent sent after a mark, and the new mark.
func (p *peer) since(mark int) ([]message, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[mark:len(p.seen):len(p.seen)], len(p.seen)
}

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// line is one line of the binary's stream-json output, as far as it is looked at.
type line struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Request   request         `json:"request"`
	Response  response        `json:"response"`
	Message   json.RawMessage `json:"message"`
	Meta      []resultMeta    `json:"tool_result_meta"`
	Mode      string          `json:"permissionMode"` // of the init line
}

type request struct {
	Subtype   string          `json:"subtype"`
	ToolUseID string          `json:"tool_use_id"`
	Input     json.RawMessage `json:"input"`
}

type response struct {
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Error     string `json:"error"`
}

// process is a running binary on the other end of stdio.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Closer
	lines  chan line
	noise  tail
	serial int

	quit chan struct{} // closed when nobody reads lines any more
	over chan struct{} // closed when the process has ended
	once sync.Once
}

var errEnded = errors.New("claude ended")

// start runs a command. stop must be called.
func start(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, lines: make(chan line), quit: make(chan struct{}), over: make(chan struct{})}
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

func (p *process) read(out io.Reader) {
	defer close(p.over)
	defer p.cmd.Wait()
	defer close(p.lines)
	r := bufio.NewReaderSize(out, 1<<16)
	for {
		b, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var l line
		if json.Unmarshal(b, &l) != nil {
			continue
		}
		select {
		case p.lines <- l:
		case <-p.quit:
			io.Copy(io.Discard, r)
			return
		}
	}
}

// next waits for a line.
func (p *process) next(ctx context.Context) (line, error) {
	select {
	case l, ok := <-p.lines:
		if !ok {
			return line{}, fmt.Errorf("%w: %s", errEnded, p.noise.String())
		}
		return l, nil
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
}

func (p *process) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("%w: %w: %s", errEnded, err, p.noise.String())
	}
	return nil
}

// control sends a control request and waits until it was answered.
func (p *process) control(ctx context.Context, request map[string]any) error {
	p.serial++
	id := "c" + strconv.Itoa(p.serial)
	if err := p.send(map[string]any{"type": "control_request", "request_id": id, "request": request}); err != nil {
		return err
	}
	for {
		l, err := p.next(ctx)
		if err != nil {
			return fmt.Errorf("%v: %w", request["subtype"], err)
		}
		if l.Type == "control_response" && l.Response.RequestID == id {
			if l.Response.Subtype != "success" {
				return fmt.Errorf("%v: %s", request["subtype"], l.Response.Error)
			}
			return nil
		}
	}
}

// answer replies to a control request of the binary.
func (p *process) answer(id string, with map[string]any) error {
	return p.send(map[string]any{"type": "control_response", "response": map[string]any{
		"subtype": "success", "request_id": id, "response": with,
	}})
}

// stop ends the process and waits until it is gone.
func (p *process) stop() {
	p.once.Do(func() {
		close(p.quit)
		p.in.Close()
		select {
		case <-p.over:
		case <-time.After(2 * time.Second):
			p.cmd.Process.Kill()
			p.out.Close() // a child of it may hold the other end
		}
	})
	<-p.over
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - 2000; over > 0 {
		t.buf = append([]byte(nil), t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.buf))
}

package livetest

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/loosejson"
	"github.com/modegate/modegate/internal/strictjson"
)

// A Player is the server of a Recording: it answers as the recorded one did while
// the client does what is recorded, and refuses everything once the client does
// something else.
//
// Reads that the recording doesn't have, such as reading rules back, are answered
// from what it has said so far: they change nothing, and are no difference.
type Player struct {
	http.Handler
	// Expecting is called when the client's next operation is known; nil does
	// nothing. It must not wait.
	Expecting func(Frame)

	rec *Recording

	mu       sync.Mutex
	at       int
	problems []string
	beyond   []string                         // reads that the recording doesn't have
	waits    map[string][]chan jsontext.Value // for the answers to operations
	streams  streams
	sessions map[string]map[string]any // by id, as they were created
	pending  []loosejson.Value         // what waits: permission requests and forms
	running  map[string]bool
}

// Play returns the server of a recording.
func Play(rec *Recording) *Player {
	p := &Player{rec: rec, waits: map[string][]chan jsontext.Value{}, sessions: map[string]map[string]any{}, running: map[string]bool{}}
	p.Handler = serve(p.handle)
	return p
}

// Problems says what the client did that isn't recorded, and what is recorded and
// it didn't do.
func (p *Player) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	problems := p.problems
	if len(problems) == 0 && p.at < len(p.rec.Frames) {
		f := p.rec.Frames[p.at]
		problems = append(problems, fmt.Sprintf("%s:%d: %s was never called", p.rec.File, f.Line, f.Operation))
	}
	return problems
}

// Beyond lists the reads that the recording doesn't have.
func (p *Player) Beyond() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.beyond
}

// Close ends the streams.
func (p *Player) Close() { p.streams.closeAll() }

func (p *Player) handle(w http.ResponseWriter, r *http.Request, op Operation) {
	p.mu.Lock()
	frame, left := p.next()
	if len(p.problems) > 0 {
		p.mu.Unlock()
		refuse(http.StatusInternalServerError, "UnknownError", "the recording can't go on").write(w)
		return
	}
	if !op.Write && (!left || frame.Operation != op.Name) && op.Name != "event.subscribe" {
		p.beyond = append(p.beyond, op.String())
		a := p.read(op)
		p.mu.Unlock()
		a.write(w)
		return
	}
	problem := ""
	if !left {
		problem = fmt.Sprintf("%s: %s after the end", p.rec.File, op)
	} else if d := op.Differs(frame); d != "" {
		problem = fmt.Sprintf("%s:%d: %s", p.rec.File, frame.Line, d)
	}
	if problem != "" {
		p.problems = append(p.problems, problem)
		p.mu.Unlock()
		refuse(http.StatusInternalServerError, "UnknownError", problem).write(w)
		return
	}
	if op.Name == "session.update" {
		p.updated(op)
	}
	p.at++
	if op.Name == "event.subscribe" {
		s := p.streams.open()
		expecting := p.advance()
		p.mu.Unlock()
		p.expect(expecting)
		s.serve(w, r)
		return
	}
	mine := make(chan jsontext.Value, 1)
	p.waits[op.Name] = append(p.waits[op.Name], mine)
	expecting := p.advance()
	p.mu.Unlock()
	p.expect(expecting)
	select {
	case body := <-mine:
		a := done
		if string(body) != "null" {
			a = ok(body)
		}
		a.write(w)
	case <-r.Context().Done():
	}
}

// next is the operation that the recording expects now.
func (p *Player) next() (Frame, bool) {
	if p.at >= len(p.rec.Frames) {
		return Frame{}, false
	}
	return p.rec.Frames[p.at], true
}

func (p *Player) expect(f *Frame) {
	if f != nil && p.Expecting != nil {
		p.Expecting(*f)
	}
}

// advance says what the recorded server said, up to the client's next operation.
func (p *Player) advance() *Frame {
	for ; p.at < len(p.rec.Frames); p.at++ {
		switch f := p.rec.Frames[p.at]; f.Kind {
		case Outbound:
			return &f
		case Response:
			list := p.waits[f.Operation]
			if len(list) == 0 {
				p.problems = append(p.problems, fmt.Sprintf("%s:%d: an answer to %s, which nobody called", p.rec.File, f.Line, f.Operation))
				return nil
			}
			p.waits[f.Operation] = list[1:]
			p.learn(f)
			list[0] <- f.Data
		case Event:
			p.heard(f)
			p.streams.send(f.Data)
		case Exit:
		}
	}
	return nil
}

// learn keeps what was created, so that it can be read.
func (p *Player) learn(f Frame) {
	if f.Operation != "session.create" && f.Operation != "session.get" {
		return
	}
	var out struct {
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal(f.Data, &out); err == nil {
		if id, ok := out.Data["id"].(string); ok {
			p.sessions[id] = out.Data
		}
	}
}

func (p *Player) updated(op Operation) {
	if s := p.sessions[op.text("sessionID")]; s != nil && len(op.Input["permissions"]) > 0 {
		s["permissions"] = op.Input["permissions"]
	}
}

// heard keeps what waits and what runs.
func (p *Player) heard(f Frame) {
	v, err := loosejson.Parse(f.Data)
	if err != nil {
		return
	}
	d := v.Get("data")
	switch v.Get("type").Text() {
	case "permission.asked":
		p.pending = append(p.pending, d)
	case "form.created":
		p.pending = append(p.pending, d.Get("form"))
	case "permission.replied":
		p.settle(d.Get("requestID").Text())
	case "form.replied", "form.cancelled":
		p.settle(d.Get("id").Text())
	case "session.execution.started":
		p.running[d.Get("sessionID").Text()] = true
	case "session.execution.succeeded", "session.execution.failed", "session.execution.interrupted":
		delete(p.running, d.Get("sessionID").Text())
	}
}

func (p *Player) settle(id string) {
	for i, v := range p.pending {
		if v.Get("id").Text() == id {
			p.pending = append(p.pending[:i:i], p.pending[i+1:]...)
			return
		}
	}
}

// read answers a read that the recording doesn't have.
func (p *Player) read(op Operation) answer {
	session := op.text("sessionID")
	switch op.Name {
	case "session.active":
		active := map[string]any{}
		for id := range p.running {
			active[id] = map[string]string{"type": "running"}
		}
		return data(active)
	case "session.get":
		if s := p.sessions[session]; s != nil {
			return data(s)
		}
	case "session.permission.list", "session.form.list":
		list := []jsontext.Value{}
		for _, v := range p.pending {
			if v.Get("sessionID").Text() == session && v.Get("fields").IsList() == (op.Name == "session.form.list") {
				list = append(list, v.Raw())
			}
		}
		return data(list)
	case "permission.saved.list":
		return data([]any{})
	}
	text, err := strictjson.Encode(op.Input)
	if err != nil {
		text = nil
	}
	return refuse(http.StatusNotFound, "SessionNotFoundError", "the recording doesn't say: "+op.Name+" "+string(text), "sessionID", session)
}

package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/modegate/modegate/adapters/opencode/live"
)

// fakeServer answers like the 1.x surface of 1.18.33, as far as a run needs it.
// What its agent does is a list of asks; what it is told is its log.
type fakeServer struct {
	t    *testing.T
	http *httptest.Server

	mu       sync.Mutex
	changed  *sync.Cond
	log      []string // "once per_1", "reject per_1", "abort ses_1", "patch", ...
	sessions map[string]*live.Session
	messages []map[string]any
	pending  []map[string]any
	streams  map[chan string]bool
	deaf     bool                  // new streams are refused
	faults   map[string][]string   // by request id: what its next replies come to
	verdicts map[string]live.Reply // by request id
	status   string
	ran      []string // ids of requests that were allowed
	stuck    bool     // PATCH changes nothing
	mute     bool     // the agent never answers
	prompted string   // the last prompt's body
	agent    func(*fakeServer) string
	work     sync.WaitGroup
}

func newFake(t *testing.T) *fakeServer {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	f := &fakeServer{
		t: t, sessions: map[string]*live.Session{}, streams: map[chan string]bool{},
		faults: map[string][]string{}, verdicts: map[string]live.Reply{}, status: live.StatusIdle,
	}
	f.changed = sync.NewCond(&f.mu)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /event", f.events)
	mux.HandleFunc("GET /agent", f.json(func(*http.Request) any {
		return []live.Agent{{Name: "build", Mode: "primary", Permission: []live.Rule{{Permission: "*", Pattern: "*", Action: "allow"}}},
			{Name: "plan", Mode: "primary", Permission: []live.Rule{{Permission: "edit", Pattern: "*", Action: "deny"}}}}
	}))
	mux.HandleFunc("GET /path", f.json(func(*http.Request) any { return live.Paths{Home: "/home/dev", Worktree: "/w", Directory: "/w"} }))
	mux.HandleFunc("GET /config", f.json(func(*http.Request) any { return map[string]any{} }))
	mux.HandleFunc("GET /session/status", f.json(func(*http.Request) any {
		return map[string]any{"ses_1": map[string]string{"type": f.status}}
	}))
	mux.HandleFunc("POST /session", f.json(f.create))
	mux.HandleFunc("GET /session/{id}", f.json(func(r *http.Request) any { return f.sessions[r.PathValue("id")] }))
	mux.HandleFunc("PATCH /session/{id}", f.json(f.patch))
	mux.HandleFunc("GET /session/{id}/message", f.json(func(*http.Request) any { return f.messages }))
	mux.HandleFunc("POST /session/{id}/abort", f.json(func(r *http.Request) any {
		f.log = append(f.log, "abort "+r.PathValue("id"))
		return true
	}))
	mux.HandleFunc("POST /session/{id}/prompt_async", f.prompt)
	mux.HandleFunc("GET /permission", f.json(func(*http.Request) any { return f.waiting("per_") }))
	mux.HandleFunc("GET /question", f.json(func(*http.Request) any { return f.waiting("que_") }))
	mux.HandleFunc("POST /permission/{id}/reply", f.reply)
	mux.HandleFunc("POST /question/{id}/{what}", f.reply)
	f.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		f.cut()
		f.http.CloseClientConnections()
		f.http.Close()
		f.mu.Lock()
		f.verdicts["end"] = live.Reply{}
		f.changed.Broadcast()
		f.mu.Unlock()
		f.work.Wait()
	})
	return f
}

// json answers with what f returns, which is called with the lock held; a nil
// session is a 404.
func (f *fakeServer) json(answer func(*http.Request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		out := answer(r)
		if s, ok := out.(*live.Session); ok && s == nil {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(out)
	}
}

func (f *fakeServer) create(r *http.Request) any {
	var n live.NewSession
	json.NewDecoder(r.Body).Decode(&n)
	s := &live.Session{ID: fmt.Sprintf("ses_%d", len(f.sessions)+1), Directory: "/w", Permission: n.Permission}
	f.sessions[s.ID] = s
	f.log = append(f.log, "create")
	return s
}

func (f *fakeServer) patch(r *http.Request) any {
	var n live.NewSession
	json.NewDecoder(r.Body).Decode(&n)
	s := f.sessions[r.PathValue("id")]
	f.log = append(f.log, "patch")
	if !f.stuck {
		s.Permission = append(s.Permission, n.Permission...)
	}
	return s
}

func (f *fakeServer) waiting(prefix string) []map[string]any {
	out := []map[string]any{}
	for _, p := range f.pending {
		if strings.HasPrefix(p["id"].(string), prefix) {
			out = append(out, p)
		}
	}
	return out
}

func (f *fakeServer) prompt(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.WriteHeader(http.StatusNoContent)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prompted = string(body)
	f.status = live.StatusBusy
	f.log = append(f.log, "prompt")
	f.messages = append(f.messages, message(len(f.messages), "user", ""))
	f.work.Go(func() {
		finish := f.agent(f)
		f.mu.Lock()
		if !f.mute {
			f.messages = append(f.messages, message(len(f.messages), "assistant", finish))
		}
		f.status = live.StatusIdle
		f.changed.Broadcast()
		f.mu.Unlock()
		f.say(live.EventIdle, map[string]any{"sessionID": "ses_1"})
	})
}

func message(n int, role, finish string) map[string]any {
	return map[string]any{"info": map[string]any{"id": fmt.Sprintf("msg_%d", n), "sessionID": "ses_1", "role": role, "finish": finish}}
}

// reply takes a reply of either kind, unless a fault is due: "500" fails it,
// "lost" does it and cuts the connection, "404" has somebody else be faster.
func (f *fakeServer) reply(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	var reply live.Reply
	json.NewDecoder(r.Body).Decode(&reply)
	if what := r.PathValue("what"); what != "" {
		reply = live.Reply{Reply: what}
	}
	f.mu.Lock()
	f.log = append(f.log, strings.TrimSpace(reply.Reply+" "+id))
	fault := ""
	if faults := f.faults[id]; len(faults) > 0 {
		fault, f.faults[id] = faults[0], faults[1:]
	}
	f.mu.Unlock()
	switch fault {
	case "500":
		http.Error(w, "no", http.StatusInternalServerError)
		return
	case "404":
		f.settle(id, live.Reply{Reply: live.ReplyOnce})
	}
	if !f.settle(id, reply) {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	if fault == "lost" {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, "true")
}

// settle answers a request for anyone. A rejection takes the others of its
// session with it, without a message.
func (f *fakeServer) settle(id string, reply live.Reply) bool {
	f.mu.Lock()
	at := slices.IndexFunc(f.pending, func(p map[string]any) bool { return p["id"] == id })
	if at < 0 {
		f.mu.Unlock()
		return false
	}
	session := f.pending[at]["sessionID"]
	f.pending = slices.Delete(f.pending, at, at+1)
	if reply.Reply == live.ReplyOnce {
		f.ran = append(f.ran, id)
	}
	var others []string
	for _, p := range f.pending {
		if reply.Reply == live.ReplyReject && p["sessionID"] == session {
			others = append(others, p["id"].(string))
		}
	}
	f.mu.Unlock()
	f.say(map[bool]string{true: live.EventReplied, false: "question.replied"}[strings.HasPrefix(id, "per_")],
		map[string]any{"sessionID": session, "requestID": id, "reply": reply.Reply})
	f.mu.Lock()
	f.verdicts[id] = reply
	f.changed.Broadcast()
	f.mu.Unlock()
	for _, o := range others {
		f.settle(o, live.Reply{Reply: live.ReplyReject})
	}
	return true
}

// put lets requests wait; with say false no event tells.
func (f *fakeServer) put(say bool, requests ...map[string]any) {
	f.mu.Lock()
	f.pending = append(f.pending, requests...)
	f.mu.Unlock()
	for _, q := range requests {
		if say {
			f.say(map[bool]string{true: live.EventAsked, false: live.EventQuestionAsked}[strings.HasPrefix(q["id"].(string), "per_")], q)
		}
	}
}

// await returns the reply to a request.
func (f *fakeServer) await(id string) live.Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if r, ok := f.verdicts[id]; ok {
			return r
		}
		if _, over := f.verdicts["end"]; over {
			return live.Reply{}
		}
		f.changed.Wait()
	}
}

// idle returns once the agent's run has ended.
func (f *fakeServer) idle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.status != live.StatusIdle {
		f.changed.Wait()
	}
}

// asks has the agent ask one thing after the other, as the real loop does.
func asks(requests ...map[string]any) func(*fakeServer) string {
	return func(f *fakeServer) string {
		for _, q := range requests {
			f.put(true, q)
			if r := f.await(q["id"].(string)); r.Reply == live.ReplyReject && r.Message == "" {
				return "tool-calls"
			}
		}
		return "stop"
	}
}

func (f *fakeServer) say(kind string, properties any) {
	b, _ := json.Marshal(map[string]any{"type": kind, "properties": properties})
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.streams {
		s <- string(b)
	}
}

// cut breaks every event stream.
func (f *fakeServer) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.streams {
		close(s)
		delete(f.streams, s)
	}
}

func (f *fakeServer) events(w http.ResponseWriter, r *http.Request) {
	s := make(chan string, 1000)
	f.mu.Lock()
	if f.deaf {
		f.mu.Unlock()
		http.Error(w, "no", http.StatusServiceUnavailable)
		return
	}
	f.streams[s] = true
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"type\":%q,\"properties\":{}}\n\n", live.EventConnected)
	w.(http.Flusher).Flush()
	for {
		select {
		case text, ok := <-s:
			if !ok {
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", text)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			f.mu.Lock()
			delete(f.streams, s)
			f.mu.Unlock()
			return
		}
	}
}

// logged is the log so far.
func (f *fakeServer) logged() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

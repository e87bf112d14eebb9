package livetest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/internal/livebin"
)

// FakeDir is the folder that a Fake serves.
const FakeDir = "/w"

// A Fake answers like the 1.x surface of 1.18.33, as far as a run needs it: it
// is there for the faults that the real one can't be made to have. What its agent
// does is a function, what it is told is its log.
type Fake struct {
	// Agent is what a prompt's run does. It returns the finish of its message.
	Agent func(*Fake) string

	http *httptest.Server
	work sync.WaitGroup

	mu       sync.Mutex
	changed  *sync.Cond
	over     bool
	life     int  // counts the server's processes
	dead     bool // there is none
	deaf     bool // new streams are refused
	stuck    bool // PATCH changes nothing
	mute     bool // the agent never answers
	status   string
	log      []string // "once per_1", "reject per_1", "abort ses_1", "patch", ...
	sessions map[string]*live.Session
	messages []map[string]any
	calls    []*fakeCall // of the message that is under way
	pending  []map[string]any
	streams  map[chan string]bool
	faults   map[string][]string // by request id: what its next replies come to
	loses    []string            // methods and paths whose next answer is lost
	replies  func(id string)
	empties  func()
	verdicts map[string]live.Reply // by request id
	ran      []string              // ids of requests that were allowed
	prompted string                // the last prompt's body
}

// fakeCall is the tool call behind a request.
type fakeCall struct{ request, status string }

// NewFake starts a server that ends with the test.
func NewFake(t testing.TB) *Fake {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	f := &Fake{
		sessions: map[string]*live.Session{}, streams: map[chan string]bool{},
		faults: map[string][]string{}, verdicts: map[string]live.Reply{}, status: live.StatusIdle,
	}
	f.changed = sync.NewCond(&f.mu)
	f.http = httptest.NewUnstartedServer(f.carried(f.routes()))
	f.http.Config.SetKeepAlivesEnabled(false) // no call meets a connection that is being closed
	f.http.Start()
	t.Cleanup(func() {
		f.Cut()
		f.http.CloseClientConnections()
		f.http.Close()
		f.mu.Lock()
		f.over = true
		f.changed.Broadcast()
		f.mu.Unlock()
		f.work.Wait()
	})
	return f
}

// URL is the server's address.
func (f *Fake) URL() string { return f.http.URL }

func (f *Fake) routes() *http.ServeMux {
	mux := http.NewServeMux()
	session := func(r *http.Request) any { return f.sessions[r.PathValue("id")] }
	mux.HandleFunc("GET /event", f.events)
	mux.HandleFunc("GET /global/health", f.json(func(*http.Request) any { return map[string]any{"healthy": true, "version": livebin.OpenCode.Version} }))
	mux.HandleFunc("GET /agent", f.json(func(*http.Request) any {
		return []live.Agent{{Name: "build", Mode: "primary", Permission: []live.Rule{{Permission: "*", Pattern: "*", Action: "allow"}}},
			{Name: "plan", Mode: "primary", Permission: []live.Rule{{Permission: "edit", Pattern: "*", Action: "deny"}}}}
	}))
	mux.HandleFunc("GET /path", f.json(func(*http.Request) any {
		return live.Paths{Home: "/home/dev", Worktree: FakeDir, Directory: FakeDir}
	}))
	mux.HandleFunc("GET /config", f.json(func(*http.Request) any { return map[string]any{} }))
	mux.HandleFunc("GET /session/status", f.json(func(*http.Request) any {
		return map[string]any{"ses_1": map[string]string{"type": f.status}}
	}))
	mux.HandleFunc("POST /session", f.json(f.create))
	mux.HandleFunc("GET /session/{id}", f.json(session))
	mux.HandleFunc("PATCH /session/{id}", f.json(f.patch))
	mux.HandleFunc("GET /session/{id}/message", f.json(func(*http.Request) any { return f.shown() }))
	message := f.json(f.message)
	mux.HandleFunc("POST /session/{id}/message", func(w http.ResponseWriter, r *http.Request) {
		message(w, r)
		if f.empties != nil {
			f.empties()
		}
	})
	mux.HandleFunc("POST /session/{id}/abort", f.json(func(r *http.Request) any {
		f.log = append(f.log, "abort "+r.PathValue("id"))
		return true
	}))
	mux.HandleFunc("POST /session/{id}/prompt_async", f.prompt)
	mux.HandleFunc("GET /permission", f.json(func(*http.Request) any { return f.waiting("per_") }))
	mux.HandleFunc("GET /question", f.json(func(*http.Request) any { return f.waiting("que_") }))
	mux.HandleFunc("POST /permission/{id}/reply", f.reply)
	mux.HandleFunc("POST /question/{id}/{what}", f.reply)
	return mux
}

// carried lets the connection break where it is due: before anything is done
// while there is no server, after it where the answer is lost.
func (f *Fake) carried(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		dead, at := f.dead, slices.Index(f.loses, r.Method+" "+r.URL.Path)
		if at >= 0 {
			f.loses = slices.Delete(f.loses, at, at+1)
		}
		f.mu.Unlock()
		if dead {
			panic(http.ErrAbortHandler)
		}
		if at >= 0 {
			to.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		to.ServeHTTP(w, r)
	})
}

// json answers with what answer returns, which is called with the lock held; a
// nil session is a 404.
func (f *Fake) json(answer func(*http.Request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		out := answer(r)
		if s, ok := out.(*live.Session); ok && s == nil {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the client is gone
	}
}

func (f *Fake) create(r *http.Request) any {
	var n live.NewSession
	_ = json.NewDecoder(r.Body).Decode(&n)
	s := &live.Session{ID: fmt.Sprintf("ses_%d", len(f.sessions)+1), Directory: FakeDir, Permission: n.Permission}
	f.sessions[s.ID] = s
	f.log = append(f.log, "create")
	return s
}

func (f *Fake) patch(r *http.Request) any {
	var n live.NewSession
	_ = json.NewDecoder(r.Body).Decode(&n)
	s := f.sessions[r.PathValue("id")]
	f.log = append(f.log, "patch")
	if !f.stuck {
		s.Permission = append(s.Permission, n.Permission...)
		f.say(live.EventSessionUpdated, map[string]any{"sessionID": s.ID, "info": s})
	}
	return s
}

// message takes a message that starts no run. Its tools replace the session's
// rules, unless there are none.
func (f *Fake) message(r *http.Request) any {
	var n struct {
		NoReply bool            `json:"noReply"`
		Tools   map[string]bool `json:"tools"`
	}
	_ = json.NewDecoder(r.Body).Decode(&n)
	s := f.sessions[r.PathValue("id")]
	f.log = append(f.log, fmt.Sprintf("message %v", n.Tools))
	if len(n.Tools) > 0 && !f.stuck {
		s.Permission = nil
		for _, name := range slices.Sorted(maps.Keys(n.Tools)) {
			action := live.ActionDeny
			if n.Tools[name] {
				action = live.ActionAllow
			}
			s.Permission = append(s.Permission, live.Rule{Permission: name, Pattern: "*", Action: action})
		}
	}
	m := f.newMessage("user", "", nil)
	f.messages = append(f.messages, m)
	return m
}

func (f *Fake) waiting(prefix string) []map[string]any {
	out := []map[string]any{}
	for _, p := range f.pending {
		if strings.HasPrefix(p["id"].(string), prefix) {
			out = append(out, p)
		}
	}
	return out
}

func (f *Fake) prompt(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.WriteHeader(http.StatusNoContent)
	w.(http.Flusher).Flush() // before anything can befall the server
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prompted = string(body)
	f.status = live.StatusBusy
	f.log = append(f.log, "prompt")
	f.messages = append(f.messages, f.newMessage("user", "", nil))
	life := f.life
	f.work.Go(func() {
		finish := f.Agent(f)
		f.mu.Lock()
		if f.life != life {
			f.mu.Unlock()
			return
		}
		if !f.mute {
			f.messages = append(f.messages, f.newMessage("assistant", finish, f.calls))
		}
		f.calls, f.status = nil, live.StatusIdle
		f.changed.Broadcast()
		f.mu.Unlock()
		f.Say(live.EventIdle, map[string]any{"sessionID": "ses_1"})
	})
}

// shown are the session's messages, with the one that is under way.
func (f *Fake) shown() []map[string]any {
	if len(f.calls) == 0 {
		return f.messages
	}
	return append(slices.Clone(f.messages), f.newMessage("assistant", "", f.calls))
}

func (f *Fake) newMessage(role, finish string, calls []*fakeCall) map[string]any {
	parts := []map[string]any{}
	for _, c := range calls {
		parts = append(parts, map[string]any{"type": "tool", "callID": "call_" + c.request, "state": map[string]any{"status": c.status}})
	}
	return map[string]any{
		"info":  map[string]any{"id": fmt.Sprintf("msg_%d", len(f.messages)), "sessionID": "ses_1", "role": role, "finish": finish},
		"parts": parts,
	}
}

func (f *Fake) events(w http.ResponseWriter, r *http.Request) {
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

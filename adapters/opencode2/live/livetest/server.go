package livetest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/httpjson/httpjsontest"
	"github.com/modegate/modegate/internal/strictjson"
)

// A Rule is one permission rule.
type Rule struct {
	Action   string `json:"action"`
	Resource string `json:"resource"`
	Effect   string `json:"effect"`
}

// Options say how a Server begins.
type Options struct {
	Password string
	Dir      string // where sessions run; "" is /w
	Agent    Agent  // what the agent does with a prompt; nil: it says "done"
	Unlisted int    // how many first answers about agents are empty
	// NoDelete is how the server answers DELETE of a form when it cancels forms by
	// POST …/cancel; "" is a server that takes DELETE and doesn't have that route.
	NoDelete Fault
}

// A Server is a scripted OpenCode 2 server. Its sessions and their rules outlive
// its process; what waits and what runs doesn't.
type Server struct {
	http.Handler
	Network *httpjsontest.Network // of Start

	o        Options
	networks []*httpjsontest.Network
	streams  streams
	work     sync.WaitGroup

	mu       sync.Mutex
	serial   int
	sessions map[string]*session
	turns    map[string]*Turn // by session: what runs
	pending  []*pending
	settled  map[string]bool // forms
	saved    []Rule
	unlisted int
	calls    []Operation
	ran      []string
	faults   map[string][]Fault
	befores  map[string]func() bool
	afters   map[string]func() bool
	deaf     bool // new streams are refused
	stuck    bool // an update changes nothing
	model    map[string]string
}

// session is what the server keeps of a session.
type session struct {
	id, parent string
	rules      []Rule
	seq        int
}

// NewServer returns a server that is an [http.Handler].
func NewServer(o Options) *Server {
	if o.Dir == "" {
		o.Dir = "/w"
	}
	s := &Server{
		o: o, unlisted: o.Unlisted, sessions: map[string]*session{}, turns: map[string]*Turn{}, settled: map[string]bool{},
		faults: map[string][]Fault{}, befores: map[string]func() bool{}, afters: map[string]func() bool{}, model: map[string]string{"id": "scripted", "providerID": "fake", "variant": "default"},
	}
	s.Handler = s.guard(serve(s.handle))
	return s
}

// Start runs a server on a network of its own, inside the test's bubble
// (testing/synctest).
func Start(t testing.TB, o Options) *Server {
	s := NewServer(o)
	t.Cleanup(s.Close)
	s.Network = s.Listen(t)
	return s
}

// Listen is a further way to the server, which can be cut by itself.
func (s *Server) Listen(t testing.TB) *httpjsontest.Network {
	network := httpjsontest.New()
	s.networks = append(s.networks, network)
	server := &http.Server{Handler: s}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = server.Serve(network)
	}()
	t.Cleanup(func() {
		s.stop()
		server.Close()
		network.Close()
		<-over
	})
	return network
}

// Close ends what the server still does.
func (s *Server) Close() {
	s.stop()
	s.work.Wait()
}

func (s *Server) stop() {
	s.mu.Lock()
	for _, t := range s.turns {
		t.kill()
	}
	s.mu.Unlock()
	s.streams.closeAll()
}

// guard lets nobody in without the password.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if s.o.Password != "" && (user != "opencode" || password != s.o.Password) {
			refuse(http.StatusUnauthorized, "UnauthorizedError", "Unauthorized").write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request, op Operation) {
	s.mu.Lock()
	s.calls = append(s.calls, op)
	fault := Fault("")
	if list := s.faults[op.Name]; len(list) > 0 {
		fault, s.faults[op.Name] = list[0], list[1:]
	}
	deaf := s.deaf
	if post := strings.HasSuffix(r.URL.Path, "/cancel"); op.Name == "session.form.cancel" && post != (s.o.NoDelete != "") {
		if fault = s.o.NoDelete; post {
			fault = Page
		}
	}
	before, after := s.befores[op.Name], s.afters[op.Name]
	delete(s.befores, op.Name)
	delete(s.afters, op.Name)
	s.mu.Unlock()
	if before != nil && !before() {
		panic(http.ErrAbortHandler)
	}
	if op.Name == "event.subscribe" && fault == "" {
		if deaf {
			refuse(http.StatusServiceUnavailable, "ServiceUnavailableError", "deaf").write(w)
			return
		}
		one := s.streams.open()
		one.send(s.event("server.connected", "", nil, jsontext.Value("{}")))
		one.serve(w, r)
		return
	}
	fault.serve(w, r, func() answer {
		a := s.answer(op)
		if after != nil && !after() {
			panic(http.ErrAbortHandler)
		}
		return a
	})
}

func (s *Server) answer(op Operation) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, refused := s.checkBody(op); refused {
		return a
	}
	switch op.Name {
	case "model.list":
		return s.listModels(op)
	case "agent.list":
		return s.listAgents(op)
	case "session.create":
		return s.create(op)
	case "session.active":
		active := map[string]any{}
		for id := range s.turns {
			active[id] = map[string]string{"type": "running"}
		}
		return data(active)
	case "permission.saved.list":
		return data(s.saved)
	}
	one := s.sessions[op.text("sessionID")]
	if one == nil {
		id := op.text("sessionID")
		return refuse(http.StatusNotFound, "SessionNotFoundError", "Session not found: "+id, "sessionID", id)
	}
	switch op.Name {
	case "session.get":
		return data(s.info(one))
	case "session.update":
		return s.update(one, op)
	case "session.prompt":
		return s.prompt(one, op)
	case "session.synthetic":
		return s.synthetic(one, op)
	case "session.interrupt":
		t := s.turns[one.id]
		if t != nil {
			t.interrupt("user")
		}
		return ok(map[string]bool{"interrupted": t != nil})
	case "session.model", "session.move":
		return done
	case "session.permission.list":
		return data(s.waiting(one.id, false))
	case "session.form.list":
		return data(s.waiting(one.id, true))
	case "session.permission.reply":
		return s.reply(one.id, op.text("requestID"), op.text("decision"), op.text("message"))
	case "session.form.reply":
		return s.replyForm(one.id, op)
	case "session.form.cancel":
		return s.cancelForm(one.id, op.text("formID"))
	}
	return page
}

// next is a new id.
func (s *Server) next(prefix string) string {
	s.serial++
	return fmt.Sprintf("%s_%d", prefix, s.serial)
}

func encode(v any) []byte {
	text, err := strictjson.Encode(v)
	if err != nil {
		panic(err) // of our own making
	}
	return text
}

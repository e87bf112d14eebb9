package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// stub answers as a test says; the real service is held against this client where
// the command line is tested.
type stub struct {
	t    *testing.T
	http *httptest.Server

	mu      sync.Mutex
	log     []string // "POST /v1/sessions/run-x/requests", without the query
	bodies  []string
	answers map[string][]string // by what the path ends with: status and body; the last stays
	events  chan string
}

func newStub(t *testing.T) *stub {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	s := &stub{t: t, answers: map[string][]string{}, events: make(chan string, 100)}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.http.Close)
	return s
}

// on says what calls are answered with whose path ends so: "200 {…}" in turn.
func (s *stub) on(pathEnd string, answers ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[pathEnd] = answers
}

func (s *stub) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/events" {
		s.stream(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.log = append(s.log, r.Method+" "+r.URL.Path)
	s.bodies = append(s.bodies, string(body))
	answer := ""
	for end, answers := range s.answers {
		if strings.HasSuffix(r.URL.Path, end) && len(answers) > 0 {
			answer = answers[0]
			if len(answers) > 1 {
				s.answers[end] = answers[1:]
			}
		}
	}
	s.mu.Unlock()
	status, text, _ := strings.Cut(answer, " ")
	code := http.StatusOK
	if _, err := fmt.Sscan(status, &code); err != nil {
		code = http.StatusNotFound
		text = `<html>no such page</html>`
	}
	kind := "application/json"
	switch {
	case strings.HasPrefix(text, "<"):
		kind = "text/html"
	case code >= 400:
		kind = "application/problem+json"
	}
	w.Header().Set("Content-Type", kind)
	if strings.Contains(text, "in a second") {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}

func (s *stub) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ": hello\n\n")
	w.(http.Flusher).Flush()
	for {
		select {
		case text := <-s.events:
			if text == "" {
				return
			}
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// said are the calls whose path ends so.
func (s *stub) said(pathEnd string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for i, l := range s.log {
		if strings.HasSuffix(l, pathEnd) {
			out = append(out, s.bodies[i])
		}
	}
	return out
}

func problemText(status int, kind, detail string) string {
	return fmt.Sprintf(`%d {"type":"urn:modegate:problem:%s","title":"t","status":%d,"detail":%q,"requestId":"r","errors":[]}`, status, kind, status, detail)
}

// soon are times for a service that is lost.
var soon = Times{Call: 2 * time.Second, Lost: 200 * time.Millisecond, Stop: 5 * time.Second}

func (s *stub) client(t Times) *Client {
	s.t.Helper()
	c, err := NewClient(s.http.URL, "token", t)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// native is a request in a provider's form.
func native(id string) jsontext.Value { return jsontext.Value(fmt.Sprintf(`{"id":%q}`, id)) }

func approval(id string) broker.Request {
	return broker.Request{
		ID: id, Session: "ses_1", Shape: broker.Approval, Title: "call " + id, Native: native(id),
		Offered: []broker.Offer{{Decision: broker.Accept}, {Decision: broker.Decline}, {Decision: broker.Cancel}},
	}
}

// shown is a request as the service shows it.
func shown(id, state, more string) string {
	sum := sha256.Sum256(native(id))
	return fmt.Sprintf(`{"id":"req_%s","session":"s","turn":null,"provider":"opencode","shape":"approval","kind":null,"title":"t","resources":[],
		"native":{"requestId":%q},"offered":[],"state":%q,"digest":"sha256:%s","policy":"sha256:p","openedAt":"2026-11-30T12:00:00Z","expiresAt":"2026-11-30T13:00:00Z"%s}`,
		id, id, state, hex.EncodeToString(sum[:]), more)
}

const once = `[{"call":"reply","arguments":{"say":"once"}}]`

// happens sends an event about a request.
func (s *stub) happens(seq int, kind, request, more string) {
	text := fmt.Sprintf(`{"seq":%d,"type":%q,"at":"2026-11-30T12:00:00Z","session":"s","policy":"sha256:p","request":%s%s}`, seq, kind, request, more)
	s.events <- "id: 1\nevent: x\ndata: " + strings.ReplaceAll(text, "\n", "") + "\n\n"
}

// performer is a run that remembers how it was answered. Nothing closes by itself.
type performer struct {
	mu      sync.Mutex
	changed chan struct{}
	log     []string // "perform per_1 accept person: by alice", "answer per_1 decline"
	bad     error    // what performing comes to
}

func newPerformer() *performer { return &performer{changed: make(chan struct{}, 100)} }

func (p *performer) add(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, text)
	p.changed <- struct{}{}
}

func (p *performer) Perform(r broker.Request, d broker.Delivery) error {
	if p.bad != nil {
		return p.bad
	}
	p.add(fmt.Sprintf("perform %s %s %s %s", r.ID, d.Answer.Decision, d.By, d.Operations[0].Arguments))
	return nil
}

func (p *performer) Answer(r broker.Request, a broker.Answer) error {
	p.add(fmt.Sprintf("answer %s %s", r.ID, a.Decision))
	return nil
}

func (p *performer) Env(context.Context) (evaluator.Env, error)    { return evaluator.Env{}, nil }
func (p *performer) Apply(context.Context, compiler.RuleSet) error { return nil }
func (p *performer) Run(context.Context, string, broker.Person) broker.Outcome {
	return broker.Outcome{}
}

// viewer remembers what was shown.
type viewer struct {
	mu  sync.Mutex
	log []string
}

func (v *viewer) add(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.log = append(v.log, text)
}

func (v *viewer) Opened(r broker.Request) { v.add("opened " + r.ID) }
func (v *viewer) Closed(c broker.Closing) { v.add("closed " + c.Request.ID) }
func (v *viewer) Saw(s broker.Sight)      { v.add("note " + s.Text) }
func (v *viewer) has(text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Contains(strings.Join(v.log, "\n"), text)
}

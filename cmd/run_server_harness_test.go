package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/broker/remote"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/server"
	"github.com/modegate/modegate/server/store"
)

// fake is the provider of tests that have one.
type fake = livetest.Fake

// The tokens of the tests' service.
const (
	adapterToken = "token-of-the-run"
	personToken  = "token-of-alice"
)

// service is a real modegate service in this process, that can be killed.
type service struct {
	t    *testing.T
	dir  string
	addr string

	policies   []string
	guardrails string // a folder
	stop       context.CancelFunc
	kept       *store.Store
	l          *cuttable
	over       chan struct{}
}

// cuttable is a listener whose connections can be cut.
type cuttable struct {
	net.Listener
	mu   sync.Mutex
	each []net.Conn
}

func (l *cuttable) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.each = append(l.each, c)
		l.mu.Unlock()
	}
	return c, err
}

func (l *cuttable) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.each {
		_ = c.Close()
	}
	l.each = nil
}

func startService(t *testing.T, policies ...string) *service {
	t.Helper()
	return startGuarded(t, "", policies...)
}

// startGuarded is startService with a folder of guardrails.
func startGuarded(t *testing.T, guardrails string, policies ...string) *service {
	t.Helper()
	if len(policies) == 0 {
		policies = []string{"builtin/t3code"}
	}
	s := &service{t: t, dir: t.TempDir(), addr: "127.0.0.1:0", policies: policies, guardrails: guardrails}
	s.start()
	t.Cleanup(s.kill)
	return s
}

// start starts the service, with what it has kept and at the address it had.
func (s *service) start() {
	s.t.Helper()
	kept, err := store.Open(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	access := &server.Access{Loopback: true}
	access.Add(adapterToken, "run", server.AdapterScope)
	access.Add(personToken, "alice", server.ApproveScope, server.ReadScope, server.AdapterScope)
	rails, err := (&guardrailFlags{guardrails: s.guardrails, guardrailOnError: "error", guardrailTimeout: 10 * time.Second}).config()
	if err != nil {
		s.t.Fatal(err)
	}
	srv, err := server.New(server.Config{
		Dialects: adapters.Table(), Policies: s.policies, Access: access, Log: slog.New(slog.DiscardHandler),
		Store: kept, Translators: translators(), Guardrails: rails,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	s.kept, s.l, s.addr, s.over = kept, &cuttable{Listener: l}, l.Addr().String(), make(chan struct{})
	go func(over chan struct{}, l net.Listener) {
		defer close(over)
		_ = srv.Serve(ctx, l, nil) // killed, it fails
	}(s.over, s.l)
}

// kill ends the service as a crash does: no connection hears a word.
func (s *service) kill() {
	if s.l == nil {
		return
	}
	_ = s.l.Close()
	s.l.cut()
	<-s.over
	s.l.cut()
	s.stop()
	if err := s.kept.Close(); err != nil {
		s.t.Error(err)
	}
	s.l = nil
}

func (s *service) url() string { return "http://" + s.addr }

// call makes a call of alice's. It returns status 0 when nobody answers.
func (s *service) call(method, path, body string) (status int, answer []byte) {
	r, err := http.NewRequestWithContext(context.Background(), method, s.url()+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+personToken)
	r.Close = true
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil
	}
	return resp.StatusCode, answer
}

// inboxed is a request as the tests look at it.
type inboxed struct {
	ID, Session, State, Decision, DecidedBy, Reason, Title, Shape string
	Turn                                                          *string
	Native                                                        struct{ RequestID, Session string }
}

// requests lists the requests of a state, or the open ones.
func (s *service) requests(query string) []inboxed {
	s.t.Helper()
	_, data := s.call("GET", "/v1/requests"+query, "")
	return read[struct{ Requests []inboxed }](s.t, data).Requests
}

func read[T any](t *testing.T, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// only is the one request that waits.
func (s *service) only() inboxed {
	s.t.Helper()
	list := s.requests("?state=pending")
	if len(list) != 1 {
		s.t.Fatalf("%d requests wait: %v", len(list), list)
	}
	return list[0]
}

// decide decides about the one request that waits.
func (s *service) decide(decision string) {
	s.t.Helper()
	if status, answer := s.call("POST", "/v1/requests/"+s.only().ID+"/decision", fmt.Sprintf(`{"decision":%q}`, decision)); status != http.StatusAccepted {
		s.t.Errorf("%s: %d %s", decision, status, answer)
	}
}

// activity is a line of a session's history.
type activity struct {
	Type, By, Reason, Status, State, Mode, Applies string
	Request                                        *inboxed
}

// history is that of the one session that there ever was.
func (s *service) history(session string) []activity {
	s.t.Helper()
	_, data := s.call("GET", "/v1/sessions/"+session+"/activities", "")
	return read[struct{ Activities []activity }](s.t, data).Activities
}

// ends are the requests' ends by the record: "bash: ls resolved accept alice".
func (s *service) ends(session string) []string {
	s.t.Helper()
	var out []string
	for _, a := range s.history(session) {
		if a.Type == "approval.resolved" || a.Type == "user-input.resolved" {
			r := a.Request
			out = append(out, strings.Join(strings.Fields(r.Title+" "+r.State+" "+r.Decision+" "+r.DecidedBy), " "))
		}
	}
	return out
}

// turns are how the session's turns ended.
func (s *service) turns(session string) []string {
	s.t.Helper()
	var out []string
	for _, a := range s.history(session) {
		if a.Type == "turn.ended" {
			out = append(out, a.Status)
		}
	}
	return out
}

// await returns once an event of a type is on the record.
func (s *service) await(kind string) {
	s.t.Helper()
	if _, err := s.read(func(text string) (string, bool) { return "", strings.Contains(text, "event: "+kind+"\n") }); err != nil {
		s.t.Error(err)
	}
}

// known finds the session of the run in the log.
func (s *service) known() string {
	s.t.Helper()
	id, err := s.read(func(text string) (string, bool) {
		_, after, _ := strings.Cut(text, `"session":"`)
		id, _, whole := strings.Cut(after, `"`)
		return id, whole
	})
	if err != nil {
		s.t.Error(err)
	}
	return id
}

// read reads the service's log from its beginning, until done says so.
func (s *service) read(done func(text string) (string, bool)) (string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url()+"/v1/events", nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+personToken)
	r.Header.Set("Last-Event-ID", "0")
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, buf := "", make([]byte, 1<<16)
	for {
		n, err := resp.Body.Read(buf)
		text += string(buf[:n])
		if found, ok := done(text); ok {
			return found, nil
		}
		if err != nil {
			return "", fmt.Errorf("not in the log: %w\n%s", err, text)
		}
	}
}

// watched is a run's output. Something happens, beside the run, when it says a
// text for the nth time.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	after int
	waits []wait
	work  sync.WaitGroup
}

type wait struct {
	says string
	do   func()
}

// when adds something that happens once all before it have.
func (w *watched) when(says string, do func()) { w.waits = append(w.waits, wait{says, do}) }

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.text.Write(p)
	for len(w.waits) > 0 {
		at := strings.Index(w.text.String()[w.after:], w.waits[0].says)
		if at < 0 {
			break
		}
		w.after += at + len(w.waits[0].says)
		w.work.Go(w.waits[0].do)
		w.waits = w.waits[1:]
	}
	return n, err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

const waitsInInbox = "waits in the inbox of"

// runServed runs one prompt with the service. It returns the exit code and the
// session that the run had at the service.
func runServed(t *testing.T, s *service, out *watched, prompt string, args ...string) (code int, session string) {
	t.Helper()
	return runServedBy(t, s, "opencode", out, prompt, args...)
}

func runServedBy(t *testing.T, s *service, provider string, out *watched, prompt string, args ...string) (code int, session string) {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(adapterToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args = slices.Concat([]string{"run", "-p", provider, "--server", s.url(), "--token-file", token}, args, []string{"--", prompt})
	code = Main(args, strings.NewReader(""), out, out)
	out.work.Wait()
	if len(out.waits) > 0 {
		t.Errorf("the run never said %q", out.waits[0].says)
	}
	if s.l == nil {
		s.start() // its record is read
	}
	return code, s.known()
}

// shortTimes are for tests of a service that is lost.
func shortTimes(t *testing.T, lost time.Duration) {
	before := serviceTimes
	serviceTimes = remote.Times{Lost: lost, Call: 5 * time.Second, Stop: 5 * time.Second}
	t.Cleanup(func() { serviceTimes = before })
}

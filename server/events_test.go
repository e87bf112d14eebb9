package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/server"
)

// reader follows the events over a real connection.
type reader struct {
	t     testing.TB
	lines *bufio.Scanner
	leave func()
}

func (d *desk) listen() *httptest.Server {
	d.t.Helper()
	h := httptest.NewServer(d.s.Handler())
	d.t.Cleanup(h.Close)
	return h
}

// follow reads events from the one after last, or from now on when it is "".
func follow(t testing.TB, url, last string) *reader {
	t.Helper()
	return followAs(t, url, last, tokens[server.AdapterScope])
}

func followAs(t testing.TB, url, last, token string) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" || got.Header.Get("Modegate-Policy") == "" {
		t.Fatalf("%d %v", got.StatusCode, got.Header)
	}
	out := &reader{t: t, lines: bufio.NewScanner(got.Body), leave: func() { cancel(); _ = got.Body.Close() }}
	out.lines.Buffer(nil, 1<<20)
	t.Cleanup(out.leave)
	out.comment()
	return out
}

func (r *reader) comment() string {
	r.t.Helper()
	for r.lines.Scan() {
		if text, ok := strings.CutPrefix(r.lines.Text(), ": "); ok {
			return text
		}
	}
	r.t.Fatal("the stream has ended")
	return ""
}

// next is the next event. Its id and data say the same.
func (r *reader) next() happened {
	r.t.Helper()
	e, id := r.nextID()
	if strconv.Itoa(e.Seq) != id {
		r.t.Errorf("id %s, %+v", id, e)
	}
	return e
}

// nextID is the next event, and its id. Its type and data say the same, and the
// data is what the contract says.
func (r *reader) nextID() (happened, string) {
	r.t.Helper()
	id, kind := "", ""
	for r.lines.Scan() {
		line := r.lines.Text()
		if v, ok := strings.CutPrefix(line, "id: "); ok {
			id = v
		} else if v, ok := strings.CutPrefix(line, "event: "); ok {
			kind = v
		} else if v, ok := strings.CutPrefix(line, "data: "); ok {
			var e happened
			var value any
			if err := json.Unmarshal([]byte(v), &e, json.MatchCaseInsensitiveNames(true)); err != nil {
				r.t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(v), &value); err != nil {
				r.t.Fatal(err)
			}
			doc, err := contract()
			if err != nil {
				r.t.Fatal(err)
			}
			if err := doc.Components.Schemas["Event"].Value.VisitJSON(value); err != nil {
				r.t.Errorf("%v in %s", err, v)
			}
			if e.Type != kind {
				r.t.Errorf("event %s, data %s", kind, v)
			}
			return e, id
		}
	}
	r.t.Fatalf("the stream has ended: %v", r.lines.Err())
	return happened{}, ""
}

func (r *reader) types(n int) string {
	var list []happened
	for range n {
		list = append(list, r.next())
	}
	return typed(list)
}

func TestEventsAreFollowed(t *testing.T) {
	d := newDesk(t)
	d.load("before", "codex", "auto")
	h := d.listen()
	live := follow(t, h.URL+"/v1/events", "")
	one := follow(t, h.URL+"/v1/events?session=s2", "")
	d.load("s1", "opencode", "approval-required")
	d.load("s2", "opencode", "approval-required")
	d.turn("s1")
	r := d.ask("s1", "ls")
	if got := live.types(6); got != "session.updated ruleset.changed session.updated ruleset.changed turn.started approval.requested" {
		t.Errorf("%s", got)
	}
	d.decide(r.ID, "accept")
	asked := live.next()
	if asked.Type != "approval.response-requested" || len(asked.Operations) != 1 || asked.Stale {
		t.Errorf("%+v", asked)
	}
	// Whoever comes back while the answer is on its way gets the steps, later not.
	again := follow(t, h.URL+"/v1/events", strconv.Itoa(asked.Seq-1))
	if e := again.next(); len(e.Operations) != 1 {
		t.Errorf("%+v", e)
	}
	d.resolve(r.ID, "delivered")
	if e := live.next(); e.Type != "approval.resolved" || e.Request.State != "resolved" {
		t.Errorf("%+v", e)
	}
	late := follow(t, h.URL+"/v1/events", strconv.Itoa(asked.Seq-1))
	if e := late.next(); e.Type != "approval.response-requested" || len(e.Operations) != 0 || !e.Stale {
		t.Errorf("%+v", e)
	}
	if got := one.types(2); got != "session.updated ruleset.changed" {
		t.Errorf("%s", got)
	}
	if got := follow(t, h.URL+"/v1/events", "0").next(); got.Session != "before" || got.Seq != 1 {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"x", "-1"} {
		if got := ask(t, d.s, "GET", "/v1/events", "", "Last-Event-ID", bad); got.status != 400 {
			t.Errorf("Last-Event-ID %s: %d", bad, got.status)
		}
	}
}

func TestEventsOfALongLogAreAllThere(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	for range 130 {
		d.turn("s1")
	}
	r := follow(t, d.listen().URL+"/v1/events", "0")
	for want := 1; want <= 261; want++ {
		if e := r.next(); e.Seq != want {
			t.Fatalf("event %d where %d comes", e.Seq, want)
		}
	}
}

func TestTheConnectionIsKeptAlive(t *testing.T) {
	d := newDesk(t)
	d.s.SetEventTimes(10*time.Millisecond, time.Second)
	r := follow(t, d.listen().URL+"/v1/events", "")
	if got := r.comment(); got != "alive" {
		t.Errorf("%q", got)
	}
}

// A reader that takes nothing is dropped, visibly, and the others aren't held up.
func TestASlowReaderIsDropped(t *testing.T) {
	d := newDesk(t)
	d.s.SetEventTimes(time.Hour, 500*time.Millisecond)
	d.load("s1", "opencode", "approval-required")
	d.load("s2", "opencode", "approval-required")
	h := d.listen()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := conn.Write([]byte("GET /v1/events?session=s1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + tokens[server.ReadScope] + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 300<<10)
	for n := range 15 { // together more than the connection holds
		body := bash(fmt.Sprintf("per_large_%d", n), "ses_s1", large)
		w := httptest.NewRecorder()
		d.s.Handler().ServeHTTP(w, request("POST", "/v1/sessions/s1/requests", body))
		if w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	fast := follow(t, h.URL+"/v1/events?session=s2", "")
	r := d.ask("s2", "ls")
	if e := fast.next(); e.Request == nil || e.Request.ID != r.ID {
		t.Fatalf("the other reader gets %s", e.Type)
	}
	deadline := time.Now().Add(30 * time.Second)
	for !strings.Contains(ask(t, d.s, "GET", "/metrics", "").body, "modegate_event_readers_dropped_total 1") {
		if time.Now().After(deadline) {
			t.Fatal("the slow reader isn't dropped")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// The service stops though somebody listens.
func TestListenersDontKeepTheServiceUp(t *testing.T) {
	d := newDesk(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.s.Serve(ctx, l, nil) }()
	r := follow(t, "http://"+l.Addr().String()+"/v1/events", "")
	stop()
	if got := r.comment(); got != "the service is stopping" {
		t.Errorf("%q", got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// What is overdue is closed when it is, though nobody calls.
func TestExpiryNeedsNobody(t *testing.T) {
	d := newDesk(t)
	d.stop()
	d.clock = nil
	d.startWith(func(cfg *server.Config) { cfg.Now, cfg.Expiry = nil, 100*time.Millisecond })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.s.Serve(ctx, l, nil) }()
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	r := follow(t, "http://"+l.Addr().String()+"/v1/events", "")
	d.ask("s1", "ls")
	if got := r.types(2); got != "approval.requested approval.resolved" {
		t.Errorf("%s", got)
	}
	stop()
	<-served
}

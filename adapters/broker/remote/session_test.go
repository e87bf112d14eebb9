package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/evaluator"
)

var supervised = evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default}

// beginning is a service at which a turn can begin.
func beginning(t *testing.T) (*stub, *Session) {
	s := newStub(t)
	session := s.client(soon).NewSession(supervised)
	session.id = "s"
	s.on("/v1/sessions/s", `201 {"id":"s","provider":"opencode","mode":"approval-required","interaction":"default","workspace":"/w","env":{},"ruleset":"d","revision":1,"modeChange":"restart","createdAt":"2026-11-30T12:00:00Z","updatedAt":"2026-11-30T12:00:00Z"}`)
	s.on("/ruleset", `200 {"provider":"opencode","mode":"auto","interaction":"plan","policy":{"name":"n","digest":"d"},"digest":"d","native":[],"agent":"plan","sources":[],"gaps":[],"assumed":[],"proof":[]}`)
	return s, session
}

// turn answers the start of a turn with the id that was asked for.
func (s *stub) turn(ruleset string) {
	s.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/turns") {
			s.serve(w, r)
			return
		}
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `%s,"session":"s","mode":"auto","interaction":"plan","ruleset":%q,"state":"running","startedAt":"2026-11-30T12:00:00Z"}`, strings.TrimSuffix(string(body), "}"), ruleset)
	})
}

// TestBegin makes the session once, sends what it has become after that, and takes
// the modes from the turn, which somebody may have changed.
func TestBegin(t *testing.T) {
	s, session := beginning(t)
	s.turn("d")
	env := evaluator.Env{Workspace: "/w", Agent: "build", Grants: []evaluator.Grant{{Action: "bash", Resource: "*"}}}
	for range 2 {
		set, err := session.Begin(t.Context(), env, "ses_1")
		if err != nil || set.Digest != "d" || set.Agent != "plan" {
			t.Errorf("%+v %v", set, err)
		}
	}
	if d := cmp.Diff([]string{
		`{"env":{"workspace":"/w","agent":"build"},"interaction":"default","mode":"approval-required","nativeSession":"ses_1","provider":"opencode","workspace":"/w"}`,
		`{"env":{"workspace":"/w","agent":"build"},"nativeSession":"ses_1"}`,
	}, s.said("/v1/sessions/s")); d != "" {
		t.Error(d)
	}
	want := evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.Auto, Interaction: evaluator.Plan}
	if session.Cell() != want {
		t.Errorf("cell %s", session.Cell())
	}
}

// TestBeginRefuses begins no turn under rules that may be another's.
func TestBeginRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stub)
		says   string
	}{
		"another turn": {func(s *stub) {
			s.on("/turns", `201 {"turn":"t9","session":"s","mode":"auto","interaction":"plan","ruleset":"d","state":"running","startedAt":"2026-11-30T12:00:00Z"}`)
		}, "turn t9 of session s was started"},
		"another session": {func(s *stub) {
			s.on("/v1/sessions/s", strings.ReplaceAll(s.answers["/v1/sessions/s"][0], `"id":"s"`, `"id":"x"`))
		}, "session x of opencode was made"},
		"rules of another turn":    {func(s *stub) { s.turn("e") }, "changed while its turn was started"},
		"rules with another field": {func(s *stub) { s.turn("d"); s.on("/ruleset", `200 {"provider":"opencode","rules":[]}`) }, `unknown field "rules"`},
		"an unknown mode":          {func(s *stub) { s.turn("d"); s.on("/ruleset", `200 {"provider":"opencode","mode":"yolo"}`) }, "yolo"},
		"no adapter's token":       {func(s *stub) { s.on("/v1/sessions/s", problemText(403, "forbidden", "it needs adapter")) }, "no (403): it needs adapter"},
		"not the service's JSON":   {func(s *stub) { s.on("/v1/sessions/s", "200 [") }, "doesn't know"},
	} {
		t.Run(name, func(t *testing.T) {
			s, session := beginning(t)
			c.change(s)
			_, err := session.Begin(t.Context(), evaluator.Env{Workspace: "/w"}, "")
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestAgain makes a call again while the service is away, and not for ever; one
// that was refused isn't made again.
func TestAgain(t *testing.T) {
	s, session := beginning(t)
	made := s.answers["/v1/sessions/s"][0]
	s.on("/v1/sessions/s", problemText(503, "store", "x"), problemText(429, "too-many", "in a second"), "500 {}", made)
	session.c.times.Lost = time.Minute
	if err := session.put(t.Context(), evaluator.Env{Workspace: "/w"}, ""); err != nil || len(s.said("/v1/sessions/s")) != 4 {
		t.Errorf("%v after %d calls", err, len(s.said("/v1/sessions/s")))
	}
	session.c.times.Lost = 200 * time.Millisecond
	s.on("/v1/sessions/s", problemText(503, "store", "x"))
	if err := session.put(t.Context(), evaluator.Env{}, ""); !passing(err) {
		t.Error(err)
	}
	n := len(s.said("/v1/sessions/s"))
	s.on("/v1/sessions/s", problemText(409, "conflict", "x"), made)
	var no *Refusal
	if err := session.put(t.Context(), evaluator.Env{}, ""); !errors.As(err, &no) || no.Status != 409 || len(s.said("/v1/sessions/s")) != n+1 {
		t.Errorf("%v after %d calls", err, len(s.said("/v1/sessions/s"))-n)
	}
	s.on("/v1/sessions/s", problemText(404, "not-found", "x"))
	if err := session.Unload(t.Context()); err != nil {
		t.Errorf("a session that is gone already: %v", err)
	}
	session.lost.Store(true)
	n = len(s.said("/v1/sessions/s"))
	s.on("/v1/sessions/s", problemText(503, "store", "x"))
	if err := session.Unload(t.Context()); err == nil || len(s.said("/v1/sessions/s")) != n+1 {
		t.Errorf("a service that was given up: %v after %d calls", err, len(s.said("/v1/sessions/s"))-n)
	}
}

// TestToken sends the token to the service and to nobody else.
func TestToken(t *testing.T) {
	got := ""
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got += "other " + r.Header.Get("Authorization") }))
	defer other.Close()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got += r.Header.Get("Authorization")
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer service.Close()
	c, err := NewClient(service.URL+"/", " secret\n", Times{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Ready(t.Context()); err == nil || got != "Bearer secret" {
		t.Errorf("%q %v", got, err)
	}
	for _, base := range []string{"", "127.0.0.1:7420", "ftp://h", "http://h/v1", "http://u:p@h", "http://h?x=1", "http://"} {
		if _, err := NewClient(base, "t", Times{}); err == nil {
			t.Errorf("%q is an address", base)
		}
	}
	for _, token := range []string{"", " \n", "a b", "a\nb", "ä"} {
		if _, err := NewClient("http://h", token, Times{}); err == nil {
			t.Errorf("%q is a token", token)
		}
	}
}

// FuzzEvents reads any stream without a panic, and takes no event from it that
// isn't written as one.
func FuzzEvents(f *testing.F) {
	f.Add(": hello\n\n" + sessionEvent(1, evSession, "") + "id: 1\nevent: x\n" + sessionEvent(2, evRuleset, `,"applies":"restart"`))
	f.Add("data: {}\n\ndata: null\n\ndata:\n")
	f.Fuzz(func(t *testing.T, text string) {
		n, lines := 0, 0
		err := events(strings.NewReader(text), func(event) { n++ }, func() { lines++ })
		if err == nil || n > strings.Count(text, "data: ") || lines < n {
			t.Errorf("%d events in %d lines: %v", n, lines, err)
		}
	})
}

package live_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modegate/modegate/adapters/opencode/live"
)

// serve answers every request alike and keeps the last one.
func serve(t *testing.T, status int, contentType, body string) (*live.Client, *http.Request, *string) {
	t.Helper()
	last, sent := new(http.Request), new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		*last, *sent = *r.Clone(context.Background()), string(raw)
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return live.NewClient(s.URL+"/", "secret", "/srv/ws"), last, sent
}

func TestRequestForm(t *testing.T) {
	c, last, sent := serve(t, 200, "application/json; charset=utf-8", `{"id":"ses_1","permission":[{"permission":"bash","pattern":"*","action":"ask"}]}`)
	s, err := c.CreateSession(t.Context(), live.NewSession{Permission: []live.Rule{{Permission: "bash", Pattern: "*", Action: "ask"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := live.Session{ID: "ses_1", Permission: []live.Rule{{Permission: "bash", Pattern: "*", Action: "ask"}}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if got := last.Method + " " + last.URL.String(); got != "POST /session?directory=%2Fsrv%2Fws" {
		t.Error(got)
	}
	if user, password, _ := last.BasicAuth(); user != "opencode" || password != "secret" {
		t.Error(user, password)
	}
	if *sent != `{"permission":[{"permission":"bash","pattern":"*","action":"ask"}]}` {
		t.Error(*sent)
	}
}

// TestPromptSendsNoTools pins that a prompt never carries the field that
// replaces a session's rules.
func TestPromptSendsNoTools(t *testing.T) {
	c, last, sent := serve(t, 204, "", "")
	if err := c.PromptAsync(t.Context(), "ses/1", live.Prompt{Text: "hi", ProviderID: "p", ModelID: "m", Agent: "build"}); err != nil {
		t.Fatal(err)
	}
	if last.URL.EscapedPath() != "/session/ses%2F1/prompt_async" {
		t.Error(last.URL.EscapedPath())
	}
	if *sent != `{"agent":"build","model":{"modelID":"m","providerID":"p"},"parts":[{"text":"hi","type":"text"}]}` {
		t.Error(*sent)
	}
}

// TestAnswersThatAreNone checks the answers that look well and aren't.
func TestAnswersThatAreNone(t *testing.T) {
	html := "<!doctype html>"
	for name, a := range map[string]struct {
		status      int
		contentType string
		body        string
		notJSON     bool
	}{
		"the web application":      {200, "text/html; charset=utf-8", html, true},
		"no content type":          {200, "", html, true},
		"broken content type":      {200, "application/json; =", "[]", true},
		"JSON by another name":     {200, "text/json", "[]", true},
		"empty":                    {200, "application/json", "", false},
		"not quite JSON":           {200, "application/json", "[", false},
		"something after the JSON": {200, "application/json", "[] []", false},
		"another shape":            {200, "application/json", `"x"`, false},
		"no content":               {204, "", "", false},
		"an error":                 {500, "application/json", "[]", false},
		"a redirect":               {302, "application/json", "[]", false},
	} {
		c, _, _ := serve(t, a.status, a.contentType, a.body)
		_, err := c.PendingPermissions(t.Context())
		if err == nil || errors.Is(err, live.ErrNotJSON) != a.notJSON {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, _, _ := serve(t, 200, "text/html", html)
	if err := c.PromptAsync(t.Context(), "s", live.Prompt{}); !errors.Is(err, live.ErrNotJSON) {
		t.Errorf("an answer without content that is HTML: %v", err)
	}
}

func TestStatusError(t *testing.T) {
	c, _, _ := serve(t, 404, "application/json", `{"_tag":"PermissionNotFoundError"}`)
	err := c.ReplyPermission(t.Context(), "per_1", live.Reply{Reply: live.ReplyOnce})
	var se *live.StatusError
	if !live.IsNotFound(err) || !errors.As(err, &se) || !strings.Contains(se.Body, "PermissionNotFoundError") {
		t.Error(err)
	}
	if live.IsNotFound(errors.New("x")) || live.IsNotFound(nil) {
		t.Error("IsNotFound knows errors that it can't")
	}
}

func TestNativeLocation(t *testing.T) {
	c, last, sent := serve(t, 200, "application/json", `{"data":{"id":"per_1","effect":"allow"}}`)
	got, err := c.Evaluate(t.Context(), "ses_1", live.Evaluation{Action: "shell"})
	if err != nil || got != (live.Evaluated{ID: "per_1", Effect: "allow"}) {
		t.Fatal(got, err)
	}
	if last.URL.RequestURI() != "/api/session/ses_1/permission?location%5Bdirectory%5D=%2Fsrv%2Fws" {
		t.Error(last.URL.RequestURI())
	}
	if *sent != `{"action":"shell","resources":[]}` {
		t.Error(*sent)
	}
}

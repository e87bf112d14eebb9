package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/server"
)

// tokensText is a file of tokens: "name:token:scope" each.
func tokensText(list ...string) string {
	var rows []string
	for _, one := range list {
		part := strings.Split(one, ":")
		sum := sha256.Sum256([]byte(part[1]))
		rows = append(rows, fmt.Sprintf(`{"name":%q,"scopes":[%q],"sha256":%q}`, part[0], part[2], hex.EncodeToString(sum[:])))
	}
	return `{"tokens":[` + strings.Join(rows, ",") + `]}`
}

// withTokens is a desk whose tokens are in a file.
func withTokens(t *testing.T, list ...string) (d *desk, path string, log *logged) {
	t.Helper()
	path, log = filepath.Join(t.TempDir(), "tokens.json"), &logged{}
	put(t, path, tokensText(list...))
	a, err := server.ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	d = newDesk(t)
	d.stop()
	d.startWith(func(cfg *server.Config) {
		cfg.Access, cfg.Log = a, slog.New(slog.NewJSONHandler(log, nil))
	})
	return d, path, log
}

func (d *desk) may(token string) int {
	d.t.Helper()
	return ask(d.t, d.s, "GET", "/v1/me", "", "Authorization", "Bearer "+token).status
}

// A token that is taken out of the file stops working, and so does everything
// that was opened with it; the others don't notice.
func TestTokensAreReadAnew(t *testing.T) {
	d, path, log := withTokens(t, "ann:one:admin", "bob:two:read", "cid:three:read")
	cookie := func(token string) string {
		t.Helper()
		got := ask(t, d.s, "GET", "/sign-in?code="+d.s.SignInCode(token), "", "Authorization", "")
		text, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
		return text
	}
	signed := func(cookie string) int {
		t.Helper()
		return ask(t, d.s, "GET", "/v1/me", "", "Authorization", "", "Cookie", cookie).status
	}
	ann, bob, cid := cookie("one"), cookie("two"), cookie("three")
	code := d.s.SignInCode("two")
	h := d.listen()
	stream := func(token string) *reader { return followAs(t, h.URL+"/v1/events", "", token) }
	kept, cut, changed := stream("one"), stream("two"), stream("three")
	d.s.ReloadTokens() // nothing has changed
	for cookie, want := range map[string]int{ann: 200, bob: 200, cid: 200} {
		if got := signed(cookie); got != want {
			t.Errorf("before: %d", got)
		}
	}
	waiting := make(chan int)
	go func() {
		tag := ask(t, d.s, "GET", "/v1/rulesets/codex/auto/default", "", "Authorization", "Bearer two").header.Get("Etag")
		waiting <- ask(t, d.s, "GET", "/v1/rulesets/codex/auto/default?wait=1m", "", "Authorization", "Bearer two", "If-None-Match", tag).status
	}()
	put(t, path, tokensText("ann:one:admin", "cid:three:approve", "dan:four:read"))
	d.s.ReloadTokens()
	for token, want := range map[string]int{"one": 200, "two": 401, "three": 200, "four": 200} {
		if got := d.may(token); got != want {
			t.Errorf("token %s: %d, want %d", token, got, want)
		}
	}
	for name, one := range map[string]struct {
		cookie string
		want   int
	}{"ann": {ann, 200}, "bob": {bob, 401}, "cid, who has other scopes now": {cid, 401}} {
		if got := signed(one.cookie); got != one.want {
			t.Errorf("the browser of %s: %d, want %d", name, got, one.want)
		}
	}
	if got := ask(t, d.s, "GET", "/sign-in?code="+code, "", "Authorization", ""); got.status != 401 {
		t.Errorf("a code of a revoked token: %d", got.status)
	}
	for name, r := range map[string]*reader{"bob": cut, "cid": changed} {
		if text := r.comment(); text != "the token was revoked" {
			t.Errorf("the stream of %s says %q", name, text)
		}
		for r.lines.Scan() {
			if r.lines.Text() != "" {
				t.Errorf("the stream of %s goes on: %q", name, r.lines.Text())
			}
		}
	}
	if got := <-waiting; got != 304 && got != 401 {
		t.Errorf("who waited is answered %d", got)
	}
	if got := ask(t, d.s, "PUT", "/v1/sessions/s1", `{"provider":"codex","mode":"auto","workspace":"/w"}`, "Authorization", "Bearer one"); got.status != 201 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if e := kept.next(); e.Type != "session.updated" {
		t.Errorf("%+v", e)
	}
	if text := log.String(); !strings.Contains(text, `"names":["bob","cid"]`) || strings.Contains(text, "two") {
		t.Errorf("the log says %s", text)
	}
}

// A broken file changes nothing, and the service says so.
func TestABrokenFileOfTokens(t *testing.T) {
	d, path, log := withTokens(t, "ann:one:admin", "bob:two:read")
	for _, text := range []string{"", "{", `{"tokens":[]}`, `{"tokens":[{"name":"ann","scopes":null,"sha256":""}]}`, tokensText("ann:one:root")} {
		put(t, path, text)
		d.s.ReloadTokens()
		d.s.ReloadTokens()
		if a, b := d.may("one"), d.may("two"); a != 200 || b != 200 {
			t.Errorf("%s: %d and %d", text, a, b)
		}
		ready := ask(t, d.s, "GET", "/readyz", "", "Authorization", "Bearer one")
		if p := into[problem](t, ready); ready.status != 503 || len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, path) {
			t.Errorf("%s: %d %s", text, ready.status, ready.body)
		}
		if got := ask(t, d.s, "GET", "/metrics", "", "Authorization", "Bearer one"); !strings.Contains(got.body, "modegate_tokens_degraded 1") {
			t.Error("the metrics don't say it")
		}
		if other := ask(t, d.s, "GET", "/readyz", "", "Authorization", ""); other.status != 503 || strings.Contains(other.body, path) {
			t.Errorf("to everybody: %s", other.body)
		}
	}
	if n := strings.Count(log.String(), "the file of tokens is broken"); n != 5 {
		t.Errorf("it is logged %d times", n)
	}
	put(t, path, tokensText("ann:one:admin"))
	d.s.ReloadTokens()
	if got := ask(t, d.s, "GET", "/readyz", "", "Authorization", ""); got.status != 200 {
		t.Errorf("when it is good again: %d", got.status)
	}
	if got := d.may("two"); got != 401 {
		t.Errorf("a token that has gone: %d", got)
	}
}

// The file is looked at while the service runs; one that has gone changes nothing.
func TestTheFileOfTokensIsWatched(t *testing.T) {
	d, path, _ := withTokens(t, "ann:one:admin", "bob:two:read")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.s.Serve(ctx, l, nil) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	until := func(about string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(about)
			}
		}
	}
	put(t, path, tokensText("ann:one:admin"))
	until("the token works on", func() bool { return d.may("two") == http.StatusUnauthorized })
	put(t, path, "{")
	until("it is ready", func() bool { return ask(t, d.s, "GET", "/readyz", "", "Authorization", "").status == 503 })
	put(t, path, tokensText("ann:one:admin", "bob:two:read"))
	until("the token doesn't work again", func() bool { return d.may("two") == http.StatusOK })
}

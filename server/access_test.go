package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modegate/modegate/server"
)

// concrete fills in a route's parameters.
func concrete(path string) string {
	return strings.NewReplacer(":provider", "opencode2", ":mode", "auto", ":interaction", "default", "*file", "none").Replace(path)
}

// Every route is walked with every scope, without a token and with a wrong one.
func TestWhoMay(t *testing.T) {
	s := start(t, config())
	for _, r := range server.Routes() {
		path := concrete(r.Path)
		if len(r.Scopes) == 0 && !r.Public {
			t.Errorf("%s %s: nobody may call it", r.Method, r.Path)
		}
		for _, scope := range server.Scopes() {
			may := r.Public || scope == server.AdminScope || slices.Contains(r.Scopes, scope)
			got := ask(t, s, r.Method, path, "", "Authorization", "Bearer "+tokens[scope])
			if refused := got.status == 403; refused == may && path != "/sign-in" {
				t.Errorf("%s %s with scope %s: %d %s", r.Method, path, scope, got.status, got.body)
			}
		}
		if got := ask(t, s, r.Method, path, "", "Authorization", ""); got.status == 401 == r.Public && path != "/sign-in" {
			t.Errorf("%s %s without a token: %d", r.Method, path, got.status)
		}
		if got := ask(t, s, r.Method, path, "", "Authorization", "Bearer nobody"); got.status != 401 && got.status != 429 {
			t.Errorf("%s %s with a wrong token: %d", r.Method, path, got.status)
		}
	}
	for _, wrong := range []string{"Bearer", "Basic " + tokens[server.AdminScope], tokens[server.AdminScope], "Bearer  " + tokens[server.AdminScope]} {
		if got := ask(t, s, "GET", "/v1/policies", "", "Authorization", wrong); got.status != 401 {
			t.Errorf("with %q: %d", wrong, got.status)
		}
	}
	for _, path := range []string{"/v1/nothing", "/v1/providers/", "/v1/", "/admin", "/v1/evaluate/x"} {
		if got := ask(t, s, "GET", path, "", "Authorization", ""); got.status != 401 {
			t.Errorf("GET %s without a token: %d", path, got.status)
		}
		if got := ask(t, s, "GET", path, ""); got.status != 404 {
			t.Errorf("GET %s: %d", path, got.status)
		}
	}
	if got := ask(t, s, "DELETE", "/v1/providers", ""); got.status != 405 || got.header.Get("Allow") == "" {
		t.Errorf("DELETE /v1/providers: %d, Allow %q", got.status, got.header.Get("Allow"))
	}
}

// A page of another site reaches nothing: not by rebinding its own name to our
// address, not from its own origin, not through the browser's session.
func TestOtherPages(t *testing.T) {
	s := example(t)
	const evaluation = `{"provider":"opencode2","mode":"auto","action":{"kind":"question"}}`
	for _, c := range []struct {
		about   string
		headers []string
		status  int
	}{
		{"its name rebound to our address", []string{"Host", "evil.test:7420"}, 421},
		{"a name that begins like ours", []string{"Host", "localhost.evil.test:7420"}, 421},
		{"a name that ends like ours", []string{"Host", "evil.localhost:7420"}, 421},
		{"an address of the network, while we are local", []string{"Host", "192.0.2.1:7420"}, 421},
		{"no Host", []string{"Host", ""}, 421},
		{"rebound, with its own Origin", []string{"Host", "evil.test:7420", "Origin", "http://evil.test:7420"}, 421},
		{"another site's Origin", []string{"Origin", "https://evil.test"}, 403},
		{"another port of this machine", []string{"Origin", "http://127.0.0.1:9999"}, 403},
		{"another name of this machine", []string{"Origin", "http://localhost:7420"}, 403},
		{"a sandboxed frame", []string{"Origin", "null"}, 403},
		{"an extension", []string{"Origin", "chrome-extension://127.0.0.1:7420"}, 403},
		{"our own page", []string{"Origin", "http://127.0.0.1:7420"}, 200},
		{"a proxy that speaks TLS for us", []string{"Origin", "https://127.0.0.1:7420"}, 200},
		{"localhost", []string{"Host", "localhost:7420"}, 200},
		{"a tunnel's port", []string{"Host", "localhost:9000", "Origin", "http://localhost:9000"}, 200},
		{"IPv6", []string{"Host", "[::1]:7420"}, 200},
	} {
		if got := ask(t, s, "POST", "/v1/evaluate", evaluation, c.headers...); got.status != c.status {
			t.Errorf("%s: %d, want %d: %s", c.about, got.status, c.status, got.body)
		}
		if got := ask(t, s, "GET", "/healthz", "", append(c.headers, "Authorization", "")...); got.status != c.status {
			t.Errorf("%s, health: %d, want %d", c.about, got.status, c.status)
		}
	}
	named := config()
	named.Hosts = func(host string) bool { return host == "modegate.example" }
	if got := ask(t, start(t, named), "GET", "/healthz", "", "Host", "Modegate.Example"); got.status != 200 {
		t.Errorf("a configured name: %d", got.status)
	}
}

// A browser signs in with the printed code, once; its session is for our pages.
func TestBrowserSession(t *testing.T) {
	s := start(t, config())
	code := s.SignInCode(tokens[server.AdminScope])
	got := ask(t, s, "GET", "/sign-in?code="+code, "", "Authorization", "")
	set := got.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"} {
		if !strings.Contains(set, want) {
			t.Errorf("Set-Cookie %q has no %s", set, want)
		}
	}
	if got.status != 303 || got.header.Get("Location") != "/" {
		t.Fatalf("sign-in: %d %s", got.status, got.body)
	}
	if again := ask(t, s, "GET", "/sign-in?code="+code, "", "Authorization", ""); again.status != 401 {
		t.Errorf("the code a second time: %d", again.status)
	}
	cookie, _, _ := strings.Cut(set, ";")
	signed := func(method, path, body string, headers ...string) int {
		t.Helper()
		return ask(t, s, method, path, body, append([]string{"Authorization", "", "Cookie", cookie}, headers...)...).status
	}
	const ours = "http://127.0.0.1:7420"
	const evaluation = `{"provider":"opencode2","mode":"auto","action":{"kind":"question"}}`
	for _, c := range []struct {
		about        string
		method, path string
		body         string
		headers      []string
		status       int
	}{
		{"our page reads", "GET", "/v1/policies", "", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"an address typed by the user", "GET", "/v1/policies", "", []string{"Sec-Fetch-Site", "none"}, 200},
		{"our page writes", "POST", "/v1/evaluate", evaluation, []string{"Sec-Fetch-Site", "same-origin", "Origin", ours}, 200},
		{"an old browser writes", "POST", "/v1/evaluate", evaluation, []string{"Origin", ours}, 200},
		{"no Origin, no Sec-Fetch-Site", "POST", "/v1/evaluate", evaluation, nil, 403},
		{"another site writes", "POST", "/v1/policies/reload", "", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test"}, 403},
		{"another site writes without Origin", "POST", "/v1/policies/reload", "", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"another port reads", "GET", "/v1/policies", "", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"another port embeds", "GET", "/v1/matrix", "", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate"}, 403},
		{"a link to the page", "GET", "/", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		{"a form", "POST", "/v1/evaluate", evaluation, []string{"Sec-Fetch-Site", "same-origin", "Origin", ours, "Content-Type", "text/plain"}, 415},
	} {
		if got := signed(c.method, c.path, c.body, c.headers...); got != c.status {
			t.Errorf("%s: %d, want %d", c.about, got, c.status)
		}
	}
	if got := signed("POST", "/sign-out", "", "Origin", ours); got != 204 {
		t.Errorf("sign-out: %d", got)
	}
	if got := signed("GET", "/v1/policies", ""); got != 401 {
		t.Errorf("after sign-out: %d", got)
	}
}

// What the page's inbox does is guarded as all that it does: nothing is decided,
// answered or followed by a request that another page had our browser make.
func TestOnlyOurPageDecides(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	r, q := d.ask("s1", "ls"), d.open("s1", questionOf("que_1", "ses_s1"))
	got := ask(t, d.s, "GET", "/sign-in?code="+d.s.SignInCode(tokens[server.ApproveScope]), "", "Authorization", "")
	cookie, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
	const ours = "http://127.0.0.1:7420"
	calls := []struct{ method, path, body string }{
		{"POST", "/v1/requests/" + r.ID + "/decision", `{"decision":"accept"}`},
		{"POST", "/v1/requests/" + q.ID + "/answers", `{"answers":{"question-0":"Postgres","question-1":["a"]}}`},
		{"POST", "/v1/requests/" + q.ID + "/dismiss", `{}`},
		{"GET", "/v1/requests", ""}, {"GET", "/v1/requests/" + r.ID + "/native", ""}, {"GET", "/v1/sessions", ""}, {"GET", "/v1/events?after=0&heartbeat=1s", ""},
	}
	for _, c := range calls {
		for _, from := range [][]string{
			{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:9999"},
			{"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, {"Origin", "null"}, {"Host", "evil.test:7420", "Sec-Fetch-Site", "same-origin"},
		} {
			if got := ask(t, d.s, c.method, c.path, c.body, append([]string{"Authorization", "", "Cookie", cookie}, from...)...); got.status != 403 && got.status != 421 {
				t.Errorf("%s %s from %v: %d", c.method, c.path, from, got.status)
			}
		}
		if c.method == "POST" {
			for _, from := range [][]string{nil, {"Sec-Fetch-Site", "same-origin", "Origin", ours, "Content-Type", "text/plain"}, {"Sec-Fetch-Site", "none"}} {
				if got := ask(t, d.s, c.method, c.path, c.body, append([]string{"Authorization", "", "Cookie", cookie}, from...)...); got.status != 403 && got.status != 415 {
					t.Errorf("%s %s from %v: %d", c.method, c.path, from, got.status)
				}
			}
		}
	}
	for _, id := range []string{r.ID, q.ID} {
		if now := d.request(id); now.State != "pending" {
			t.Fatalf("%+v", now)
		}
	}
	for _, c := range calls[:2] {
		if got := ask(t, d.s, c.method, c.path, c.body, "Authorization", "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin", "Origin", ours); got.status != 202 || !strings.Contains(got.body, `"decidedBy":"the approve"`) {
			t.Errorf("our own page: %d %s", got.status, got.body)
		}
	}
}

func TestSignInWithToken(t *testing.T) {
	s := start(t, config())
	body := `{"token":"` + tokens[server.ReadScope] + `"}`
	ours := []string{"Authorization", "", "Origin", "http://127.0.0.1:7420"}
	got := ask(t, s, "POST", "/sign-in", body, ours...)
	if got.status != 200 || !strings.Contains(got.body, "the read") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	cookie, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
	if got := ask(t, s, "GET", "/v1/me", "", "Authorization", "", "Cookie", cookie); got.body != `{"name":"the read","scopes":["read"]}` {
		t.Errorf("me: %s", got.body)
	}
	if got := ask(t, s, "POST", "/v1/policies/reload", "", append(ours, "Cookie", cookie)...); got.status != 403 {
		t.Errorf("the session has more than its token: %d", got.status)
	}
	if got := ask(t, s, "POST", "/sign-in", `{"token":"x"}`, ours...); got.status != 401 {
		t.Errorf("a wrong token: %d", got.status)
	}
	if got := ask(t, s, "POST", "/sign-in", body, "Authorization", ""); got.status != 403 {
		t.Errorf("from nowhere: %d", got.status)
	}
	for range 100 {
		got = ask(t, s, "POST", "/sign-in", `{"token":"x"}`, ours...)
	}
	if got.status != 429 || got.header.Get("Retry-After") == "" {
		t.Errorf("the hundredth wrong token: %d", got.status)
	}
	if got := ask(t, s, "GET", "/v1/policies", ""); got.status != 200 {
		t.Errorf("a right token after many wrong ones: %d", got.status)
	}
}

func TestTokenFile(t *testing.T) {
	hash := func(token string) string {
		sum := sha256.Sum256([]byte(token))
		return hex.EncodeToString(sum[:])
	}
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "tokens.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, err := server.ReadTokens(write(`{"tokens":[{"name":"ci","scopes":["adapter"],"sha256":"` + hash("secret") + `"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cfg := config()
	cfg.Access = a
	s := start(t, cfg)
	if got := ask(t, s, "GET", "/v1/me", "", "Authorization", "Bearer secret"); got.body != `{"name":"ci","scopes":["adapter"]}` {
		t.Errorf("me: %s", got.body)
	}
	if got := ask(t, s, "GET", "/v1/matrix", "", "Authorization", "Bearer secret"); got.status != 403 {
		t.Errorf("beyond its scopes: %d", got.status)
	}
	if got := ask(t, s, "GET", "/healthz", "", "Authorization", "", "Host", "192.0.2.1:7420"); got.status != 200 {
		t.Errorf("an address of the network: %d", got.status)
	}
	for about, text := range map[string]string{
		"no tokens":     `{"tokens":[]}`,
		"unknown field": `{"tokens":[{"name":"a","scope":["read"],"sha256":"` + hash("a") + `"}]}`,
		"unknown scope": `{"tokens":[{"name":"a","scopes":["root"],"sha256":"` + hash("a") + `"}]}`,
		"no scopes":     `{"tokens":[{"name":"a","scopes":[],"sha256":"` + hash("a") + `"}]}`,
		"not a hash":    `{"tokens":[{"name":"a","scopes":["read"],"sha256":"secret"}]}`,
		"a name twice":  `{"tokens":[{"name":"a","scopes":["read"],"sha256":"` + hash("a") + `"},{"name":"a","scopes":["read"],"sha256":"` + hash("b") + `"}]}`,
		"a token twice": `{"tokens":[{"name":"a","scopes":["read"],"sha256":"` + hash("a") + `"},{"name":"b","scopes":["read"],"sha256":"` + hash("a") + `"}]}`,
	} {
		if _, err := server.ReadTokens(write(text)); err == nil {
			t.Errorf("%s: not refused", about)
		}
	}
}

func TestAdminToken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := server.MakeData(dir); err != nil {
		t.Fatal(err)
	}
	first, err := server.AdminToken(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, server.AdminTokenFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, err := server.AdminToken(dir); err != nil || again != first {
		t.Errorf("the second start has another token: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if next, err := server.AdminToken(dir); err != nil || next == first {
		t.Errorf("a token that others could read is kept: %v", err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.AdminToken(dir); err == nil {
		t.Error("a file that holds no token is taken")
	}
}

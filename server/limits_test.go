package server_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

const nativeBody = `{"provider":"opencode2","mode":"auto","interaction":"default","action":{"kind":"native","request":{"action":"shell","resources":["echo a"]}}}`

// What is malformed or too large is refused, with the place.
func TestRefusals(t *testing.T) {
	s := example(t)
	long := func(n int) string { return strings.Repeat("a", n) }
	const evaluate = "/v1/evaluate"
	for _, c := range []struct {
		about, path, body string
		status            int
		pointer           string
	}{
		{"nothing", evaluate, "", 400, ""},
		{"not JSON", evaluate, "{", 400, ""},
		{"two values", evaluate, nativeBody + "{}", 400, ""},
		{"a list", evaluate, "[]", 400, ""},
		{"unknown field", evaluate, `{"providr":"opencode2"}`, 400, "/providr"},
		{"another case", evaluate, `{"Provider":"opencode2"}`, 400, "/Provider"},
		{"a field twice", evaluate, `{"mode":"auto","mode":"full-access"}`, 400, "/mode"},
		{"an action's field", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"command","comand":"ls"}}`, 400, "/action/comand"},
		{"an Env's field", evaluate, `{"provider":"opencode2","mode":"auto","env":{"worskpace":"/a"},"action":{"kind":"question"}}`, 400, "/env/worskpace"},
		{"unknown provider", evaluate, `{"provider":"opencode3","mode":"auto","action":{"kind":"question"}}`, 400, "/provider"},
		{"unknown mode", evaluate, `{"provider":"opencode2","mode":"yolo","action":{"kind":"question"}}`, 400, "/mode"},
		{"unknown version", evaluate, `{"provider":"opencode2","providerVersion":"3","mode":"auto","action":{"kind":"question"}}`, 400, "/providerVersion"},
		{"mode and native", evaluate, `{"provider":"opencode2","mode":"auto","native":[],"action":{"kind":"question"}}`, 400, "/native"},
		{"action and actions", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"question"},"actions":[{"kind":"question"}]}`, 400, "/actions"},
		{"no actions", evaluate, `{"provider":"opencode2","mode":"auto","actions":[]}`, 400, "/actions"},
		{"a kind of rules", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"any"}}`, 400, "/action"},
		{"a foreign field", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"question","command":"ls"}}`, 400, "/action"},
		{"native field", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"native","request":{"action":"shell","resource":["a"]}}}`, 400, "/action/request/resource"},
		{"native settings", evaluate, `{"provider":"opencode2","native":[{"action":"shell","resource":"*"}],"action":{"kind":"question"}}`, 400, "/native/0"},
		{"lone surrogate", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"command","command":"\ud800"}}`, 400, "/action/command"},
		{"bytes that aren't UTF-8", evaluate, "{\"provider\":\"opencode2\",\"mode\":\"auto\",\"action\":{\"kind\":\"command\",\"command\":\"\xff\"}}", 400, "/action/command"},
		{"null for a word", evaluate, `{"provider":"opencode2","mode":"auto","interaction":null,"action":{"kind":"question"}}`, 400, "/interaction"},
		{"null for an Env", evaluate, `{"provider":"opencode2","mode":"auto","env":null,"action":{"kind":"question"}}`, 400, "/env"},
		{"null inside of an Env", evaluate, `{"provider":"opencode2","mode":"auto","env":{"agents":null},"action":{"kind":"question"}}`, 400, "/env/agents"},
		{"null facts", evaluate, `{"provider":"opencode2","mode":"auto","env":{"facts":null},"action":{"kind":"question"}}`, 400, "/env/facts"},
		{"null inside of an action", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"command","command":"ls","cwd":null}}`, 400, "/action/cwd"},
		{"null for a flag", evaluate, `{"provider":"opencode2","mode":"auto","explain":null,"action":{"kind":"question"}}`, 400, "/explain"},
		{"null settings", evaluate, `{"provider":"claude","native":null,"action":{"kind":"question"}}`, 400, "/native"},
		{"nothing but null", evaluate, `null`, 400, ""},
		{"a null name", "/v1/policies/check", `{"name":null,"text":""}`, 400, "/name"},
		{"relative workspace", evaluate, `{"provider":"opencode2","mode":"auto","env":{"workspace":"app"},"action":{"kind":"question"}}`, 400, "/env"},
		{"foreign facts", evaluate, `{"provider":"opencode2","mode":"auto","env":{"facts":{"x":1}},"action":{"kind":"question"}}`, 422, ""},
		{"foreign facts, native", evaluate, `{"provider":"opencode2","native":[],"env":{"facts":{"x":1}},"action":{"kind":"question"}}`, 400, "/env/facts/x"},
		{"a long command", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"command","command":"` + long(64<<10+1) + `"}}`, 400, "/action/command"},
		{"a long path", evaluate, `{"provider":"opencode2","mode":"auto","actions":[{"kind":"question"},{"kind":"file-read","path":"` + long(8<<10+1) + `"}]}`, 400, "/actions/1/path"},
		{"a long native request", evaluate, `{"provider":"opencode2","mode":"auto","action":{"kind":"native","request":{"action":"shell","resources":["` + long(512<<10) + `"]}}}`, 400, "/action/request"},
		{"long settings", evaluate, `{"provider":"opencode2","native":[{"action":"a","resource":"` + long(512<<10) + `","effect":"deny"}],"action":{"kind":"question"}}`, 400, "/native"},
		{"a long pattern", evaluate, `{"provider":"opencode2","mode":"auto","env":{"grants":[{"action":"shell","resource":"` + long(8<<10+1) + `"}]},"action":{"kind":"question"}}`, 400, "/env/grants/0"},
		{"many actions", evaluate, `{"provider":"opencode2","mode":"auto","actions":[` + strings.TrimSuffix(strings.Repeat(`{"kind":"question"},`, 1001), ",") + `]}`, 400, "/actions"},
		{"many grants", evaluate, `{"provider":"opencode2","mode":"auto","env":{"grants":[` + strings.TrimSuffix(strings.Repeat(`{"action":"a","resource":"b"},`, 2001), ",") + `]},"action":{"kind":"question"}}`, 400, "/env/grants"},
		{"a large body", evaluate, `{"provider":"` + long(1<<20) + `"}`, 413, ""},
		{"a large policy", "/v1/policies/check", `{"text":"` + long(1<<20) + `"}`, 413, ""},
		{"many rules", "/v1/policies/check", `{"text":"apiVersion: modegate/v1\nname: a\nrules:\n` + strings.Repeat(`- {kind: command, match: ls, effect: ask}\n`, 201) + `"}`, 422, ""},
		{"a body where none belongs", "/v1/policies/reload", long(100), 413, ""},
		{"unknown cell", "/v1/rulesets/opencode2/yolo/default", "{}", 404, ""},
		{"an Env that isn't one", "/v1/rulesets/opencode2/auto/default", `{"home":"x"}`, 400, ""},
		{"query", "/v1/evaluate?explain=true", nativeBody, 400, ""},
		{"query twice", "/v1/rulesets/opencode2/auto/default?wait=1s&wait=2s", "{}", 400, ""},
		{"odd query", "/v1/rulesets/opencode2/auto/default?wait=%zz", "{}", 400, ""},
	} {
		got := ask(t, s, "POST", c.path, c.body)
		p := into[problem](t, got)
		if got.status != c.status || p.Status != c.status || c.status == 400 && len(p.Errors) == 0 || c.pointer != "" && p.Errors[0].Pointer != c.pointer {
			t.Errorf("%s: %d %.300s, want %d %s", c.about, got.status, got.body, c.status, c.pointer)
		}
	}
}

// Every effectful kind gets an answer in every cell, in one batch as alone.
func TestEveryCellAnswers(t *testing.T) {
	s := example(t)
	const actions = `{"kind":"command","command":"ls"},{"kind":"file-read","path":"a"},{"kind":"file-change","path":"a","to":"b"},{"kind":"web-fetch","url":"https://example.test"},{"kind":"web-search","query":"a"},{"kind":"mcp-tool","server":"s","tool":"t"},{"kind":"subagent","agent":"general"},{"kind":"question"}`
	for _, p := range []string{"codex", "claude", "cursor", "grok", "opencode", "opencode2"} {
		for _, m := range []string{"approval-required", "auto-accept-edits", "auto", "full-access"} {
			for _, i := range []string{"default", "plan"} {
				got := ask(t, s, "POST", "/v1/evaluate", fmt.Sprintf(`{"provider":%q,"mode":%q,"interaction":%q,"explain":true,"actions":[%s]}`, p, m, i, actions))
				if got.status != 200 {
					t.Errorf("%s/%s/%s: %d %s", p, m, i, got.status, got.body)
				}
				if got := ask(t, s, "GET", "/v1/rulesets/"+p+"/"+m+"/"+i, ""); got.status != 200 {
					t.Errorf("%s/%s/%s: %d %s", p, m, i, got.status, got.body)
				}
			}
		}
	}
}

func TestHeavyRequestsAreLimited(t *testing.T) {
	s := start(t, config())
	status := 0
	for range 1000 {
		if status = ask(t, s, "POST", "/v1/rulesets/opencode2/auto/default", `{"workspace":"app"}`).status; status == 429 {
			return
		}
	}
	t.Errorf("the thousandth compilation in a row: %d", status)
}

// The log has the request's id and the caller's trace, and no token.
func TestLog(t *testing.T) {
	var log logged
	cfg := config()
	cfg.Log = slog.New(slog.NewJSONHandler(&log, nil))
	s := start(t, cfg)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	got := ask(t, s, "GET", "/v1/me", "", "X-Request-Id", "my-request", "Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
	if parent := got.header.Get("Traceparent"); !strings.HasPrefix(parent, "00-"+trace+"-") || strings.Contains(parent, "b7ad6b7169203331") || !strings.HasSuffix(parent, "-01") || len(parent) != 55 {
		t.Errorf("traceparent %q", parent)
	}
	for _, want := range []string{`"request":"my-request"`, `"trace":"` + trace + `"`, `"who":"the admin"`, `"status":200`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log doesn't say %s: %s", want, log.String())
		}
	}
	for _, bad := range []string{"00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", "01-x", "00-" + trace + "-b7ad6b7169203331-01-more"} {
		if got := ask(t, s, "GET", "/v1/me", "", "Traceparent", bad); got.header.Get("Traceparent") != "" {
			t.Errorf("traceparent %q is carried on", bad)
		}
	}
	if got := ask(t, s, "GET", "/v1/me", "", "X-Request-Id", "a\nb"); got.header.Get("X-Request-Id") == "a\nb" {
		t.Error("any request id is taken")
	}
	code := s.SignInCode(tokens["admin"])
	ask(t, s, "GET", "/sign-in?code="+code, "", "Authorization", "")
	ask(t, s, "POST", "/v1/evaluate", nativeBody)
	for _, secret := range []string{tokens["admin"], code} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has a secret")
		}
	}
	if strings.Contains(log.String(), "/v1/evaluate") {
		t.Error("evaluations that succeed are logged")
	}
}

// The page's policy has a nonce that is the page's own, and never the same.
func TestPage(t *testing.T) {
	s := example(t)
	a, b := ask(t, s, "GET", "/", "", "Authorization", ""), ask(t, s, "GET", "/", "", "Authorization", "")
	csp := a.header.Get("Content-Security-Policy")
	_, rest, _ := strings.Cut(csp, "'nonce-")
	nonce, _, _ := strings.Cut(rest, "'")
	if nonce == "" || !strings.Contains(a.body, `nonce="`+nonce+`"`) || strings.Contains(a.body, "{{nonce}}") || csp == b.header.Get("Content-Security-Policy") {
		t.Errorf("policy %q, page %s", csp, a.body)
	}
	for _, path := range []string{"/assets/nothing.js", "/assets/../index.html", "/assets/%2e%2e/index.html", "/assets//etc/passwd"} {
		if got := ask(t, s, "GET", path, "", "Authorization", ""); got.status != 404 && got.status != 401 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

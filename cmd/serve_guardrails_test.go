package cmd

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/server"
	"github.com/modegate/modegate/server/store"
)

// guardedService is the service as serve makes it, under Rego on disk.
type guardedService struct {
	t   *testing.T
	s   *server.Server
	dir string
}

func serveUnder(t *testing.T, g guardrailFlags, texts map[string]string, wrap ...func(server.GuardrailSet) server.GuardrailSet) *guardedService {
	t.Helper()
	g.guardrails = t.TempDir()
	out := &guardedService{t: t, dir: g.guardrails}
	for name, text := range texts {
		out.put(name, text)
	}
	guardrails, err := g.config()
	if err != nil {
		t.Fatal(err)
	}
	load := guardrails.Load
	guardrails.Load = func() (server.GuardrailSet, error) {
		set, err := load()
		for _, w := range wrap {
			if err == nil {
				set = w(set)
			}
		}
		return set, err
	}
	kept, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	access := &server.Access{Loopback: true}
	access.Add("token", "admin", server.AdminScope)
	out.s, err = server.New(server.Config{
		Dialects: adapters.Table(), Policies: []string{"builtin/t3code"}, Access: access,
		Store: kept, Translators: translators(), Guardrails: guardrails,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (g *guardedService) put(name, text string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guardedService) call(method, path, body string) (int, string) {
	g.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:7420"
	r.Header.Set("Authorization", "Bearer token")
	w := httptest.NewRecorder()
	g.s.Handler().ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return w.Code, string(answer)
}

const (
	grokPush   = `{"jsonrpc":"2.0","id":ID,"method":"session/request_permission","params":{"sessionId":"g","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"COMMAND"}},"options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}`
	evaluation = `{"provider":"PROVIDER","mode":"full-access","explain":true,"action":{"kind":"command","command":"git push origin main"}}`
)

func (g *guardedService) push(id, command string) (int, string) {
	return g.call("POST", "/v1/sessions/s/requests", strings.NewReplacer("ID", id, "COMMAND", command).Replace(grokPush))
}

func (g *guardedService) evaluate(provider string) (int, string) {
	return g.call("POST", "/v1/evaluate", strings.Replace(evaluation, "PROVIDER", provider, 1))
}

// TestServeUnderRego drives the documents' guardrails through the whole service.
func TestServeUnderRego(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"push.rego", "sandbox.rego", "guardrails_test.rego"} {
		texts[name] = file(t, "../docs/rego/guardrails/"+name)
	}
	g := serveUnder(t, guardrailFlags{guardrailOnError: "error", guardrailTimeout: 10 * time.Second}, texts)
	if code, got := g.call("PUT", "/v1/sessions/s", `{"provider":"grok","mode":"full-access","workspace":"/srv/sandboxes/app"}`); code != 201 {
		t.Fatal(code, got)
	}
	for i, c := range []struct{ command, want string }{
		{"git push origin main", `"state":"pending"`},
		{"cd app && git push", `"state":"pending"`},
		{"git push origin feature", `"decidedBy":"modegate:mode"`},
		{"rm -rf build", `"decidedBy":"modegate:mode"`},
	} {
		if code, got := g.push(string(rune('1'+i)), c.command); code != 201 || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d %s", c.command, code, got)
		}
	}
	if code, got := g.call("PATCH", "/v1/sessions/s", `{"workspace":"/srv/sandboxes/../dev"}`); code != 200 {
		t.Fatal(code, got)
	}
	if _, got := g.push("8", "ls"); !strings.Contains(got, `"decision":"decline","decidedBy":"modegate:guardrail","reason":"guardrail sandbox: full access is for sandboxed workspaces"`) || !strings.Contains(got, `"optionId":"no"`) {
		t.Error(got)
	}
	if _, got := g.evaluate("grok"); !strings.HasPrefix(got, `{"effect":"deny"`) || !strings.Contains(got, `"layer":"guardrail"`) {
		t.Error(got)
	}
	if _, got := g.evaluate("opencode2"); !strings.HasPrefix(got, `{"effect":"allow"`) || !strings.Contains(got, `"effect":"deny","reason":"full access is for sandboxed workspaces","enforced":false,"unenforced":"opencode2 runs it without asking"`) {
		t.Error(got)
	}
	g.put("push.rego", "package modegate.guardrails.push\n\ndecision := }\n")
	if code, got := g.call("POST", "/v1/policies/reload", ""); code != 422 || !strings.Contains(got, `push.rego","line":3,"column":13,"message":"unexpected } token"`) {
		t.Error(code, got)
	}
	g.put("push.rego", strings.Replace(texts["push.rego"], "input.action.command", "input.action.comand", 1))
	if code, got := g.call("POST", "/v1/policies/reload", ""); code != 422 || !strings.Contains(got, `push.rego","line":9,"column":30,"message":"input.action has no \"comand\": it has agent, `) {
		t.Error(code, got)
	}
	if code, _ := g.call("GET", "/readyz", ""); code != 503 {
		t.Errorf("ready: %d", code)
	}
	if _, got := g.push("9", "git push"); !strings.Contains(got, `"guardrails":[{"name":"push"`) {
		t.Errorf("the last good ones aren't in force: %s", got)
	}
}

// TestServeWithFaultyRego is EN-03 and EN-06 with the engine itself: whatever goes
// wrong in it, there is no answer, or a person is asked.
func TestServeWithFaultyRego(t *testing.T) {
	const head = "package modegate.guardrails.g\n\n"
	for name, text := range map[string]string{
		"no default":      `decision := {"effect": "allow"} if input.action.kind == "question"`,
		"two values":      "decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": input.effect}",
		"something else":  `decision := "allow"`,
		"a broken regexp": "default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if regex.match(\"(\", input.effect)",
		"no end":          `decision := {"effect": "allow"} if count([1 | some a in numbers.range(1, 9999); some b in numbers.range(1, 9999); a * b == 0]) == 0`,
	} {
		for onError, want := range map[string][2]string{
			"error": {`"type":"urn:modegate:problem:unavailable","title":"Service Unavailable","status":503`, `"type":"urn:modegate:problem:unavailable"`},
			"ask":   {`{"effect":"ask","confinement":"none","decider":"person"`, `"state":"pending"`},
		} {
			g := serveUnder(t, guardrailFlags{guardrailOnError: onError, guardrailTimeout: 100 * time.Millisecond}, map[string]string{"g.rego": head + text})
			if _, got := g.evaluate("grok"); !strings.Contains(got, want[0]) {
				t.Errorf("%s, %s: %s", name, onError, got)
			}
			g.call("PUT", "/v1/sessions/s", `{"provider":"grok","mode":"full-access","workspace":"/w"}`)
			if _, got := g.push("1", "ls"); !strings.Contains(got, want[1]) {
				t.Errorf("%s, %s: %s", name, onError, got)
			}
		}
	}
}

package server_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/server"
)

// saying is one guardrail in Go. An empty word is that it has no answer.
type saying func(in evaluator.GuardrailInput) (word, reason string)

// guards are guardrails without Rego.
type guards struct {
	digest string
	say    map[string]saying
	asked  func(ctx context.Context, in evaluator.GuardrailInput) // nil: nothing
}

func (g *guards) Digest() string { return g.digest }

func (g *guards) List() []evaluator.Guardrail {
	var out []evaluator.Guardrail
	for _, name := range slices.Sorted(maps.Keys(g.say)) {
		out = append(out, evaluator.Guardrail{Name: name, File: "guards/" + name + ".rego", Line: 3})
	}
	return out
}

func (g *guards) Ask(ctx context.Context, in evaluator.GuardrailInput) []evaluator.Said {
	if g.asked != nil {
		g.asked(ctx, in)
	}
	var out []evaluator.Said
	for _, one := range g.List() {
		s := evaluator.Said{Guardrail: one}
		var word string
		word, s.Reason = g.say[one.Name](in)
		if word == "" || s.Effect.UnmarshalText([]byte(word)) != nil || ctx.Err() != nil {
			s.Effect, s.Err = evaluator.Unknown, fmt.Errorf("guardrail %s (%s:3) gave no answer: it broke", one.Name, one.File)
		}
		out = append(out, s)
	}
	return out
}

// always has one guardrail, which says one thing.
func always(word string) *guards {
	return &guards{digest: "sha256:" + word, say: map[string]saying{"g": func(evaluator.GuardrailInput) (string, string) { return word, "because" }}}
}

// onCommand wants something for commands that begin so, and nothing for others.
func onCommand(prefix, word string) *guards {
	g := always("allow")
	g.say["g"] = func(in evaluator.GuardrailInput) (string, string) {
		if strings.HasPrefix(in.Action.Command, prefix) {
			return word, "because"
		}
		return "allow", ""
	}
	return g
}

// under puts guardrails in a configuration.
func under(g *guards) func(*server.Config) {
	return func(cfg *server.Config) {
		cfg.Guardrails.Load = func() (server.GuardrailSet, error) { return g, nil }
	}
}

func guarded(t testing.TB, change ...func(*server.Config)) *server.Server {
	t.Helper()
	cfg := config()
	for _, c := range change {
		c(&cfg)
	}
	return start(t, cfg)
}

type guardedVerdict struct {
	Effect, Decider, Enforcer, Reason string
	Native                            struct{ Effect string }
	Guardrails                        []struct {
		Name, File, Effect, Reason, Unenforced string
		Enforced, Failed                       bool
	}
	Trace []struct {
		Layer, Reason, Resource string
		Matched, Decided        bool
		Source                  *struct{ File string }
	}
}

const (
	claudePush   = `{"provider":"claude","mode":"full-access","interaction":"plan","action":{"kind":"file-change","path":"src/a.go"}}`
	opencodePush = `{"provider":"opencode2","mode":"full-access","action":{"kind":"command","command":"git push"}}`
)

// TestEvaluateUnderGuardrails: the effect is tightened where the provider asks
// us, and only reported where it doesn't. The trace shows who was asked and who
// spoke.
func TestEvaluateUnderGuardrails(t *testing.T) {
	s := guarded(t, under(&guards{digest: "sha256:x", say: map[string]saying{
		"quiet": func(evaluator.GuardrailInput) (string, string) { return "allow", "" },
		"stern": func(evaluator.GuardrailInput) (string, string) { return "deny", "nobody watches" },
	}}))
	v := into[guardedVerdict](t, ask(t, s, "POST", "/v1/evaluate", strings.Replace(claudePush, `{"provider"`, `{"explain":true,"provider"`, 1)))
	if v.Effect != "deny" || v.Decider != "adapter" || v.Enforcer != "adapter" || v.Native.Effect != "ask" || !strings.Contains(v.Reason, "the guardrail stern says deny: nobody watches") {
		t.Errorf("%+v", v)
	}
	if len(v.Guardrails) != 1 || !v.Guardrails[0].Enforced || v.Guardrails[0].Name != "stern" || v.Guardrails[0].File != "guards/stern.rego" {
		t.Errorf("%+v", v.Guardrails)
	}
	said := map[string]bool{}
	for _, step := range v.Trace {
		if step.Layer == "guardrail" {
			said[fmt.Sprintf("%s matched=%v decided=%v", step.Source.File, step.Matched, step.Decided)] = true
		}
	}
	if !said["guards/quiet.rego matched=false decided=false"] || !said["guards/stern.rego matched=true decided=true"] || len(said) != 2 {
		t.Errorf("%v", said)
	}
	v = into[guardedVerdict](t, ask(t, s, "POST", "/v1/evaluate", opencodePush))
	if v.Effect != "allow" || v.Decider != "provider-rule" || len(v.Guardrails) != 1 || v.Guardrails[0].Enforced || v.Guardrails[0].Unenforced != "opencode2 runs it without asking" {
		t.Errorf("%+v", v)
	}
	batch := `{"provider":"claude","mode":"full-access","interaction":"plan","actions":[{"kind":"file-change","path":"a"},{"kind":"file-read","path":"a"}]}`
	all := into[struct{ Verdicts []guardedVerdict }](t, ask(t, s, "POST", "/v1/evaluate", batch)).Verdicts
	if len(all) != 2 || all[0].Effect != "deny" || all[1].Effect != "allow" || len(all[1].Guardrails) != 1 {
		t.Errorf("%+v", all)
	}
}

// TestQuietGuardrails: with nothing to say, every answer is the one without
// guardrails, byte for byte, by the fast way too.
func TestQuietGuardrails(t *testing.T) {
	s := guarded(t, under(always("allow")))
	for _, body := range []string{
		claudePush, opencodePush,
		`{"provider":"opencode2","mode":"auto","action":` + nativeRequest("opencode2", "shell", "git push") + `}`,
		`{"provider":"opencode","mode":"auto","interaction":"plan","actions":[` + nativeRequest("opencode", "edit", "a") + `]}`,
		`{"provider":"codex","mode":"auto","action":{"kind":"question"}}`,
	} {
		if got, want := ask(t, s, "POST", "/v1/evaluate", body), ask(t, example(t), "POST", "/v1/evaluate", body); got.status != 200 || got.body != want.body {
			t.Errorf("%s: %d\n%s\nwithout guardrails\n%s", body, got.status, got.body, want.body)
		}
	}
}

// TestBrokenGuardrail is EN-03 and EN-06 at the service: no answer, or asking, as
// configured; never what would be without the guardrail.
func TestBrokenGuardrail(t *testing.T) {
	broken := always("")
	for _, body := range []string{claudePush, opencodePush, strings.Replace(opencodePush, `"action":`, `"explain":true,"action":`, 1),
		`{"provider":"opencode2","mode":"auto","action":` + nativeRequest("opencode2", "read", "a") + `}`,
		`{"provider":"claude","mode":"full-access","actions":[{"kind":"file-read","path":"a"},{"kind":"command","command":"ls"}]}`} {
		got := ask(t, guarded(t, under(broken)), "POST", "/v1/evaluate", body)
		if p := into[problem](t, got); got.status != 503 || p.Type != "urn:modegate:problem:unavailable" || len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, "guardrail g (guards/g.rego:3) gave no answer: it broke") {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	s := guarded(t, under(broken), func(cfg *server.Config) { cfg.Guardrails.Ask = true })
	v := into[guardedVerdict](t, ask(t, s, "POST", "/v1/evaluate", claudePush))
	if v.Effect != "ask" || v.Decider != "person" || len(v.Guardrails) != 1 || !v.Guardrails[0].Failed || !v.Guardrails[0].Enforced {
		t.Errorf("%+v", v)
	}
	if v = into[guardedVerdict](t, ask(t, s, "POST", "/v1/evaluate", opencodePush)); v.Effect != "allow" || len(v.Guardrails) != 1 || v.Guardrails[0].Enforced || v.Guardrails[0].Effect != "ask" {
		t.Errorf("%+v", v)
	}
}

// TestGuardrailThatDoesNotEnd: its time is over, and there is no answer.
func TestGuardrailThatDoesNotEnd(t *testing.T) {
	slow := always("allow")
	slow.asked = func(ctx context.Context, _ evaluator.GuardrailInput) { <-ctx.Done() }
	s := guarded(t, under(slow), func(cfg *server.Config) { cfg.Guardrails.Timeout = time.Millisecond })
	for _, body := range []string{claudePush, `{"provider":"claude","mode":"full-access","actions":[{"kind":"file-read","path":"a"}]}`} {
		if got := ask(t, s, "POST", "/v1/evaluate", body); got.status != 503 {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
}

// TestEndlessCommandLines: what can't be put to guardrails has no answer of theirs.
func TestEndlessCommandLines(t *testing.T) {
	var line strings.Builder
	for i := range 200 {
		fmt.Fprintf(&line, "a%d;", i)
	}
	body := fmt.Sprintf(`{"provider":"grok","mode":"full-access","action":{"kind":"command","command":%q}}`, line.String())
	if got := ask(t, guarded(t, under(always("allow"))), "POST", "/v1/evaluate", body); got.status != 503 || !strings.Contains(got.body, "guardrail g wasn't asked: the command line has 200 commands") {
		t.Errorf("%d %s", got.status, got.body)
	}
	d := newGuardedDesk(t, always("allow"), func(cfg *server.Config) { cfg.Guardrails.Ask = true })
	d.load("s", "opencode", "approval-required")
	if r := d.ask("s", line.String()); r.State != "pending" {
		t.Errorf("%+v", r)
	}
}

type guardrailsLoaded struct {
	Guardrails *struct {
		State, Digest, OnError, Timeout string
		Guardrails                      []struct{ Name, File string }
		Errors                          []struct {
			File, Message string
			Line          int
		}
		Removed []string
		Changed bool
	}
}

// fromFile loads guardrails that a file names, one a line; a line "broken" is an
// error there.
func fromFile(dir string) func() (server.GuardrailSet, error) {
	return func() (server.GuardrailSet, error) {
		text, err := os.ReadFile(filepath.Join(dir, "g.rego"))
		if err != nil {
			return nil, err
		}
		g := &guards{digest: "sha256:" + strings.Repeat("0", 60) + fmt.Sprintf("%04d", len(text)), say: map[string]saying{}}
		for i, name := range strings.Fields(string(text)) {
			if name == "broken" {
				return nil, diag.List{{File: filepath.Join(dir, "g.rego"), Line: i + 1, Column: 1, Message: "it is broken"}}
			}
			g.say[name] = func(evaluator.GuardrailInput) (string, string) { return "deny", name }
		}
		return g, nil
	}
}

// TestBrokenGuardrailsKeepTheLastGoodOnes is the service's half of EN-05 and
// EN-10: it doesn't start with broken ones; a reload keeps those in force, says
// where the fault is, and names what it takes away.
func TestBrokenGuardrailsKeepTheLastGoodOnes(t *testing.T) {
	dir := folder(t, map[string]string{"g.rego": "one\nbroken\n"})
	cfg := config()
	cfg.Guardrails = server.GuardrailConfig{Dir: dir, Load: fromFile(dir)}
	var problems diag.List
	if _, err := server.New(cfg); !errors.As(err, &problems) || problems[0].Line != 2 {
		t.Errorf("it starts with broken guardrails: %v", err)
	}
	put(t, filepath.Join(dir, "g.rego"), "one\ntwo\n")
	s := start(t, cfg)
	if l := into[guardrailsLoaded](t, ask(t, s, "GET", "/v1/policies", "")).Guardrails; l == nil || l.State != "ok" || l.OnError != "error" || l.Timeout != "500ms" || len(l.Guardrails) != 2 {
		t.Fatalf("%+v", l)
	}
	put(t, filepath.Join(dir, "g.rego"), "broken\n")
	got := ask(t, s, "POST", "/v1/policies/reload", "")
	if p := into[problem](t, got); got.status != 422 || p.Type != "urn:modegate:problem:broken-guardrails" || len(p.Errors) != 1 || p.Errors[0].Line != 1 || !strings.HasSuffix(p.Errors[0].File, "g.rego") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got = ask(t, s, "GET", "/readyz", ""); got.status != 503 || !strings.Contains(got.body, "a guardrail on disk is broken") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if l := into[guardrailsLoaded](t, ask(t, s, "GET", "/v1/policies", "")).Guardrails; l.State != "degraded" || len(l.Errors) != 1 || len(l.Guardrails) != 2 {
		t.Errorf("%+v", l)
	}
	if v := into[guardedVerdict](t, ask(t, s, "POST", "/v1/evaluate", claudePush)); v.Effect != "deny" || len(v.Guardrails) != 2 {
		t.Errorf("the last good ones aren't in force: %+v", v)
	}
	if got = ask(t, s, "GET", "/metrics", ""); !strings.Contains(got.body, "modegate_guardrails_degraded 1") || !strings.Contains(got.body, `modegate_guardrail_answers_total{guardrail="one",result="deny"} 1`) {
		t.Errorf("the metrics don't say it: %s", got.body)
	}
	put(t, filepath.Join(dir, "g.rego"), "two\nthree\n")
	l := into[guardrailsLoaded](t, ask(t, s, "POST", "/v1/policies/reload", "")).Guardrails
	if !l.Changed || strings.Join(l.Removed, " ") != "one" || l.State != "ok" {
		t.Errorf("%+v", l)
	}
	if got = ask(t, s, "GET", "/readyz", ""); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if l := into[guardrailsLoaded](t, ask(t, s, "POST", "/v1/policies/reload", "")).Guardrails; l.Changed || len(l.Removed) != 0 {
		t.Errorf("nothing has changed: %+v", l)
	}
}

// TestWatchedGuardrails: the folder is looked at, and loaded anew when it changes.
func TestWatchedGuardrails(t *testing.T) {
	dir := folder(t, map[string]string{"g.rego": "one\n"})
	s := guarded(t, func(cfg *server.Config) { cfg.Guardrails = server.GuardrailConfig{Dir: dir, Load: fromFile(dir)} })
	serve(t, s)
	put(t, filepath.Join(dir, "g.rego"), "one\ntwo\n")
	until(t, "another guardrail", func() bool {
		return strings.Contains(ask(t, s, "GET", "/v1/policies", "").body, `"name":"two"`)
	})
	put(t, filepath.Join(dir, "g.rego"), "broken\n")
	until(t, "a broken guardrail", func() bool { return ask(t, s, "GET", "/readyz", "").status == 503 })
	put(t, filepath.Join(dir, "g.rego"), "one\n")
	until(t, "a mended guardrail", func() bool { return ask(t, s, "GET", "/readyz", "").status == 200 })
}

package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/server"
)

const (
	planDeny  = `- {id: plan-edits-deny, kind: file-change, match: "*", effect: deny, providers: [opencode2]}`
	planAsk   = `- {id: plan-edits-deny, kind: file-change, match: "*", effect: ask, providers: [opencode2]}`
	misspelt  = `- {id: plan-edits-deny, kind: file-change, match: "*", efect: deny, providers: [opencode2]}`
	modeOfAsk = `- {id: edits-ask, kind: file-change, match: "*", effect: ask, providers: [opencode2]}`
)

type loaded struct {
	Name, Digest, State string
	Changed             bool
	Errors              []struct {
		File, Message string
		Line, Column  int
	}
	Lifted []struct {
		ID, Kind, Match, Sample string
		Cells                   []string
		Source                  *struct{ Line int }
	}
}

func TestBrokenPolicyKeepsTheLastGoodOne(t *testing.T) {
	path := filepath.Join(folder(t, map[string]string{"p.yaml": readExample(t)}), "p.yaml")
	s := start(t, config(path))
	good := s.Policy().Digest
	if got := ask(t, s, "GET", "/readyz", ""); got.status != 200 {
		t.Fatalf("ready: %d", got.status)
	}
	put(t, path, readExample(t, planDeny, misspelt))
	got := ask(t, s, "POST", "/v1/policies/reload", "")
	if p := into[problem](t, got); got.status != 422 || len(p.Errors) != 2 || p.Errors[0].File != path || p.Errors[0].Line != 16 || p.Errors[1].Column == 0 {
		t.Errorf("reload: %d %s", got.status, got.body)
	}
	got = ask(t, s, "GET", "/readyz", "", "Authorization", "")
	if p := into[problem](t, got); got.status != 503 || len(p.Errors) != 2 || p.Errors[0].File != path || p.Errors[0].Line != 16 {
		t.Errorf("readyz: %d %s", got.status, got.body)
	}
	if l := into[loaded](t, ask(t, s, "GET", "/v1/policies", "")); l.State != "degraded" || l.Digest != good || len(l.Errors) != 2 {
		t.Errorf("policies: %+v", l)
	}
	if got := ask(t, s, "GET", "/healthz", ""); got.status != 200 || got.header.Get("Modegate-Policy") != good {
		t.Errorf("health: %d", got.status)
	}
	if got := ask(t, s, "GET", "/metrics", ""); !strings.Contains(got.body, "modegate_policy_degraded 1") || !strings.Contains(got.body, `modegate_policy_reloads_total{result="failed"} 1`) {
		t.Error("the metrics don't say it")
	}
	put(t, path, readExample(t))
	if l := into[loaded](t, ask(t, s, "POST", "/v1/policies/reload", "")); l.State != "ok" || l.Changed || l.Digest != good {
		t.Errorf("mended: %+v", l)
	}
	if got := ask(t, s, "GET", "/readyz", ""); got.status != 200 {
		t.Errorf("readyz after mending: %d", got.status)
	}
}

// A policy that can be read, and whose cells can't be compiled, is broken too.
func TestUncompilablePolicyIsBroken(t *testing.T) {
	path := filepath.Join(folder(t, map[string]string{"p.yaml": readExample(t)}), "p.yaml")
	s := start(t, config(path))
	put(t, path, readExample(t, planDeny, planDeny+"\n      - {id: codex-deny, kind: command, match: \"*\", effect: deny, providers: [codex]}"))
	got := ask(t, s, "POST", "/v1/policies/reload", "")
	if p := into[problem](t, got); got.status != 422 || len(p.Errors) == 0 || p.Errors[0].Line != 17 || !strings.Contains(p.Errors[0].Message, "codex.command.codex-deny") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestNoStartWithoutAGoodPolicy(t *testing.T) {
	for about, path := range map[string]string{
		"broken":  filepath.Join(folder(t, map[string]string{"p.yaml": readExample(t, planDeny, misspelt)}), "p.yaml"),
		"missing": "no/such/policy.yaml",
		"unknown": "builtin/nothing",
	} {
		_, err := server.New(config(path))
		var problems diag.List
		if !errors.As(err, &problems) {
			t.Errorf("%s: %v", about, err)
		}
	}
}

func TestReloadNamesLiftedDenies(t *testing.T) {
	path := filepath.Join(folder(t, map[string]string{"p.yaml": readExample(t)}), "p.yaml")
	s := start(t, config(path))
	put(t, path, readExample(t, planDeny, planAsk))
	l := into[loaded](t, ask(t, s, "POST", "/v1/policies/reload", ""))
	if !l.Changed || len(l.Lifted) == 0 {
		t.Fatalf("%+v", l)
	}
	found := false
	for _, one := range l.Lifted {
		if one.ID == "plan-edits-deny" && one.Sample == "" {
			found = one.Kind == "file-change" && one.Match == "*" && len(one.Cells) == 4 && one.Source.Line == 16 && one.Cells[0] == "opencode2/approval-required/plan"
		}
	}
	if !found {
		t.Errorf("%+v", l.Lifted)
	}
	put(t, path, readExample(t))
	if l := into[loaded](t, ask(t, s, "POST", "/v1/policies/reload", "")); !l.Changed || len(l.Lifted) != 0 {
		t.Errorf("a deny that comes back is lifted: %+v", l.Lifted)
	}
}

// serve runs a service on a port of its own until the test ends.
func serve(t *testing.T, s *server.Server) (base string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l, nil) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(stop)
	return "http://" + l.Addr().String(), stop
}

// until asks until the answer is as wanted.
func until(t *testing.T, about string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not in 20 seconds", about)
		}
	}
}

func TestFilesAreWatched(t *testing.T) {
	dir := folder(t, map[string]string{"10-base.yaml": readExample(t)})
	var log logged
	cfg := config(dir)
	cfg.Log = slog.New(slog.NewJSONHandler(&log, nil))
	s := start(t, cfg)
	serve(t, s)
	first := s.Policy().Digest
	ready := func(status int) func() bool {
		return func() bool { return ask(t, s, "GET", "/readyz", "").status == status }
	}
	const layer = "apiVersion: modegate/v1\n"
	put(t, filepath.Join(dir, "20-more.yaml"), layer+"rules:\n  - {id: no-edits, kind: file-change, match: \"*\", effect: deny, providers: [opencode2], modes: [auto]}\n")
	until(t, "a new file", func() bool { return s.Policy().Digest != first })
	second := s.Policy().Digest
	put(t, filepath.Join(dir, "20-more.yaml"), layer+"rulez: []\n")
	until(t, "a broken file", ready(503))
	if s.Policy().Digest != second {
		t.Error("the last good policy isn't kept")
	}
	put(t, filepath.Join(dir, "20-more.yaml"), layer)
	until(t, "a mended file", ready(200))
	for _, want := range []string{`"level":"WARN","msg":"a deny no longer holds","id":"no-edits"`, `20-more.yaml`, "the last good one stays in force"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log doesn't say %s:\n%s", want, log.String())
		}
	}
}

// No answer mixes two policies, whatever happens to the files meanwhile.
func TestReloadIsAtomic(t *testing.T) {
	texts := []string{readExample(t), readExample(t, modeOfAsk, strings.Replace(modeOfAsk, "ask, providers", "deny, providers", 1)), readExample(t, planDeny, misspelt)}
	path := filepath.Join(folder(t, map[string]string{"p.yaml": texts[0]}), "p.yaml")
	s := start(t, config(path))
	const body = `{"provider":"opencode2","mode":"approval-required","action":{"kind":"native","request":{"action":"edit","resources":["a.go"]}}}`
	effects := map[string]string{} // by policy
	var mu sync.Mutex
	var stop atomic.Bool
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for !stop.Load() {
				v := quickly(t, s, "POST", "/v1/evaluate", body)
				set := quickly(t, s, "GET", "/v1/rulesets/opencode2/approval-required/default", "")
				mu.Lock()
				for _, one := range []struct{ policy, says string }{{v.Policy.Digest, v.Effect}, {set.Policy.Digest, "set " + set.Digest}} {
					key := one.policy + one.says[:3]
					if before, ok := effects[key]; ok && before != one.says {
						t.Errorf("policy %s says %s and %s", one.policy, before, one.says)
					}
					effects[key] = one.says
				}
				mu.Unlock()
			}
		})
	}
	for i := range 12 {
		put(t, path, texts[i%len(texts)])
		ask(t, s, "POST", "/v1/policies/reload", "")
	}
	stop.Store(true)
	clients.Wait()
	if len(effects) != 4 {
		t.Errorf("two policies say %v", effects)
	}
}

// answered is what both a Verdict and a RuleSet may hold; a Verdict's policy is
// a digest alone.
type answered struct {
	Effect, Digest string
	Policy         struct{ Digest string }
}

// quickly asks without the contract, and checks that header and body agree.
func quickly(t *testing.T, s *server.Server, method, path, body string) answered {
	w := &recorder{header: http.Header{}}
	s.Handler().ServeHTTP(w, request(method, path, body))
	var out answered
	digest := w.header.Get("Modegate-Policy")
	text := w.body.String()
	if method == "POST" {
		out.Effect = strings.Split(text, `"`)[3]
		out.Policy.Digest = digest
		if !strings.Contains(text, `"policy":"`+digest+`"`) {
			t.Errorf("header %s, body %s", digest, text)
		}
		return out
	}
	out = into[answered](t, reply{body: text})
	if out.Policy.Digest != digest || w.header.Get("Etag") != `"`+out.Digest+`"` {
		t.Errorf("headers %v, body %+v", w.header, out)
	}
	return out
}

type recorder struct {
	header http.Header
	status int
	body   strings.Builder
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

func TestConditionalRuleSets(t *testing.T) {
	path := filepath.Join(folder(t, map[string]string{"p.yaml": readExample(t)}), "p.yaml")
	s := start(t, config(path))
	const set = "/v1/rulesets/opencode2/approval-required/default"
	tag := ask(t, s, "GET", set, "").header.Get("ETag")
	for given, status := range map[string]int{
		tag: 304, "W/" + tag: 304, "*": 304, `"x", ` + tag: 304, `"x"`: 200, strings.Trim(tag, `"`): 200, "": 200,
	} {
		if got := ask(t, s, "GET", set, "", "If-None-Match", given); got.status != status || got.header.Get("ETag") != tag || status == 304 && got.body != "" {
			t.Errorf("If-None-Match %s: %d", given, got.status)
		}
		if got := ask(t, s, "POST", set, "{}", "If-None-Match", given); got.status != status {
			t.Errorf("POST, If-None-Match %s: %d", given, got.status)
		}
	}
	for _, wait := range []string{"x", "-1s", "2m", "30", ""} {
		if got := ask(t, s, "GET", set+"?wait="+wait, ""); got.status != 400 {
			t.Errorf("wait=%s: %d", wait, got.status)
		}
	}
	began := time.Now()
	if got := ask(t, s, "GET", set+"?wait=50ms", "", "If-None-Match", tag); got.status != 304 || time.Since(began) < 50*time.Millisecond {
		t.Errorf("waiting in vain: %d after %s", got.status, time.Since(began))
	}
	if got := ask(t, s, "GET", set+"?wait=30s", "", "If-None-Match", `"old"`); got.status != 200 {
		t.Errorf("nothing to wait for: %d", got.status)
	}
	// A reload that doesn't change the cell wakes nobody; one that does, does.
	waited := make(chan reply)
	go func() { waited <- ask(t, s, "GET", set+"?wait=30s", "", "If-None-Match", tag) }()
	reload := func(from, to string) {
		put(t, path, readExample(t, from, to))
		if l := into[loaded](t, ask(t, s, "POST", "/v1/policies/reload", "")); !l.Changed {
			t.Errorf("%+v", l)
		}
	}
	time.Sleep(50 * time.Millisecond)
	reload(planDeny, planAsk)
	select {
	case got := <-waited:
		t.Errorf("woken by another cell's change: %d", got.status)
	case <-time.After(100 * time.Millisecond):
	}
	reload(modeOfAsk, strings.Replace(modeOfAsk, "ask, providers", "deny, providers", 1))
	got := <-waited
	if got.status != 200 || got.header.Get("ETag") == tag || got.header.Get("Modegate-Policy") != s.Policy().Digest {
		t.Errorf("woken: %d %s", got.status, got.body)
	}
}

// Whoever waits is answered when the service stops, and nothing is left behind.
func TestShutdown(t *testing.T) {
	s := start(t, config())
	base, stop := serve(t, s)
	const set = "/v1/rulesets/opencode2/auto/default"
	tag := ask(t, s, "GET", set, "").header.Get("ETag")
	status := make(chan int, 1)
	go func() {
		r := request("GET", base+set+"?wait=60s", "", "Host", strings.TrimPrefix(base, "http://"), "If-None-Match", tag)
		r.RequestURI = ""
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		got, err := client.Do(r)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		_ = got.Body.Close()
		status <- got.StatusCode
	}()
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	stop()
	if got := <-status; got != 304 || time.Since(began) > 5*time.Second {
		t.Errorf("the waiting client got %d, after %s", got, time.Since(began))
	}
}

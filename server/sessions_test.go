package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/server"
)

func TestASessionKeepsItsModes(t *testing.T) {
	d := newDesk(t)
	a := d.load("s1", "opencode2", "approval-required")
	if a.Interaction != "default" || a.Revision != 1 || a.ModeChange != "in-session" || a.Ruleset == "" {
		t.Errorf("%+v", a)
	}
	first := d.turn("s1")
	b := into[session](t, d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/s1", `{"mode":"full-access"}`))
	if b.Mode != "full-access" || b.Revision != 2 || b.Ruleset == a.Ruleset || b.Turn != first {
		t.Errorf("%+v", b)
	}
	got := into[struct{ Turn, Mode, Interaction, Ruleset string }](t, d.must(201, server.AdapterScope, "POST", "/v1/sessions/s1/turns", `{"turn":"t2"}`))
	if got.Turn != "t2" || got.Mode != "full-access" || got.Interaction != "default" || got.Ruleset != b.Ruleset {
		t.Errorf("the turn starts with %+v", got)
	}
	d.must(200, server.AdapterScope, "POST", "/v1/sessions/s1/turns", `{"turn":"t2"}`)
	d.must(400, server.AdapterScope, "POST", "/v1/sessions/s1/turns", `{"mode":"auto"}`) // no override for a turn
	d.must(200, server.AdapterScope, "POST", "/v1/sessions/s1/turns/t2/end", `{"status":"completed"}`)
	d.must(200, server.AdapterScope, "POST", "/v1/sessions/s1/turns/t2/end", `{"status":"completed"}`)
	d.must(409, server.AdapterScope, "POST", "/v1/sessions/s1/turns/t2/end", `{"status":"failed"}`)
	d.must(409, server.AdapterScope, "POST", "/v1/sessions/s1/turns", `{"turn":"t2"}`)
	d.must(404, server.AdapterScope, "POST", "/v1/sessions/s1/turns/none/end", `{"status":"completed"}`)
	want := "session.updated ruleset.changed turn.started session.runtime-mode-set ruleset.changed turn.ended turn.started turn.ended"
	if got := typed(d.history("s1")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if e := d.history("s1")[3]; e.Applies != "in-session" || e.Mode != "full-access" || e.By != "the adapter" {
		t.Errorf("%+v", e)
	}
	d.stop()
	d.start()
	if c := into[session](t, d.must(200, server.ReadScope, "GET", "/v1/sessions/s1", "")); c.Mode != "full-access" || c.Ruleset != b.Ruleset {
		t.Errorf("after a restart: %+v", c)
	}
}

// Where a provider can't switch a live session, a change reaches it by a restart
// or with the next turn, and the event says so.
func TestHowAModeChangeApplies(t *testing.T) {
	d := newDesk(t)
	for provider, want := range map[string]string{
		"codex": "in-session", "opencode2": "in-session", "claude": "restart", "cursor": "restart", "grok": "restart", "opencode": "restart",
	} {
		a := d.load(provider, provider, "approval-required")
		if a.ModeChange != want {
			t.Errorf("%s: %s, want %s", provider, a.ModeChange, want)
		}
		d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/"+provider, `{"mode":"auto"}`)
		d.turn(provider)
		d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/"+provider, `{"mode":"full-access"}`)
		var applies []string
		for _, e := range d.history(provider) {
			if e.Type == "session.runtime-mode-set" {
				applies = append(applies, e.Applies)
			}
		}
		if got := strings.Join(applies, " "); got != "next-turn "+want {
			t.Errorf("%s: %s", provider, got)
		}
	}
	published := into[struct {
		Providers []struct {
			Name, ModeChange string
			Requests         bool
		}
	}](t, d.must(200, server.ReadScope, "GET", "/v1/providers", ""))
	for _, p := range published.Providers {
		if p.Requests != (p.Name == "opencode" || p.Name == "claude") || p.ModeChange == "" {
			t.Errorf("%+v", p)
		}
	}
}

func TestWhatASessionCantBe(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "codex", "auto")
	for body, pointer := range map[string]string{
		`{"mode":"auto","workspace":"/w"}`:                                                                            "/provider",
		`{"provider":"codex","workspace":"/w"}`:                                                                       "/mode",
		`{"provider":"codex","mode":"auto"}`:                                                                          "/workspace",
		`{"provider":"codex","mode":"auto","workspace":"w"}`:                                                          "/workspace",
		`{"provider":"codex","mode":"yolo","workspace":"/w"}`:                                                         "/mode",
		`{"provider":"codex","mode":"auto","workspace":"/w","interaction":null}`:                                      "/interaction",
		`{"provider":"codex","mode":"auto","workspace":"/w","parent":null}`:                                           "/parent",
		`{"provider":"codex","mode":"auto","workspace":null}`:                                                         "/workspace",
		`{"provider":"codex","mode":"auto","workspace":"/w","grants":[]}`:                                             "/grants",
		`{"provider":"codex","mode":"auto","workspace":"/w","parent":"none"}`:                                         "/parent",
		`{"provider":"codex","mode":"auto","workspace":"/w","parent":"s2"}`:                                           "/parent",
		`{"provider":"codex","mode":"auto","workspace":"/w","env":{"workspace":"/x"}}`:                                "/env/workspace",
		`{"provider":"codex","mode":"auto","workspace":"/w","env":{"grants":[{"action":"shell","resource":"ls *"}]}}`: "/env/grants",
	} {
		got := into[problem](t, d.must(400, server.AdapterScope, "PUT", "/v1/sessions/s2", body))
		if len(got.Errors) != 1 || got.Errors[0].Pointer != pointer {
			t.Errorf("%s: %+v, want %s", body, got.Errors, pointer)
		}
	}
	d.must(400, server.AdapterScope, "PUT", "/v1/sessions/-x", `{"provider":"codex","mode":"auto","workspace":"/w"}`)
	for _, body := range []string{`null`, `{"mode":null}`, `{"interaction":null}`, `{"env":{"facts":null}}`} {
		d.must(400, server.AdapterScope, "PATCH", "/v1/sessions/s1", body)
	}
	d.must(400, server.AdapterScope, "POST", "/v1/sessions/s1/turns", `{"turn":null}`)
	d.must(409, server.AdapterScope, "PUT", "/v1/sessions/s1", `{"provider":"grok","mode":"auto","workspace":"/w"}`)
	d.must(404, server.AdapterScope, "PATCH", "/v1/sessions/s2", `{"mode":"auto"}`)
	d.must(404, server.ReadScope, "GET", "/v1/sessions/s2", "")
	d.must(404, server.ReadScope, "GET", "/v1/sessions/s2/ruleset", "")
	d.must(404, server.ReadScope, "GET", "/v1/sessions/s2/activities", "")
	d.must(404, server.AdapterScope, "POST", "/v1/sessions/s2/turns", "")
	d.must(404, server.AdapterScope, "DELETE", "/v1/sessions/s2", "")
	before := len(d.history("s1"))
	d.load("s1", "codex", "auto")
	if after := len(d.history("s1")); after != before {
		t.Errorf("the same session once more is %d events", after-before)
	}
}

// A child is never held less than its parent, also when the parent is tightened
// later.
func TestAChildIsHeldToItsParent(t *testing.T) {
	d := newDesk(t)
	d.load("p", "opencode2", "auto")
	d.load("c", "opencode2", "auto", `,"parent":"p"`)
	d.load("g", "opencode2", "approval-required", `,"parent":"c"`)
	for _, body := range []string{`{"mode":"full-access"}`, `{"interaction":"default","mode":"full-access"}`} {
		d.must(422, server.AdapterScope, "PATCH", "/v1/sessions/c", body)
	}
	d.must(422, server.AdapterScope, "PUT", "/v1/sessions/d", `{"provider":"claude","mode":"full-access","workspace":"/w","parent":"p"}`)
	d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/p", `{"mode":"approval-required","interaction":"plan"}`)
	for _, id := range []string{"c", "g"} {
		if a := into[session](t, d.must(200, server.ReadScope, "GET", "/v1/sessions/"+id, "")); a.Mode != "approval-required" || a.Interaction != "plan" {
			t.Errorf("%s: %+v", id, a)
		}
	}
	if !strings.Contains(d.ruleset("g"), `"deny"`) {
		t.Error("the grandchild's rules don't plan")
	}
	d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/p", "")
	for _, id := range []string{"p", "c", "g"} {
		d.must(404, server.ReadScope, "GET", "/v1/sessions/"+id, "")
		if h := d.history(id); h[len(h)-1].State != "unloaded" {
			t.Errorf("%s ends with %+v", id, h[len(h)-1])
		}
	}
}

func TestWaitingForASessionsRuleset(t *testing.T) {
	d := newDesk(t)
	a := d.load("s1", "opencode2", "approval-required")
	tag := `"` + a.Ruleset + `"`
	if got := ask(t, d.s, "GET", "/v1/sessions/s1/ruleset", "", "If-None-Match", tag); got.status != 304 || got.header.Get("Etag") != tag {
		t.Errorf("%d %s", got.status, got.header.Get("Etag"))
	}
	answered := make(chan reply)
	go func() {
		answered <- ask(t, d.s, "GET", "/v1/sessions/s1/ruleset?wait=30s", "", "If-None-Match", tag)
	}()
	d.load("other", "codex", "auto")
	select {
	case got := <-answered:
		t.Fatalf("it is answered though nothing changed: %d", got.status)
	case <-time.After(50 * time.Millisecond):
	}
	d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/s1", `{"interaction":"plan"}`)
	if got := <-answered; got.status != 200 || !strings.Contains(got.body, `"interaction":"plan"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	go func() {
		answered <- ask(t, d.s, "GET", "/v1/sessions/s1/ruleset?wait=30s", "", "If-None-Match", "*")
	}()
	time.Sleep(20 * time.Millisecond)
	d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/s1", "")
	if got := <-answered; got.status != 404 {
		t.Errorf("of a session that was unloaded: %d", got.status)
	}
}

// Another policy changes the rules of the sessions that it concerns, and they
// are told.
func TestSessionsFollowThePolicy(t *testing.T) {
	dir := folder(t, map[string]string{"policy.yaml": readExample(t)})
	d := newDesk(t, dir+"/policy.yaml")
	a := d.load("s1", "opencode2", "approval-required")
	put(t, dir+"/policy.yaml", readExample(t, `edits-ask, kind: file-change, match: "*", effect: ask`, `edits-ask, kind: file-change, match: "*", effect: deny`))
	d.must(200, server.AdminScope, "POST", "/v1/policies/reload", "")
	b := into[session](t, d.must(200, server.ReadScope, "GET", "/v1/sessions/s1", ""))
	h := d.history("s1")
	if last := h[len(h)-1]; b.Ruleset == a.Ruleset || b.Revision != 2 || last.Type != "ruleset.changed" || last.Ruleset != b.Ruleset {
		t.Errorf("%+v, %+v", b, h[len(h)-1])
	}
}

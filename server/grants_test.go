package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modegate/modegate/server"
)

// A grant names what it reaches, holds for its session, answers what it covers,
// open or new, and is in the session's rules.
func TestAGrant(t *testing.T) {
	d := newDesk(t)
	for _, id := range []string{"a", "b"} {
		d.load(id, "opencode", "approval-required")
		d.turn(id)
	}
	before := d.ruleset("a")
	r, same, other, else_ := d.ask("a", "git log", "git log *"), d.ask("a", "git log -3", "git log *"), d.ask("a", "rm x", "rm *"), d.ask("b", "git log", "git log *")
	var label string
	for _, o := range r.Offered {
		if o.Decision == "acceptForSession" {
			label = o.Label + ": " + o.Scope
		}
	}
	if !strings.Contains(label, "git log *") || !strings.Contains(label, "this session") {
		t.Errorf("the label is %q", label)
	}
	if got := d.decide(r.ID, "acceptForSession"); got.status != 202 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if now := d.request(same.ID); now.State != "responding" || now.DecidedBy != "modegate:grant" || !strings.Contains(now.Reason, "git log *") {
		t.Errorf("what is covered and was open: %+v", now)
	}
	for _, id := range []string{other.ID, else_.ID} {
		if now := d.request(id); now.State != "pending" {
			t.Errorf("what isn't covered: %+v", now)
		}
	}
	if now := d.ask("a", "git log -p", "git log *"); now.State != "resolved" || now.DecidedBy != "modegate:grant" || now.Decision != "accept" || len(now.Operations) != 1 {
		t.Errorf("what is covered and comes later: %+v", now)
	}
	if now := d.ask("b", "git log -p", "git log *"); now.State != "pending" {
		t.Errorf("another session's: %+v", now)
	}
	if now := d.ruleset("a"); now == before || !strings.Contains(now, `"git log *"`) {
		t.Errorf("the rules are %s", now)
	}
	for _, e := range d.history("a") {
		for _, op := range e.Operations {
			if strings.Contains(op.Call, "keep-grants") || strings.Contains(string(op.Arguments), `"always"`) {
				t.Errorf("the adapter is told %+v", op)
			}
		}
	}
	// Not in full access, and again afterwards.
	d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/a", `{"mode":"full-access"}`)
	if now := d.ruleset("a"); strings.Contains(now, "git log") {
		t.Errorf("grants are applied in full access: %s", now)
	}
	if now := d.ask("a", "git log -x", "git log *"); now.State != "pending" {
		t.Errorf("a grant answers in full access: %+v", now)
	}
	d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/a", `{"mode":"approval-required"}`)
	if now := d.ruleset("a"); !strings.Contains(now, "git log") {
		t.Errorf("the grant is gone: %s", now)
	}
}

// No grant opens what the mode denies that the session has meanwhile: OpenCode asks
// under the rules that the turn started with, and somebody has to look.
func TestAGrantOpensNoDeny(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	text := `apiVersion: modegate/v1
name: acme
extends: builtin/t3code
rules:
  - {id: no-push, kind: command, match: git push *, effect: deny, providers: [opencode], modes: [auto]}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, path)
	d.load("a", "opencode", "approval-required")
	d.turn("a")
	first := d.ask("a", "git push", "git push *")
	if got := d.decide(first.ID, "acceptForSession"); got.status != 202 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if now := d.ask("a", "git push -x", "git push *"); now.DecidedBy != "modegate:grant" {
		t.Errorf("in the mode of the grant: %+v", now)
	}
	d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/a", `{"mode":"auto"}`)
	if now := d.ask("a", "git push -y", "git push *"); now.State != "pending" {
		t.Errorf("under a mode that denies it: %+v", now)
	}
}

// Grants end with the session, and with the service.
func TestGrantsEnd(t *testing.T) {
	for name, end := range map[string]func(d *desk){
		"unloaded": func(d *desk) {
			d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/a", "")
			d.load("a", "opencode", "approval-required")
		},
		"restarted": func(d *desk) { d.stop(); d.start() },
	} {
		d := newDesk(t)
		d.load("a", "opencode", "approval-required")
		d.turn("a")
		before := d.ruleset("a")
		r := d.ask("a", "ls", "ls *")
		d.decide(r.ID, "acceptForSession")
		d.resolve(r.ID, "delivered")
		end(d)
		if now := d.ruleset("a"); now != before {
			t.Errorf("%s: the rules are %s", name, now)
		}
		d.turn("a")
		if now := d.ask("a", "ls -l", "ls *"); now.State != "pending" {
			t.Errorf("%s: %+v", name, now)
		}
		h := d.history("a")
		changed := false
		for _, e := range h {
			changed = changed || e.Type == "ruleset.changed" && strings.Contains(e.Reason, "grants have ended")
		}
		if name == "restarted" && !changed {
			t.Error("nobody is told that the grants have ended")
		}
	}
}

// What was granted by an answer that is on its way ends with the turn.
func TestAGrantOnItsWayEndsWithTheTurn(t *testing.T) {
	d := newDesk(t)
	d.load("a", "opencode", "approval-required")
	turn := d.turn("a")
	before := d.ruleset("a")
	d.decide(d.ask("a", "ls", "ls *").ID, "acceptForSession")
	d.must(200, server.AdapterScope, "POST", "/v1/sessions/a/turns/"+turn+"/end", `{"status":"failed"}`)
	if now := d.ruleset("a"); now != before {
		t.Errorf("the rules are %s", now)
	}
	if a := into[session](t, d.must(200, server.ReadScope, "GET", "/v1/sessions/a", "")); a.Turn != "" {
		t.Errorf("%+v", a)
	}
}

// A provider may count its ids anew: the same bytes outside of the turn are
// another request, never the old answer.
func TestTheSameBytesLater(t *testing.T) {
	d := newDesk(t)
	d.load("a", "claude", "approval-required")
	for _, within := range []bool{false, true, true} {
		if within {
			d.turn("a")
		}
		r := d.open("a", `{"id":"1","kind":"command"}`)
		if r.State != "pending" {
			t.Fatalf("%+v", r)
		}
		d.decide(r.ID, "accept")
		d.resolve(r.ID, "delivered")
	}
	if r := d.open("a", `{"id":"2","kind":"command"}`); r.State != "pending" {
		t.Errorf("%+v", r)
	}
}

// What an answer granted that didn't arrive is taken back.
func TestAGrantThatDidntArrive(t *testing.T) {
	d := newDesk(t)
	d.load("a", "opencode", "approval-required")
	d.turn("a")
	before := d.ruleset("a")
	r := d.ask("a", "ls", "ls *")
	d.decide(r.ID, "acceptForSession")
	got := d.must(200, server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", `{"status":"failed","reason":"the provider has gone"}`)
	if now := into[pending](t, got); now.State != "failed" || now.Reason != "the provider has gone" || now.DecidedBy != "the approve" {
		t.Errorf("%+v", now)
	}
	if now := d.ruleset("a"); now != before {
		t.Errorf("the rules are %s", now)
	}
}

// A child's request is asked on its parent's turn, and what it is granted lands
// on the child: one that is loaded, or one that only the provider knows.
func TestAChildsGrantIsItsOwn(t *testing.T) {
	d := newDesk(t)
	d.load("p", "opencode", "approval-required", `,"nativeSession":"ses_p"`)
	d.load("c", "opencode", "approval-required", `,"parent":"p","nativeSession":"ses_c"`)
	turn := d.turn("p")
	parent, child := d.ruleset("p"), d.ruleset("c")
	r := d.open("p", bash("per_c", "ses_c", "ls", "ls *")) // it came on the parent's connection
	if r.Session != "c" || r.Turn == nil || *r.Turn != turn {
		t.Errorf("%+v", r)
	}
	d.decide(r.ID, "acceptForSession")
	if d.ruleset("p") != parent || d.ruleset("c") == child {
		t.Error("the grant didn't land on the session that asked")
	}
	stranger := d.open("p", bash("per_x", "ses_x", "ls", "ls *")) // a child that isn't loaded
	if stranger.Session != "p" || stranger.State != "pending" {
		t.Errorf("%+v", stranger)
	}
	d.decide(stranger.ID, "acceptForSession")
	if d.ruleset("p") != parent {
		t.Error("a stranger's grant is in the parent's rules")
	}
	for native, want := range map[string]string{"ses_p": "pending", "ses_c": "resolved", "ses_x": "resolved"} {
		if now := d.open("p", bash("per_"+native, native, "ls -l", "ls *")); now.State != want {
			t.Errorf("%s: %+v", native, now)
		}
	}
	d.must(200, server.AdapterScope, "POST", "/v1/sessions/p/turns/"+turn+"/end", `{"status":"completed"}`)
	if box := d.inbox(""); len(box) != 0 {
		t.Errorf("the parent's turn has ended, and this is open: %+v", box)
	}
}

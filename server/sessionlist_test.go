package server_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/server"
	"github.com/modegate/modegate/server/store"
)

type listed struct {
	Sessions []struct {
		ID, Provider, Mode, State, Turn, Parent, Workspace string
		Pending                                            int
		Updated                                            time.Time `json:"updatedAt"`
	}
	More bool
}

// sessions lists sessions: their ids.
func (d *desk) sessions(query string) (string, listed) {
	d.t.Helper()
	got := into[listed](d.t, d.must(200, server.ApproveScope, "GET", "/v1/sessions"+query, ""))
	var ids []string
	for _, s := range got.Sessions {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, " "), got
}

func TestSessionsAreListed(t *testing.T) {
	d := newDesk(t)
	d.load("b", "opencode", "approval-required")
	d.load("a", "codex", "full-access")
	d.load("c", "claude", "approval-required", `,"interaction":"plan","parent":"b"`)
	turn := d.turn("b")
	first := d.ask("b", "ls")
	d.ask("b", "pwd")
	d.decide(first.ID, "accept") // it waits for nobody any more
	ids, got := d.sessions("")
	if ids != "a b c" || got.More {
		t.Fatalf("%s %+v", ids, got)
	}
	if s := got.Sessions[1]; s.Pending != 1 || s.Turn != turn || s.Provider != "opencode" || s.Mode != "approval-required" || s.State != "loaded" || s.Workspace != "/w" {
		t.Errorf("%+v", s)
	}
	for query, want := range map[string]string{
		"?provider=opencode": "b", "?mode=approval-required": "b c", "?provider=claude&mode=approval-required": "c", "?after=a": "b c", "?after=aa": "b c", "?after=c": "",
		"?state=loaded": "a b c", "?state=unloaded": "", "?provider=grok": "",
	} {
		if ids, _ := d.sessions(query); ids != want {
			t.Errorf("%s: %q, want %q", query, ids, want)
		}
	}
	for _, query := range []string{"?state=open", "?state=", "?provider=opencode3", "?mode=yolo", "?mode=auto&mode=auto", "?sort=id"} {
		d.must(400, server.ReadScope, "GET", "/v1/sessions"+query, "")
	}
	if got := d.as(server.ReadScope, "GET", "/v1/sessions", ""); strings.Contains(got.body, `"env"`) {
		t.Error("the list has Envs")
	}

	// What is unloaded is listed apart, the last one first, and comes back when it
	// is loaded again.
	d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/a", "")
	d.clock.pass(time.Minute)
	d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/b", "") // and its child
	for range 2 {
		if ids, _ := d.sessions(""); ids != "" {
			t.Errorf("loaded: %s", ids)
		}
		ids, got := d.sessions("?state=unloaded")
		if ids != "c b a" {
			t.Errorf("unloaded: %s", ids)
		}
		if s := got.Sessions[2]; s.State != "unloaded" || s.Provider != "codex" || s.Pending != 0 || s.Turn != "" || !s.Updated.Equal(d.clock.now().Add(-time.Minute)) {
			t.Errorf("%+v", s)
		}
		if ids, _ := d.sessions("?state=unloaded&mode=approval-required&after=c"); ids != "b" {
			t.Errorf("filtered: %s", ids)
		}
		d.stop()
		d.start()
	}
	d.load("a", "grok", "auto")
	if ids, _ := d.sessions(""); ids != "a" {
		t.Errorf("loaded: %s", ids)
	}
	if ids, _ := d.sessions("?state=unloaded"); ids != "c b" {
		t.Errorf("unloaded: %s", ids)
	}
}

// A long list is read in parts.
func TestALongListOfSessions(t *testing.T) {
	d := newDesk(t)
	d.load("s", "codex", "auto")
	row, err := d.store.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/s", "")
	write := func(f func(tx *store.Tx, id string, data []byte) error) {
		t.Helper()
		err := d.store.Update(t.Context(), func(tx *store.Tx) error {
			for n := range 1003 {
				id := fmt.Sprintf("s%04d", n)
				if err := f(tx, id, bytes.Replace(row[0], []byte(`"id":"s"`), []byte(`"id":"`+id+`"`), 1)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		d.stop()
		d.start()
	}
	write(func(tx *store.Tx, id string, data []byte) error { return tx.PutSession(id, data) })
	_, got := d.sessions("")
	if len(got.Sessions) != 1000 || !got.More {
		t.Fatalf("%d, %v", len(got.Sessions), got.More)
	}
	if ids, rest := d.sessions("?after=" + got.Sessions[999].ID); ids != "s1000 s1001 s1002" || rest.More {
		t.Errorf("%s, %v", ids, rest.More)
	}
	write(func(tx *store.Tx, id string, data []byte) error {
		d.clock.pass(time.Second)
		return tx.CloseSession(id, d.clock.now(), data)
	})
	_, got = d.sessions("?state=unloaded")
	if len(got.Sessions) != 1000 || !got.More || got.Sessions[0].ID != "s1002" {
		t.Fatalf("%d, %v", len(got.Sessions), got.More)
	}
	if ids, rest := d.sessions("?state=unloaded&after=" + got.Sessions[999].ID); ids != "s0002 s0001 s0000 s" || rest.More {
		t.Errorf("%s, %v", ids, rest.More)
	}
}

// The lists say up to which event they are: following those after it shows what
// has changed since, all of it and nothing twice.
func TestListsHaveAPlaceInTheLog(t *testing.T) {
	d := newDesk(t)
	h := d.listen()
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	for _, path := range []string{"/v1/requests", "/v1/sessions"} {
		place := d.must(200, server.ApproveScope, "GET", path, "").header.Get("Modegate-Last-Event")
		r := d.ask("s1", "ls")
		e := follow(t, h.URL+"/v1/events?after="+place, "").next()
		if e.Type != "approval.requested" || e.Request.ID != r.ID {
			t.Errorf("%s: after %s comes %+v", path, place, e)
		}
	}
	// What a browser was sent last comes before what its address says.
	if e := follow(t, h.URL+"/v1/events?after=0", "2").next(); e.Seq != 3 {
		t.Errorf("%+v", e)
	}
	if e := follow(t, h.URL+"/v1/events?after=0", "").next(); e.Seq != 1 {
		t.Errorf("%+v", e)
	}
	for _, query := range []string{"after=x", "after=-1", "after=", "heartbeat=0s", "heartbeat=2m", "heartbeat=x", "heartbeat="} {
		d.must(400, server.ReadScope, "GET", "/v1/events?"+query, "")
	}
}

// A browser's page sees no comments: it may ask for an event instead. The first
// one comes when everything that happened before has been sent.
func TestHeartbeat(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	for range 60 { // more than one batch
		d.turn("s1")
	}
	r := follow(t, d.listen().URL+"/v1/events?heartbeat=1s", "0")
	beats, last := 0, ""
	for beats < 2 && r.lines.Scan() {
		switch line := r.lines.Text(); {
		case line == "event: heartbeat":
			if beats++; last != "id: 121" {
				t.Errorf("heartbeat %d comes after %s", beats, last)
			}
			if r.lines.Scan(); r.lines.Text() != "data: {}" {
				t.Errorf("%q", r.lines.Text())
			}
		case strings.HasPrefix(line, "id: "):
			last = line
		}
	}
	if beats < 2 {
		t.Error("the stream has ended")
	}
}

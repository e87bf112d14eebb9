package server_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/modegate/modegate/server"
)

// keeping is a desk whose histories are kept for a day, and two at most.
func keeping(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.stop()
	d.startWith(func(cfg *server.Config) { cfg.KeepFor, cfg.KeepSessions = 24*time.Hour, 2 })
	return d
}

// What is unloaded is forgotten when it is old enough, or too much; what is
// loaded never is, however old.
func TestRetention(t *testing.T) {
	d := keeping(t)
	for _, id := range []string{"open", "a", "b", "c", "d"} {
		d.load(id, "opencode", "approval-required")
		d.turn(id)
	}
	r := d.ask("a", "ls")
	d.clock.pass(48 * time.Hour)
	waits := d.ask("open", "ls")
	for _, id := range []string{"a", "b"} {
		d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/"+id, "")
	}
	d.clock.pass(20 * time.Hour)
	waits = d.ask("open", "pwd")
	d.s.Prune()
	if ids, _ := d.sessions("?state=unloaded"); ids != "b a" {
		t.Errorf("before their time: %s", ids)
	}
	if now := d.request(r.ID); now.State != "expired" {
		t.Errorf("%+v", now)
	}
	for _, id := range []string{"c", "d"} {
		d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/"+id, "")
	}
	d.s.Prune()
	if ids, _ := d.sessions("?state=unloaded"); ids != "d c" {
		t.Errorf("too many: %s", ids)
	}
	d.must(404, server.ReadScope, "GET", "/v1/requests/"+r.ID, "")
	d.must(404, server.ReadScope, "GET", "/v1/sessions/a/activities", "")
	if list := d.inbox("?state=expired"); len(list) != 1 || list[0].Session != "open" {
		t.Errorf("%+v", list)
	}
	d.clock.pass(25 * time.Hour)
	d.load("c", "opencode", "approval-required") // again
	d.s.Prune()
	if ids, _ := d.sessions("?state=unloaded"); ids != "" {
		t.Errorf("too old: %s", ids)
	}
	if h := d.history("c"); h[0].Type != "session.updated" || h[0].Seq > 20 || len(h) < 6 {
		t.Errorf("what is loaded again has lost its history: %+v", h)
	}
	if h := d.history("open"); len(h) < 5 || h[0].Seq != 1 || d.request(waits.ID).State != "expired" {
		t.Errorf("what is loaded has lost its history: %+v", h)
	}
	d.stop()
	d.start()
	if ids, _ := d.sessions(""); ids != "c open" {
		t.Errorf("after a restart: %s", ids)
	}
}

// Whoever comes back after events that are gone is told so, before what follows.
func TestAGapInTheLog(t *testing.T) {
	d := keeping(t)
	h := d.listen()
	d.load("open", "opencode", "approval-required") // 1 and 2
	d.load("gone", "opencode", "approval-required") // 3 and 4
	live := follow(t, h.URL+"/v1/events", "")
	other := follow(t, h.URL+"/v1/events?session=open", "")
	d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/gone", "") // 5
	d.turn("open")                                                      // 6
	d.clock.pass(25 * time.Hour)
	if e := live.next(); e.Seq != 5 {
		t.Fatalf("%+v", e)
	}
	if a, b := live.next(), other.next(); a.Seq != 6 || b.Seq != 6 {
		t.Fatalf("%+v %+v", a, b)
	}
	d.s.Prune()
	for place, want := range map[string]string{"0": "gap 1 2 6", "2": "gap 6", "3": "gap 6", "4": "gap 6", "5": "6"} {
		r := follow(t, h.URL+"/v1/events", place)
		got := ""
		for got == "" || got[len(got)-1] != '6' {
			if e, id := r.nextID(); e.Type == "log.gap" {
				got += "gap "
				if id != place || e.Seq != 5 || e.Reason == "" || e.By != "modegate:retention" {
					t.Errorf("at %s: id %s, %+v", place, id, e)
				}
			} else if got += strconv.Itoa(e.Seq); e.Seq != 6 {
				got += " "
			}
		}
		if got != want {
			t.Errorf("at %s: %s, want %s", place, got, want)
		}
	}
	// Whoever was there misses nothing, and isn't told that they did; nor is
	// somebody who begins now.
	fresh := follow(t, h.URL+"/v1/events", "")
	d.turn("open")
	for name, r := range map[string]*reader{"live": live, "of one session": other, "new": fresh} {
		if e := r.next(); e.Seq != 7 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	// A place beyond the end is of another log.
	r := follow(t, h.URL+"/v1/events", "5000")
	if e, id := r.nextID(); e.Type != "log.gap" || id != "8" || e.Seq != 8 {
		t.Errorf("id %s, %+v", id, e)
	}
	d.turn("open")
	if e := r.next(); e.Seq != 9 {
		t.Errorf("%+v", e)
	}
}

// A service that starts prunes at once.
func TestPruningNeedsNobody(t *testing.T) {
	d := keeping(t)
	d.load("s1", "opencode", "approval-required")
	d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/s1", "")
	d.clock.pass(25 * time.Hour)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.s.Serve(ctx, l, nil) }()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if ids, _ := d.sessions("?state=unloaded"); ids == "" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nothing is pruned")
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// Without a limit nothing is forgotten.
func TestNothingIsForgottenUnasked(t *testing.T) {
	d := newDesk(t)
	for n := range 5 {
		id := fmt.Sprint("s", n)
		d.load(id, "opencode", "approval-required")
		d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/"+id, "")
	}
	d.clock.pass(100 * 365 * 24 * time.Hour)
	d.s.Prune()
	if _, got := d.sessions("?state=unloaded"); len(got.Sessions) != 5 {
		t.Errorf("%+v", got)
	}
}

package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/server"
)

// What an adapter reports of a request that has ended without a report is on the
// record, once, and the end stays what it was.
func TestALateReportIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(d *desk, turn string)
		answer bool
		report string
		state  string
		by     string
	}{
		"delivered after the delivery's time":  {func(d *desk, _ string) { d.clock.pass(2 * time.Minute) }, true, `{"status":"delivered"}`, "expired", "the approve"},
		"failed after the delivery's time":     {func(d *desk, _ string) { d.clock.pass(2 * time.Minute) }, true, `{"status":"failed","reason":"it has gone"}`, "expired", "the approve"},
		"the refusal of an expired one":        {func(d *desk, _ string) { d.clock.pass(2 * time.Hour) }, false, `{"status":"delivered"}`, "expired", "modegate:expiry"},
		"settled by another after it expired":  {func(d *desk, _ string) { d.clock.pass(2 * time.Hour) }, false, `{"status":"settled","decision":"accept"}`, "expired", "modegate:expiry"},
		"delivered after a restart":            {func(d *desk, _ string) { d.stop(); d.start() }, true, `{"status":"delivered"}`, "expired", "the approve"},
		"delivered after the turn":             {func(d *desk, turn string) { d.endTurn("s1", turn) }, true, `{"status":"delivered"}`, "cancelled", "the approve"},
		"delivered after the session":          {func(d *desk, _ string) { d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/s1", "") }, true, `{"status":"delivered"}`, "cancelled", "the approve"},
		"failed after the turn, not answered":  {func(d *desk, turn string) { d.endTurn("s1", turn) }, false, `{"status":"failed"}`, "cancelled", "modegate:turn-end"},
		"what a later restart finds on record": {func(d *desk, _ string) { d.clock.pass(2 * time.Minute) }, true, `{"status":"delivered"}`, "expired", "the approve"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.load("s1", "opencode", "approval-required")
			turn := d.turn("s1")
			before := d.ruleset("s1")
			r := d.ask("s1", "ls", "ls *")
			if c.answer {
				d.decide(r.ID, "acceptForSession")
			}
			c.end(d, turn)
			got := d.must(200, server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", c.report)
			now := into[pending](t, got)
			if now.State != c.state || now.DecidedBy != c.by || now.Late == nil || now.Late.By != "the adapter" || !strings.Contains(now.Late.Note, "the request was "+c.state) {
				t.Fatalf("%s", got.body)
			}
			if !strings.Contains(c.report, `"status":"`+now.Late.Status+`"`) || now.Late.Decision != "" && !strings.Contains(c.report, now.Late.Decision) {
				t.Errorf("%+v", now.Late)
			}
			if again := d.must(200, server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", c.report); again.body != got.body {
				t.Errorf("the same again: %s", again.body)
			}
			d.must(409, server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", `{"status":"settled","decision":"cancel"}`)
			if name == "what a later restart finds on record" {
				d.stop()
				d.start()
			}
			if kept := d.request(r.ID); kept.Late == nil || *kept.Late != *now.Late {
				t.Errorf("kept is %+v", kept)
			}
			h := d.history("s1")
			ends := 0
			for _, e := range h {
				switch e.Type {
				case "approval.resolved":
					ends++
				case "approval.late-resolution":
					ends += 10
					if e.By != "the adapter" || e.Request.State != c.state || len(e.Operations) > 0 {
						t.Errorf("%+v", e)
					}
				}
			}
			if ends != 11 {
				t.Errorf("the history is %s", typed(h))
			}
			if box := d.inbox("?state=" + c.state); len(box) != 1 || box[0].Late == nil {
				t.Errorf("the list has %+v", box)
			}
			if name != "delivered after the session" {
				if rules := d.ruleset("s1"); rules != before {
					t.Errorf("a late report grants: %s", rules)
				}
			}
		})
	}
}

func (d *desk) endTurn(session, turn string) {
	d.t.Helper()
	d.must(200, server.AdapterScope, "POST", "/v1/sessions/"+session+"/turns/"+turn+"/end", `{"status":"failed"}`)
}

// A dismissal that was on its way when the turn ended, and what a mode answered
// at once: whether that arrived is told late, too.
func TestLateReportsOfOtherAnswers(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	turn := d.turn("s1")
	q := d.open("s1", questionOf("que_1", "ses_s1"))
	d.must(202, server.ApproveScope, "POST", "/v1/requests/"+q.ID+"/dismiss", "")
	d.endTurn("s1", turn)
	if now := into[pending](t, d.resolve(q.ID, "delivered")); now.Late == nil || now.State != "cancelled" {
		t.Errorf("%+v", now)
	}
	if h := d.history("s1"); h[len(h)-1].Type != "user-input.late-resolution" {
		t.Errorf("%s", typed(h))
	}

	d.load("s2", "claude", "full-access")
	d.turn("s2")
	atOnce := d.open("s2", `{"id":"1","kind":"command"}`)
	if now := into[pending](t, d.resolve(atOnce.ID, "delivered")); now.State != "resolved" || now.Late != nil {
		t.Errorf("%+v", now)
	}
	if now := into[pending](t, d.resolve(atOnce.ID, "failed")); now.State != "resolved" || now.Late == nil || now.Late.Status != "failed" {
		t.Errorf("%+v", now)
	}

	// What was reported once isn't contradicted.
	d.turn("s1")
	for _, first := range []string{"delivered", "failed", "settled"} {
		r := d.ask("s1", first)
		d.decide(r.ID, "accept")
		d.resolve(r.ID, first)
		for _, second := range []string{"delivered", "failed", "settled"} {
			want := 409
			if first == second {
				want = 200
			}
			if got := d.resolve(r.ID, second); got.status != want {
				t.Errorf("%s after %s: %d %s", second, first, got.status, got.body)
			}
		}
		if now := d.request(r.ID); now.Late != nil {
			t.Errorf("%+v", now)
		}
	}
}

// What was asked is kept byte for byte, open or over, also when it is no tidy
// JSON: the request's digest is of these bytes.
func TestTheNativeRequestIsKept(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	const native = "{ \"id\":\"per_1\",\t\"sessionID\" : \"ses_s1\",\"permission\":\"bash\",\"patterns\":[\"l\\u0073\"], \"always\":[],\"metadata\":{\"command\":\"ls\",\"n\":1.50}\n}"
	r := d.open("s1", native)
	for _, when := range []string{"open", "over", "after a restart"} {
		if got := d.must(200, server.ApproveScope, "GET", "/v1/requests/"+r.ID+"/native", ""); got.body != native {
			t.Errorf("%s: %s", when, got.body)
		}
		if when == "open" {
			d.decide(r.ID, "accept")
			d.resolve(r.ID, "delivered")
		} else {
			d.stop()
			d.start()
		}
	}
	d.must(404, server.ReadScope, "GET", "/v1/requests/none/native", "")
}

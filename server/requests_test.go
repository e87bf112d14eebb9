package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/server"
)

func TestTheLifeOfAnApproval(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	turn := d.turn("s1")
	r := d.ask("s1", "git push", "git push *")
	if r.State != "pending" || r.Shape != "approval" || r.Kind == nil || *r.Kind != "command" || r.Turn == nil || *r.Turn != turn || r.Session != "s1" {
		t.Errorf("%+v", r)
	}
	if box := d.inbox("?state=pending"); len(box) != 1 || box[0].ID != r.ID {
		t.Errorf("the inbox has %+v", box)
	}
	got := d.decide(r.ID, "accept")
	if now := into[pending](t, got); got.status != 202 || now.State != "responding" || now.Decision != "accept" || now.DecidedBy != "the approve" {
		t.Errorf("%d %+v", got.status, now)
	}
	if box := d.inbox("?state=pending"); len(box) != 0 {
		t.Errorf("the inbox has %+v", box)
	}
	if box := d.inbox(""); len(box) != 1 || box[0].State != "responding" {
		t.Errorf("what needs attention: %+v", box)
	}
	for range 2 { // the adapter may say it twice
		if now := into[pending](t, d.resolve(r.ID, "delivered")); now.State != "resolved" || now.Decision != "accept" {
			t.Errorf("%+v", now)
		}
	}
	h := d.history("s1")
	if got := typed(h[3:]); got != "approval.requested approval.response-requested approval.resolved" {
		t.Errorf("%s", got)
	}
	if ops := h[4].Operations; len(ops) != 1 || ops[0].Call != "permission.reply" || !strings.Contains(string(ops[0].Arguments), `"reply":"once"`) || h[4].By != "the approve" {
		t.Errorf("%+v", h[4])
	}
}

// A decision is taken once. The same one again is answered like the first while
// it is on its way; whatever comes later is told what became of the request.
func TestADecisionIsTakenOnce(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	r := d.ask("s1", "ls")
	first := d.decide(r.ID, "accept")
	if again := d.decide(r.ID, "accept"); again.status != 202 || again.body != first.body {
		t.Errorf("the same again: %d %s", again.status, again.body)
	}
	for _, late := range []reply{
		d.decide(r.ID, "decline"),
		ask(t, d.s, "POST", "/v1/requests/"+r.ID+"/decision", `{"decision":"accept"}`), // by somebody else
	} {
		if late.status != 409 || into[struct{ State string }](t, late).State != "responding" {
			t.Errorf("%d %s", late.status, late.body)
		}
	}
	d.resolve(r.ID, "delivered")
	for _, decision := range []string{"accept", "decline"} {
		if late := d.decide(r.ID, decision); late.status != 409 || into[struct{ State string }](t, late).State != "resolved" {
			t.Errorf("%d %s", late.status, late.body)
		}
	}
	for _, status := range []string{"failed", "settled"} {
		if late := d.resolve(r.ID, status); late.status != 409 {
			t.Errorf("%s after delivered: %d", status, late.status)
		}
	}
	n := 0
	for _, e := range d.history("s1") {
		if e.Type == "approval.response-requested" || e.Type == "approval.resolved" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d events of one answer and one end", n)
	}
}

func TestWhatIsRefused(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	r, q := d.ask("s1", "ls"), d.open("s1", questionOf("que_1", "ses_s1"))
	decision := func(id, body string) reply {
		return d.as(server.ApproveScope, "POST", "/v1/requests/"+id+"/decision", body)
	}
	for name, c := range map[string]struct {
		got  reply
		want int
	}{
		"an unknown request":                {decision("req_none", `{"decision":"accept"}`), 404},
		"answers to an unknown request":     {d.as(server.ApproveScope, "POST", "/v1/requests/req_none/answers", `{"answers":{}}`), 404},
		"an unknown decision":               {decision(r.ID, `{"decision":"yes"}`), 400},
		"what isn't offered":                {decision(r.ID, `{"decision":"acceptForSession"}`), 400},
		"always":                            {decision(r.ID, `{"decision":"acceptAlways"}`), 400},
		"a name in the body":                {decision(r.ID, `{"decision":"accept","by":"root"}`), 400},
		"no digest at all":                  {decision(r.ID, `{"decision":"accept","digest":null}`), 400},
		"a null reason":                     {d.as(server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", `{"status":"failed","reason":null}`), 400},
		"null answers":                      {d.as(server.ApproveScope, "POST", "/v1/requests/"+q.ID+"/answers", `{"answers":null}`), 400},
		"a null answer":                     {d.as(server.ApproveScope, "POST", "/v1/requests/"+q.ID+"/answers", `{"answers":{"question-0":null,"question-1":"a"}}`), 400},
		"a null turn":                       {d.as(server.AdapterScope, "POST", "/v1/sessions/s1/requests", `{"turn":null,"native":`+bash("per_x", "ses_s1", "ls")+`}`), 400},
		"another digest":                    {decision(r.ID, `{"decision":"accept","digest":"sha256:0"}`), 409},
		"another policy":                    {decision(r.ID, `{"decision":"accept","policy":"sha256:0"}`), 409},
		"a decision on a question":          {decision(q.ID, `{"decision":"cancel"}`), 400},
		"answers on an approval":            {d.as(server.ApproveScope, "POST", "/v1/requests/"+r.ID+"/answers", `{"answers":{}}`), 400},
		"an approval dismissed":             {d.as(server.ApproveScope, "POST", "/v1/requests/"+r.ID+"/dismiss", ""), 400},
		"an adapter that decides":           {d.as(server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/decision", `{"decision":"accept"}`), 403},
		"an approver that resolves":         {d.as(server.ApproveScope, "POST", "/v1/requests/"+r.ID+"/resolution", `{"status":"delivered"}`), 403},
		"delivery of what nobody answered":  {d.resolve(r.ID, "delivered"), 409},
		"an unknown status":                 {d.resolve(r.ID, "done"), 400},
		"a resolution of an unknown one":    {d.resolve("req_none", "delivered"), 404},
		"a request without an id":           {d.as(server.AdapterScope, "POST", "/v1/sessions/s1/requests", `{"permission":"bash"}`), 422},
		"a turn that doesn't run":           {d.as(server.AdapterScope, "POST", "/v1/sessions/s1/requests", `{"turn":"none","native":`+bash("per_x", "ses_s1", "ls")+`}`), 409},
		"something beside the native form":  {d.as(server.AdapterScope, "POST", "/v1/sessions/s1/requests", `{"who":"me","native":`+bash("per_x", "ses_s1", "ls")+`}`), 400},
		"the same id for something else":    {d.as(server.AdapterScope, "POST", "/v1/sessions/s1/requests", bash("per_1", "ses_s1", "rm -rf /")), 409},
		"an unknown state":                  {d.as(server.ReadScope, "GET", "/v1/requests?state=open", ""), 400},
		"a provider that can't be read yet": {d.unread(), 501},
	} {
		if c.got.status != c.want {
			t.Errorf("%s: %d, want %d: %s", name, c.got.status, c.want, c.got.body)
		}
	}
	for _, id := range []string{r.ID, q.ID} {
		if now := d.request(id); now.State != "pending" {
			t.Errorf("%s is %s", id, now.State)
		}
	}
	same := d.must(200, server.AdapterScope, "POST", "/v1/sessions/s1/requests", bash("per_1", "ses_s1", "ls"))
	if again := into[pending](t, same); again.ID != r.ID {
		t.Errorf("opened again, it is another request: %+v", again)
	}
}

func (d *desk) unread() reply {
	d.load("cx", "codex", "auto")
	return d.as(server.AdapterScope, "POST", "/v1/sessions/cx/requests", `{"id":1}`)
}

func TestAnswersToQuestions(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "full-access") // a question is asked there, too
	d.turn("s1")
	q := d.open("s1", questionOf("que_1", "ses_s1"))
	answer := func(body string) reply {
		return d.as(server.ApproveScope, "POST", "/v1/requests/"+q.ID+"/answers", body)
	}
	for _, c := range []struct{ answers, pointer string }{
		{`{}`, "/answers/question-0"},
		{`{"question-0":"Postgres"}`, "/answers/question-1"},
		{`{"question-0":"","question-1":"a"}`, "/answers/question-0"},
		{`{"question-0":"Oracle","question-1":"a"}`, "/answers/question-0"},
		{`{"question-0":["Postgres"],"question-1":"a"}`, "/answers/question-0"},
		{`{"question-0":"Postgres","question-1":[]}`, "/answers/question-1"},
		{`{"question-0":"Postgres","question-1":["a","a"]}`, "/answers/question-1"},
		{`{"question-0":"Postgres","question-1":["a",1]}`, "/answers/question-1"},
		{`{"question-0":"Postgres","question-1":"a","more":"x"}`, "/answers/more"},
	} {
		got := answer(`{"answers":` + c.answers + `}`)
		if p := into[problem](t, got); got.status != 400 || p.Errors[0].Pointer != c.pointer {
			t.Errorf("%s: %d %s", c.answers, got.status, got.body)
		}
	}
	if now := d.request(q.ID); now.State != "pending" {
		t.Fatalf("after answers that were refused it is %s", now.State)
	}
	got := answer(`{"answers":{"question-0":"Postgres","question-1":["a","c"]}}`)
	if got.status != 202 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if again := answer(`{"answers":{"question-1":["a","c"],"question-0":"Postgres"}}`); again.status != 202 {
		t.Errorf("the same answers again: %d", again.status)
	}
	if other := answer(`{"answers":{"question-0":"SQLite","question-1":["a","c"]}}`); other.status != 409 {
		t.Errorf("other answers: %d", other.status)
	}
	h := d.history("s1")
	if e := h[len(h)-1]; e.Type != "user-input.response-requested" || !strings.Contains(string(e.Operations[0].Arguments), `[["Postgres"],["a","c"]]`) {
		t.Errorf("%+v", e)
	}
	d.resolve(q.ID, "delivered")
	q2 := d.open("s1", questionOf("que_2", "ses_s1"))
	d.must(202, server.ApproveScope, "POST", "/v1/requests/"+q2.ID+"/dismiss", "")
	d.must(202, server.ApproveScope, "POST", "/v1/requests/"+q2.ID+"/dismiss", "{}")
	if now := into[pending](t, d.resolve(q2.ID, "delivered")); now.State != "cancelled" || now.DecidedBy != "the approve" {
		t.Errorf("a question that was dismissed: %+v", now)
	}
	if box := d.inbox("?state=cancelled"); len(box) != 1 || box[0].ID != q2.ID {
		t.Errorf("%+v", box)
	}
}

// What closes requests, with the state, who did it and why. Nothing is left open.
func TestWhatClosesRequests(t *testing.T) {
	for name, c := range map[string]struct {
		do              func(d *desk, turn string)
		open, answered  string // the state of a request that waits, and of one that is answered
		openBy, afterBy string
	}{
		"the end of the turn": {func(d *desk, turn string) {
			got := d.must(200, server.AdapterScope, "POST", "/v1/sessions/s1/turns/"+turn+"/end", `{"status":"failed"}`)
			if closed := into[struct{ Closed []string }](d.t, got).Closed; len(closed) != 3 {
				d.t.Errorf("closed %v", closed)
			}
		}, "cancelled", "cancelled", "modegate:turn-end", "the approve"},
		"the next turn":   {func(d *desk, _ string) { d.turn("s1") }, "cancelled", "cancelled", "modegate:turn-end", "the approve"},
		"unloading":       {func(d *desk, _ string) { d.must(204, server.AdapterScope, "DELETE", "/v1/sessions/s1", "") }, "cancelled", "cancelled", "modegate:turn-end", "the approve"},
		"time":            {func(d *desk, _ string) { d.clock.pass(2 * time.Hour) }, "expired", "expired", "modegate:expiry", "the approve"},
		"the delivery's":  {func(d *desk, _ string) { d.clock.pass(2 * time.Minute) }, "pending", "expired", "", "the approve"},
		"another restart": {func(d *desk, _ string) { d.stop(); d.start() }, "expired", "expired", "modegate:restart", "the approve"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.load("s1", "opencode", "approval-required")
			d.load("s2", "opencode", "approval-required")
			turn := d.turn("s1")
			r, q, answered, other := d.ask("s1", "ls"), d.open("s1", questionOf("que_1", "ses_s1")), d.ask("s1", "pwd"), d.ask("s2", "ls")
			d.decide(answered.ID, "accept")
			c.do(d, turn)
			for _, id := range []string{r.ID, q.ID} {
				if now := d.request(id); now.State != c.open || now.DecidedBy != c.openBy || c.open != "pending" && now.Reason == "" {
					t.Errorf("%+v", now)
				}
			}
			if now := d.request(answered.ID); now.State != c.answered || now.DecidedBy != c.afterBy || now.Reason == "" {
				t.Errorf("answered: %+v", now)
			}
			if now := d.request(other.ID); name != "time" && name != "another restart" && now.State != "pending" {
				t.Errorf("another session's: %+v", now)
			}
			if late := d.decide(answered.ID, "accept"); late.status != 409 {
				t.Errorf("a late decision: %d", late.status)
			}
		})
	}
}

// A request that expires unanswered carries the steps that refuse it: the
// provider waits without end otherwise. One whose answer may have arrived has none.
func TestExpiryRefusesAtTheProvider(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	r, q, answered := d.ask("s1", "ls"), d.open("s1", questionOf("que_1", "ses_s1")), d.ask("s1", "pwd")
	d.decide(answered.ID, "accept")
	d.clock.pass(2 * time.Hour)
	for _, e := range d.history("s1") {
		if e.Request == nil || e.Request.State != "expired" {
			continue
		}
		text := fmt.Sprint(e.Operations)
		switch e.Request.ID {
		case r.ID:
			if !strings.Contains(text, "permission.reply") || !strings.Contains(text, "reject") {
				t.Errorf("%s", text)
			}
		case q.ID:
			if !strings.Contains(text, "question.reject") {
				t.Errorf("%s", text)
			}
		case answered.ID:
			if len(e.Operations) != 0 {
				t.Errorf("steps of an answer that may have arrived: %s", text)
			}
		}
	}
}

// What the modes answer comes back over, with who, why and the steps; asking the
// same again gives the same.
func TestAnsweredByTheMode(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "claude", "full-access")
	d.turn("s1")
	r := d.open("s1", `{"id":"1","kind":"command"}`)
	if r.State != "resolved" || r.DecidedBy != "modegate:mode" || r.Reason == "" || r.Decision != "accept" || len(r.Operations) != 1 {
		t.Errorf("%+v", r)
	}
	again := into[pending](t, d.must(200, server.AdapterScope, "POST", "/v1/sessions/s1/requests", `{"id":"1","kind":"command"}`))
	if again.ID != r.ID || len(again.Operations) != 1 {
		t.Errorf("%+v", again)
	}
	if got := typed(d.history("s1")[3:]); got != "approval.requested approval.resolved" {
		t.Errorf("%s", got)
	}
	// Tightened while the turn runs, it asks; loosened, the running turn still does.
	d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/s1", `{"mode":"approval-required"}`)
	if r := d.open("s1", `{"id":"2","kind":"command"}`); r.State != "pending" {
		t.Errorf("%+v", r)
	}
	d.turn("s1")
	d.must(200, server.AdapterScope, "PATCH", "/v1/sessions/s1", `{"mode":"full-access"}`)
	if r := d.open("s1", `{"id":"3","kind":"command"}`); r.State != "pending" {
		t.Errorf("%+v", r)
	}
}

func TestAPlanIsCaptured(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "claude", "approval-required", `,"interaction":"plan"`)
	turn := d.turn("s1")
	r := d.open("s1", `{"id":"1","plan":"# The plan\n"}`)
	if r.State != "resolved" || r.Decision != "decline" || len(r.Operations) != 1 {
		t.Errorf("%+v", r)
	}
	d.open("s1", `{"id":"2","plan":"  "}`)
	var plans []happened
	for _, e := range d.history("s1") {
		if e.Type == "plan.proposed" {
			plans = append(plans, e)
		}
	}
	if len(plans) != 1 || plans[0].Plan.Markdown != "# The plan\n" || plans[0].Turn != turn {
		t.Errorf("%+v", plans)
	}
}

// acceptAlways is for MCP elicitations that offer it.
func TestAlways(t *testing.T) {
	d := newDesk(t)
	d.load("s1", "claude", "approval-required")
	d.turn("s1")
	const offers = `"offers":[{"decision":"decline","label":"no","scope":""},{"decision":"acceptAlways","label":"always","scope":"the server's"},{"decision":"accept","label":"once","scope":""}]`
	for kind, want := range map[string]int{"command": 400, "mcp-elicitation": 202} {
		r := d.open("s1", fmt.Sprintf(`{"id":%q,"kind":%q,%s}`, kind, kind, offers))
		if got := d.decide(r.ID, "acceptAlways"); got.status != want {
			t.Errorf("%s: %d %s", kind, got.status, got.body)
		}
	}
}

// An approval is bound to the policy that it was asked under: under another one
// it can only be refused.
func TestAnApprovalIsBoundToItsPolicy(t *testing.T) {
	dir := folder(t, map[string]string{"policy.yaml": readExample(t)})
	d := newDesk(t, dir+"/policy.yaml")
	d.load("s1", "opencode", "approval-required")
	d.turn("s1")
	r := d.ask("s1", "ls")
	put(t, dir+"/policy.yaml", readExample(t, `edits-ask, kind: file-change, match: "*", effect: ask`, `edits-ask, kind: file-change, match: "*", effect: deny`))
	d.must(200, server.AdminScope, "POST", "/v1/policies/reload", "")
	if got := d.decide(r.ID, "accept"); got.status != 409 || !strings.Contains(got.body, "policy has changed") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := d.decide(r.ID, "decline"); got.status != 202 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

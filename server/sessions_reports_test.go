package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modegate/modegate/server"
)

// reported are the faults that people reported (testdata/reports.json) that a
// service could have, each as it must not be here.
var reported = map[string]func(t *testing.T, d *desk){
	"SW-01": func(t *testing.T, d *desk) { // what one mode sets, the next one takes back
		d.load("s", "codex", "auto")
		d.load("s", "codex", "approval-required")
		d.turn("s")
		if rules := d.ruleset("s"); !strings.Contains(rules, `"approvalsReviewer":"user"`) {
			t.Error(rules)
		}
	},
	"SW-02": func(t *testing.T, d *desk) {
		first := d.load("s", "codex", "auto-accept-edits")
		d.load("s", "codex", "full-access")
		d.turn("s")
		last := d.load("s", "codex", "auto-accept-edits")
		if rules := d.ruleset("s"); last.Ruleset != first.Ruleset || !strings.Contains(rules, `"sandbox":"workspace-write"`) || !strings.Contains(rules, `"approvalPolicy":"on-request"`) {
			t.Error(rules)
		}
	},
	"SW-06": func(t *testing.T, d *desk) { // nothing that a provider says changes the stored mode
		d.load("s", "grok", "full-access")
		d.turn("s")
		d.as(server.AdapterScope, "POST", "/v1/sessions/s/requests", `{"jsonrpc":"2.0","id":1,"method":"session/update","params":{"update":{"sessionUpdate":"current_mode_update","currentModeId":"ask"}}}`)
		if a := into[session](t, d.must(200, server.ReadScope, "GET", "/v1/sessions/s", "")); a.Mode != "full-access" {
			t.Errorf("%+v", a)
		}
	},
	"GR-01": func(t *testing.T, d *desk) {
		d.shell("s", "per_1", "echo hi", "echo *")
		ops := d.steps("", d.granting("s"))
		if len(ops) != 2 || ops[0].Call != "session.update" || !strings.Contains(string(ops[0].Arguments), `{"action":"shell","resource":"echo *","effect":"allow"}`) || !strings.Contains(string(ops[1].Arguments), `"decision":"once"`) {
			t.Errorf("%+v", ops)
		}
		if r := d.shell("new", "per_2", "echo hi", "echo *"); r.State != "pending" {
			t.Errorf("a new session in the same folder: %+v", r)
		}
	},
	"GR-07": func(t *testing.T, d *desk) {
		a, b := d.shell("a", "per_1", "git log", "git *"), d.shell("b", "per_2", "git log", "git *")
		again := d.shell("a", "per_3", "git log -1", "git *")
		d.decide(a.ID, "acceptForSession")
		if now := d.request(again.ID); now.State != "responding" || now.DecidedBy != "modegate:grant" {
			t.Errorf("%+v", now)
		}
		if now := d.request(b.ID); now.State != "pending" {
			t.Errorf("%+v", now)
		}
		if now := d.shell("b", "per_4", "git log -1", "git *"); now.State != "pending" {
			t.Errorf("%+v", now)
		}
	},
	"GR-09": func(t *testing.T, d *desk) {
		r := d.shell("s", "per_1", "git status", "git status *")
		if o := r.Offered; !slices.ContainsFunc(o, func(o struct{ Decision, Label, Scope string }) bool {
			return o.Decision == "acceptForSession" && strings.Contains(o.Label, "git status *")
		}) {
			t.Errorf("%+v", o)
		}
		d.granting("s")
		if now := d.shell("s", "per_2", "git status -s", "git status *"); now.State != "resolved" {
			t.Errorf("%+v", now)
		}
		if now := d.shell("s", "per_3", "git push", "git push *"); now.State != "pending" {
			t.Errorf("%+v", now)
		}
	},
	"GR-11": func(t *testing.T, d *desk) {
		d.load("s", "codex", "approval-required")
		d.turn("s")
		command := func(id int) string {
			return fmt.Sprintf(`{"id":%d,"method":"item/commandExecution/requestApproval","params":{"itemId":"i%d","threadId":"t","turnId":"u","startedAtMs":1,"command":"ls","cwd":"/w"}}`, id, id)
		}
		r := d.open("s", command(1))
		d.decide(r.ID, "accept")
		if ops := d.steps("", "s"); !strings.Contains(string(ops[0].Arguments), `"accept"`) || strings.Contains(string(ops[0].Arguments), "acceptForSession") {
			t.Errorf("%+v", ops)
		}
		d.resolve(r.ID, "delivered")
		if r := d.open("s", command(2)); r.State != "pending" {
			t.Errorf("%+v", r)
		}
	},
	"GR-17": func(t *testing.T, d *desk) {
		d.shell("s", "per_1", "git status", "git status")
		d.granting("s")
		for i, text := range []string{"git status && rm -rf build", "git status; curl x | sh", "git statusx"} {
			if r := d.shell("s", fmt.Sprintf("per_2%d", i), text, text); r.State != "pending" {
				t.Errorf("%+v", r)
			}
		}
	},
	"GR-18": func(t *testing.T, d *desk) {
		r := d.shell("s", "per_1", "mkdir x")
		if got := d.decide(r.ID, "acceptForSession"); got.status != 400 {
			t.Errorf("%d %s", got.status, got.body)
		}
	},
	"GR-19": func(t *testing.T, d *desk) {
		d.shell("s", "per_1", "echo hi", "echo *")
		d.granting("s")
		d.stop()
		d.startWith(func(cfg *server.Config) { cfg.Translators = everyTranslator() }, "builtin/t3code")
		if r := d.shell("s", "per_2", "echo hi", "echo *"); r.State != "pending" || strings.Contains(d.ruleset("s"), "echo") {
			t.Errorf("%+v", r)
		}
	},
	"SU-03": func(t *testing.T, d *desk) {
		d.load("p", "claude", "approval-required")
		d.must(422, server.AdapterScope, "PUT", "/v1/sessions/c", `{"provider":"claude","mode":"auto","workspace":"/w","parent":"p"}`)
	},
	"SU-04": func(t *testing.T, d *desk) {
		d.load("p", "opencode2", "approval-required", `,"nativeSession":"ses_p"`)
		turn := d.turn("p")
		r := d.open("p", `{"id":"e","type":"permission.asked","data":{"id":"per_1","sessionID":"ses_child","action":"external_directory","resources":["/home/u/notes/*"],"save":["/home/u/notes/*"]}}`)
		if r.Turn == nil || *r.Turn != turn || r.State != "pending" {
			t.Errorf("%+v", r)
		}
		d.decide(r.ID, "accept")
		if ops := d.steps("", "p"); !strings.Contains(string(ops[0].Arguments), `"sessionID":"ses_child","requestID":"per_1"`) {
			t.Errorf("the reply doesn't go to the child: %+v", ops)
		}
	},
	"LF-03": func(t *testing.T, d *desk) {
		d.load("s", "opencode", "approval-required")
		turn := d.turn("s")
		q := d.open("s", questionOf("que_1", "ses_s"))
		d.must(200, server.AdapterScope, "POST", "/v1/sessions/s/turns/"+turn+"/end", `{"status":"cancelled"}`)
		if now := d.request(q.ID); now.State != "cancelled" {
			t.Errorf("%+v", now)
		}
	},
	"LF-05": func(t *testing.T, d *desk) {
		d.load("s", "opencode", "approval-required")
		turn := d.turn("s")
		q := d.open("s", questionOf("que_1", "ses_s"))
		d.must(200, server.AdapterScope, "POST", "/v1/sessions/s/turns/"+turn+"/end", `{"status":"failed"}`)
		got := d.must(409, server.ApproveScope, "POST", "/v1/requests/"+q.ID+"/answers", `{"answers":{"question-0":"Postgres","question-1":"a"}}`)
		if p := into[problem](t, got); p.Type != "urn:modegate:problem:conflict" {
			t.Errorf("%+v", p)
		}
	},
	"LF-10": func(t *testing.T, d *desk) {
		r := d.shell("s", "per_1", "ls")
		d.decide(r.ID, "accept")
		d.stop()
		d.startWith(func(cfg *server.Config) { cfg.Translators = everyTranslator() }, "builtin/t3code")
		if now := d.request(r.ID); now.State != "expired" || now.Decision != "accept" {
			t.Errorf("%+v", now)
		}
	},
	"LF-11": func(t *testing.T, d *desk) {
		for _, what := range []string{"decision", "answers"} {
			d.must(404, server.ApproveScope, "POST", "/v1/requests/req_unknown/"+what, map[string]string{"decision": `{"decision":"accept"}`, "answers": `{"answers":{"a":"b"}}`}[what])
		}
		d.must(404, server.AdapterScope, "POST", "/v1/requests/req_unknown/resolution", `{"status":"delivered"}`)
	},
	"LF-12": func(t *testing.T, d *desk) {
		d.load("s", "opencode", "approval-required")
		d.turn("s")
		r := d.open("s", `{"id":"per_1","sessionID":"ses_s","permission":"skill","patterns":["fix-review"],"always":[],"metadata":{}}`)
		if r.Shape != "approval" || r.Kind != nil || !strings.Contains(r.Title, "skill: fix-review") {
			t.Errorf("%+v", r)
		}
		if got := d.decide(r.ID, "accept"); got.status != 202 {
			t.Errorf("%d %s", got.status, got.body)
		}
	},
	"LF-14": func(t *testing.T, d *desk) {
		r := d.shell("s", "per_1", "ls")
		d.decide(r.ID, "accept")
		d.must(200, server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", `{"status":"failed","reason":"two replies failed"}`)
		if now := d.request(r.ID); now.State != "failed" || now.Reason != "two replies failed" || len(d.inbox("")) != 0 {
			t.Errorf("%+v", now)
		}
	},
	"LF-15": func(t *testing.T, d *desk) {
		d.load("s", "codex", "approval-required")
		d.turn("s")
		r := d.open("s", `{"id":7,"method":"item/somethingNew/request","params":{}}`)
		if r.State != "resolved" || len(r.Operations) != 1 || !strings.Contains(string(r.Operations[0].Arguments), `"error"`) {
			t.Errorf("%+v", r)
		}
	},
	"LF-18": func(t *testing.T, d *desk) {
		r := d.shell("s", "per_1", "ls")
		d.must(200, server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", `{"status":"settled","decision":"accept"}`)
		d.must(200, server.AdapterScope, "POST", "/v1/requests/"+r.ID+"/resolution", `{"status":"settled","decision":"accept"}`)
		if now := d.request(r.ID); now.State != "resolved" || now.DecidedBy != "provider:another-client" || now.Decision != "accept" {
			t.Errorf("%+v", now)
		}
		if late := d.decide(r.ID, "decline"); late.status != 409 {
			t.Errorf("%d", late.status)
		}
	},
	"OP-01": func(t *testing.T, d *desk) {
		r := d.acp("grok", `[{"optionId":"a1","kind":"allow_once","name":"Yes"},{"optionId":"r1","kind":"reject_once","name":"No"}]`)
		if got := d.decide(r.ID, "acceptForSession"); got.status != 202 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if ops := d.steps("", "s"); !strings.Contains(string(ops[0].Arguments), `"optionId":"a1"`) {
			t.Errorf("%+v", ops)
		}
	},
	"OP-06": func(t *testing.T, d *desk) {
		r := d.acp("cursor", `[{"optionId":"aa","kind":"allow_always","name":"Always"},{"optionId":"ra","kind":"reject_always","name":"Never"}]`)
		if got := d.decide(r.ID, "accept"); got.status != 400 {
			t.Errorf("%d %s", got.status, got.body)
		}
	},
	"OP-10": func(t *testing.T, d *desk) {
		d.load("s", "codex", "approval-required")
		d.turn("s")
		r := d.open("s", `{"id":1,"method":"item/commandExecution/requestApproval","params":{"itemId":"i","threadId":"t","turnId":"u","startedAtMs":1,"command":"npm test","cwd":"/w","availableDecisions":["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["npm","test"]}},"cancel"]}}`)
		if got := d.decide(r.ID, "acceptWithExecpolicyAmendment"); got.status != 400 {
			t.Errorf("%d %s", got.status, got.body)
		}
		d.must(400, server.ApproveScope, "POST", "/v1/requests/"+r.ID+"/decision", `{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["rm"]}}}`)
		if got := d.decide(r.ID, "accept"); got.status != 202 {
			t.Errorf("%d %s", got.status, got.body)
		}
	},
	"QU-03": func(t *testing.T, d *desk) {
		d.load("s", "claude", "approval-required")
		d.turn("s")
		r := d.open("s", `{"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"x","input":{"questions":[{"question":"Which one?","header":"A","options":[{"label":"1","description":""},{"label":"2","description":""}]},{"question":"Which one?","header":"B","options":[{"label":"1","description":""},{"label":"2","description":""}]}]}}}`)
		if r.State != "cancelled" || r.Reason == "" || len(r.Operations) == 0 {
			t.Errorf("%+v", r)
		}
	},
}

// elsewhere are the rows that other tests hold, and which.
var elsewhere = map[string]string{
	"SW-07": "the live tests of OpenCode: session rules hold on any server",
	"GR-02": "adapters: a saved grant beats an ask", "GR-14": "adapters/codex: forms that keep a choice",
	"SU-02": "adapters/opencode: an agent's own rules", "SU-06": "adapters: subagent is denied last",
	"LF-13": "adapters/codex: permission profiles",
	"OP-02": "adapters/broker/acp: options by kind", "OP-03": "adapters/broker/acp: options by kind",
	"QU-01": "adapters/claude, adapters/codex: how answers are keyed",
	"QU-02": "TestAnswersToQuestions", "QU-06": "TestAnswersToQuestions",
}

func TestReportedFaults(t *testing.T) {
	text, err := os.ReadFile("../reports.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct{ ID, Kind, Fault string }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"mode-switch-and-resume", "grant-scope", "option-mapping", "request-lifecycle", "structured-input", "subagents"}
	for _, row := range file.Cases {
		if !slices.Contains(kinds, row.Kind) {
			continue
		}
		test := reported[row.ID]
		if test == nil {
			if elsewhere[row.ID] == "" {
				t.Errorf("%s isn't held: %s", row.ID, row.Fault)
			}
			continue
		}
		t.Run(row.ID, func(t *testing.T) { test(t, newRealDesk(t)) })
	}
}

// shell opens a shell request of OpenCode 2 in a session, which is loaded, and
// in a turn, when it isn't.
func (d *desk) shell(id, native, command string, save ...string) pending {
	d.t.Helper()
	if d.as(server.ReadScope, "GET", "/v1/sessions/"+id, "").status == 404 {
		d.load(id, "opencode2", "approval-required")
		d.turn(id)
	}
	if save == nil {
		save = []string{}
	}
	list, _ := json.Marshal(save)
	return d.open(id, fmt.Sprintf(`{"id":"e","type":"permission.asked","data":{"id":%q,"sessionID":"ses_%s","action":"shell","resources":[%q],"save":%s}}`, native, id, command, list))
}

// granting takes the one open request of a session for the session.
func (d *desk) granting(id string) string {
	d.t.Helper()
	box := d.inbox("?session=" + id)
	if len(box) != 1 {
		d.t.Fatalf("%+v", box)
	}
	if got := d.decide(box[0].ID, "acceptForSession"); got.status != 202 {
		d.t.Fatalf("%d %s", got.status, got.body)
	}
	d.resolve(box[0].ID, "delivered")
	return id
}

// acp opens an ACP request with options.
func (d *desk) acp(provider, options string) pending {
	d.t.Helper()
	d.load("s", provider, "approval-required")
	d.turn("s")
	return d.open("s", `{"jsonrpc":"2.0","id":3,"method":"session/request_permission","params":{"sessionId":"n","toolCall":{"toolCallId":"c","kind":"execute","title":"ls","rawInput":{"command":"ls"}},"options":`+options+`}}`)
}

package codex

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/brokertest"
	"github.com/modegate/modegate/evaluator"
)

var update = flag.Bool("update", false, "write the goldens in testdata/operations anew")

const operationsDir = "../../testdata/operations/codex"

func TestOperationsGolden(t *testing.T) {
	brokertest.Goldens(t, Boundary(), evaluator.Codex, operationsDir, *update)
}

func asking(t *testing.T, method, params string) broker.Request {
	t.Helper()
	r, err := Boundary().Request([]byte(fmt.Sprintf(`{"id":5,"method":%q,"params":%s}`, method, params)))
	if err != nil {
		t.Fatal(err)
	}
	brokertest.Holds(t, Boundary(), r)
	return r
}

// result is the one response of a decision, without its id.
func result(t *testing.T, r broker.Request, a broker.Answer) string {
	t.Helper()
	ops, err := Boundary().Operations(r, a)
	if err != nil {
		return "not offered"
	}
	if len(ops) != 1 || ops[0].Call != broker.CallRespond {
		t.Fatalf("%v", ops)
	}
	text, ok := strings.CutPrefix(string(ops[0].Arguments), `{"id":5,"result":`)
	if !ok {
		return "an error"
	}
	return strings.TrimSuffix(text, "}")
}

// TestReplies is the table of replies, typed by hand: accept, acceptForSession,
// acceptAlways, decline, cancel.
func TestReplies(t *testing.T) {
	const none = "not offered"
	command := `{"itemId":"i","command":"ls","cwd":"/w"}`
	permissions := `{"itemId":"i","cwd":"/w","permissions":{"network":{"enabled":true}}}`
	tool := `{"serverName":"s","mode":"form","message":"m","_meta":{"tool_name":"t","persist":["session","always"]},"requestedSchema":{"type":"object","properties":{}}}`
	for _, c := range []struct {
		name, method, params string
		want                 [5]string
	}{
		{"command", "item/commandExecution/requestApproval", command,
			[5]string{`{"decision":"accept"}`, `{"decision":"acceptForSession"}`, none, `{"decision":"decline"}`, `{"decision":"cancel"}`}},
		{"file change", "item/fileChange/requestApproval", `{"itemId":"i"}`,
			[5]string{`{"decision":"accept"}`, `{"decision":"acceptForSession"}`, none, `{"decision":"decline"}`, `{"decision":"cancel"}`}},
		{"legacy command", "execCommandApproval", `{"callId":"c","command":["ls"]}`,
			[5]string{`{"decision":"approved"}`, `{"decision":"approved_for_session"}`, none, `{"decision":{"denied":{"rejection":"The user declined this."}}}`, `{"decision":"abort"}`}},
		{"legacy patch", "applyPatchApproval", `{"callId":"c","fileChanges":{"a":{"type":"add","content":""}}}`,
			[5]string{`{"decision":"approved"}`, `{"decision":"approved_for_session"}`, none, `{"decision":{"denied":{"rejection":"The user declined this."}}}`, `{"decision":"abort"}`}},
		{"permissions", "item/permissions/requestApproval", permissions, // LF-13
			[5]string{`{"permissions":{"network":{"enabled":true}},"scope":"turn"}`, `{"permissions":{"network":{"enabled":true}},"scope":"session"}`, none, `{"permissions":{},"scope":"turn"}`, `{"permissions":{},"scope":"turn"}`}},
		{"MCP tool", "mcpServer/elicitation/request", tool,
			[5]string{`{"action":"accept","content":{}}`, `{"action":"accept","content":{},"_meta":{"persist":"session"}}`, `{"action":"accept","content":{},"_meta":{"persist":"always"}}`, `{"action":"decline"}`, `{"action":"cancel"}`}},
		{"MCP link", "mcpServer/elicitation/request", `{"serverName":"s","mode":"url","message":"m","url":"https://x.test","elicitationId":"e"}`,
			[5]string{none, none, none, `{"action":"decline"}`, `{"action":"cancel"}`}},
		{"unknown", "item/new/requestApproval", `{"itemId":"i"}`, // LF-15
			[5]string{none, none, none, "an error", "an error"}},
	} {
		r := asking(t, c.method, c.params)
		for i, d := range brokertest.Decisions() {
			if got := result(t, r, broker.Answer{Decision: d}); got != c.want[i] {
				t.Errorf("%s, %s: %s, want %s", c.name, d, got, c.want[i])
			}
		}
	}
}

func TestKindsOfRequests(t *testing.T) {
	fs := func(text string) string { return `{"permissions":{"fileSystem":` + text + `}}` }
	for _, c := range []struct {
		method, params string
		want           evaluator.Kind
	}{
		{"item/commandExecution/requestApproval", `{}`, evaluator.Command},
		{"execCommandApproval", `{}`, evaluator.Command},
		{"item/fileRead/requestApproval", `{}`, evaluator.FileRead},
		{"item/fileChange/requestApproval", `{}`, evaluator.FileChange},
		{"applyPatchApproval", `{}`, evaluator.FileChange},
		{"item/permissions/requestApproval", `{"permissions":{"network":{"enabled":true}}}`, evaluator.Command},
		{"item/permissions/requestApproval", fs(`{"read":["/a"]}`), evaluator.FileRead},
		{"item/permissions/requestApproval", fs(`{"read":["/a"],"write":["/b"]}`), evaluator.FileChange},
		{"item/permissions/requestApproval", fs(`{"entries":[{"path":{"type":"special","value":{"kind":"root"}},"access":"write"}]}`), evaluator.FileChange},
		{"mcpServer/elicitation/request", `{}`, broker.MCPElicitation},
		{"item/tool/call", `{}`, ""},
		{"account/chatgptAuthTokens/refresh", `{}`, ""},
		{"unheard/of", `{}`, ""},
	} {
		if r := asking(t, c.method, c.params); r.Kind != c.want || r.Shape != broker.Approval {
			t.Errorf("%s %s: %s %q, want an approval %q", c.method, c.params, r.Shape, r.Kind, c.want)
		}
	}
	if r := asking(t, "item/tool/requestUserInput", `{"questions":[{"id":"a","question":"?"}]}`); r.Shape != broker.Questioned {
		t.Errorf("questions: %s", r.Shape)
	}
}

// TestAvailableDecisions is OP-10: what isn't a plain word is shown and never
// sent; what was measured to be honoured is offered though it isn't advertised.
func TestAvailableDecisions(t *testing.T) {
	for list, want := range map[string]string{
		`["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["npm","test"]}},"cancel"]`: "cancel decline acceptForSession accept",
		`["accept","cancel"]`: "cancel decline acceptForSession accept",
		`["cancel"]`:          "cancel decline",
		`null`:                "cancel decline acceptForSession accept",
		`[]`:                  "cancel decline",
	} {
		r := asking(t, "item/commandExecution/requestApproval", `{"itemId":"i","command":"npm test","availableDecisions":`+list+`}`)
		var got []string
		for _, o := range r.Offered {
			got = append(got, string(o.Decision))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", list, s, want)
		}
		if _, err := Boundary().Operations(r, broker.Answer{Decision: "acceptWithExecpolicyAmendment"}); err == nil {
			t.Error("an amendment was taken")
		}
	}
	if r := asking(t, "item/commandExecution/requestApproval", `{"itemId":"i","command":"x","kind":"humanCommand"}`); len(r.Offered) != 3 {
		t.Errorf("humanCommand takes accept, decline and cancel alone: %v", r.Offered)
	}
}

// TestPersistence is the classifier of lasting choices, typed by hand.
func TestPersistence(t *testing.T) {
	for text, want := range map[string]broker.Decision{
		"session": broker.AcceptForSession, "Allow for this Session": broker.AcceptForSession, "always this session": broker.AcceptForSession,
		"always": broker.AcceptAlways, "PERMANENTLY": broker.AcceptAlways, "forever": broker.AcceptAlways, "persistent": broker.AcceptAlways,
		"once": "", "never": "", "persist": "", "": "",
	} {
		if got := persistence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestForms says, for each form, which reply each decision makes.
func TestForms(t *testing.T) {
	const none = "not offered"
	yes := func(content, persist string) string {
		out := `{"action":"accept","content":` + content
		if persist != "" {
			out += `,"_meta":{"persist":"` + persist + `"}`
		}
		return out + "}"
	}
	for _, c := range []struct {
		name, meta, properties, required string
		want                             [3]string // accept, acceptForSession, acceptAlways
	}{
		{"GR-14", `null`, `{"persist":{"type":"string","enum":["never","session","always"]}}`, `["persist"]`,
			[3]string{yes(`{"persist":"never"}`, ""), yes(`{"persist":"session"}`, "session"), yes(`{"persist":"always"}`, "always")}},
		{"GR-14 without never", `null`, `{"persist":{"type":"string","enum":["session","always"]}}`, `["persist"]`, [3]string{none, none, none}},
		{"a lasting default", `null`, `{"how":{"type":"string","enum":["session","always"],"default":"always"}}`, `[]`, [3]string{none, none, none}},
		{"persist as one text", `{"persist":"session"}`, `{}`, `[]`, [3]string{yes(`{}`, ""), yes(`{}`, "session"), none}},
		{"allowPersistentApproval", `{"allowPersistentApproval":true}`, `{}`, `[]`, [3]string{yes(`{}`, ""), none, yes(`{}`, "always")}},
		{"a boolean persist", `null`, `{"persist":{"type":"boolean","default":true}}`, `[]`, [3]string{yes(`{"persist":false}`, ""), none, yes(`{"persist":true}`, "always")}},
		{"a boolean by its title", `null`, `{"x":{"type":"boolean","title":"Remember forever"}}`, `["x"]`, [3]string{yes(`{"x":false}`, ""), none, yes(`{"x":true}`, "always")}},
		{"oneOf by title", `null`, `{"x":{"type":"string","oneOf":[{"const":"1","title":"Deny"},{"const":"2","title":"Allow"},{"const":"3","title":"Allow always"}]}}`, `["x"]`,
			[3]string{yes(`{"x":"2"}`, ""), none, yes(`{"x":"3"}`, "always")}},
		{"enumNames", `null`, `{"x":{"type":"string","enum":["a","b"],"enumNames":["Disallow","Approve"]}}`, `["x"]`, [3]string{yes(`{"x":"b"}`, ""), none, none}},
		{"a default", `null`, `{"x":{"type":"integer","default":0},"y":{"type":"string"}}`, `["x"]`, [3]string{yes(`{"x":0}`, ""), none, none}},
		{"a required text", `{"persist":["always"]}`, `{"x":{"type":"string"}}`, `["x"]`, [3]string{none, none, none}},
		{"required and not described", `null`, `{}`, `["x"]`, [3]string{none, none, none}},
	} {
		r := asking(t, "mcpServer/elicitation/request", fmt.Sprintf(`{"serverName":"s","mode":"form","message":"m","_meta":%s,"requestedSchema":{"type":"object","properties":%s,"required":%s}}`, c.meta, c.properties, c.required))
		for i, d := range brokertest.Decisions()[:3] {
			if got := result(t, r, broker.Answer{Decision: d}); got != c.want[i] {
				t.Errorf("%s, %s: %s, want %s", c.name, d, got, c.want[i])
			}
		}
		_, why, auto := Boundary().Automatic(evaluator.Cell{}, r)
		if auto != (c.want[0] == none) {
			t.Errorf("%s: declined by itself: %v (%s)", c.name, auto, why)
		}
	}
}

// TestAnswersToQuestions is QU-01 for Codex: keyed by the question's id.
func TestAnswersToQuestions(t *testing.T) {
	r := asking(t, "item/tool/requestUserInput", `{"itemId":"i","questions":[{"id":"q1","header":"DB","question":"Which database?","options":[{"label":"Postgres","description":""}]}]}`)
	if got := result(t, r, broker.Answer{Answers: map[string][]string{"q1": {"Postgres"}}}); got != `{"answers":{"q1":{"answers":["Postgres"]}}}` {
		t.Error(got)
	}
	if got := result(t, r, broker.Answer{Decision: broker.Cancel}); got != `{"answers":{}}` {
		t.Error(got)
	}
}

func TestRequestIDs(t *testing.T) {
	for params, want := range map[string]string{
		`{"approvalId":"a","itemId":"i"}`: "a", `{"approvalId":null,"itemId":"i"}`: "i", `{"callId":"c"}`: "c", `{}`: "5", `[]`: "5",
	} {
		if r := asking(t, "item/fileChange/requestApproval", params); r.ID != want {
			t.Errorf("%s: %q, want %q", params, r.ID, want)
		}
	}
	for _, native := range []string{``, `[]`, `{"method":"x"}`, `{"id":null,"method":"x"}`, `{"id":{},"method":"x"}`} {
		if _, err := Boundary().Request([]byte(native)); err == nil {
			t.Errorf("%s has no id and was read", native)
		}
	}
}

func FuzzOperations(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(operationsDir, "*.txt"))
	for _, file := range files {
		f.Add(brokertest.Native(f, file))
	}
	f.Fuzz(func(t *testing.T, native []byte) {
		r, err := Boundary().Request(native)
		if err == nil {
			brokertest.Holds(t, Boundary(), r)
			return
		}
		var least map[string]json.RawMessage
		var id json.Number
		if json.Unmarshal(native, &least) == nil && json.Unmarshal(least["id"], &id) == nil && id != "" {
			t.Errorf("%s has the id %s and can't be answered: %v", native, id, err)
		}
	})
}

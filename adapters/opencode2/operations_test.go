package opencode2_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/brokertest"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

const operationsDir = "../../testdata/operations/opencode2"

func TestOperationsGolden(t *testing.T) {
	brokertest.Goldens(t, opencode2.Boundary(), evaluator.OpenCode2, operationsDir, *update)
}

func asking(t *testing.T, kind, data string) broker.Request {
	t.Helper()
	r, err := opencode2.Boundary().Request([]byte(fmt.Sprintf(`{"id":"evt","type":%q,"data":%s}`, kind, data)))
	if err != nil {
		t.Fatal(err)
	}
	brokertest.Holds(t, opencode2.Boundary(), r)
	return r
}

// say is the calls of an answer and their arguments without the session's id.
func say(r broker.Request, a broker.Answer) string {
	ops, err := opencode2.Boundary().Operations(r, a)
	if err != nil {
		return "not offered"
	}
	var out []string
	for _, op := range ops {
		out = append(out, op.Call+" "+strings.Replace(string(op.Arguments), `"sessionID":"s",`, "", 1))
	}
	return strings.Join(out, "\n")
}

// TestReplies is the table of replies, typed by hand: accept, acceptForSession,
// acceptAlways, decline, cancel.
func TestReplies(t *testing.T) {
	const none = "not offered"
	note := "The user declined this (shell: echo hi). Don't try it again or reach the same by other means; go on without it, or say what you would need."
	once := `session.permission.reply {"requestID":"p","decision":"once"}`
	no := `session.synthetic {"text":"` + note + `","delivery":"steer","resume":false}` + "\n" + `session.permission.reply {"requestID":"p","decision":"reject","message":"` + note + `"}`
	end := `session.permission.reply {"requestID":"p","decision":"reject"}`
	session := `session.keep-grants [{"action":"shell","resource":"echo *"}]` + "\nsession.sync {}\n" + once
	for _, c := range []struct {
		name, save string
		want       [5]string
	}{
		{"GR-01", `["echo *"]`, [5]string{once, session, none, no, end}},
		{"GR-18", `[]`, [5]string{once, none, none, no, end}},
		{"GR-18, no list", `null`, [5]string{once, none, none, no, end}},
	} {
		r := asking(t, "permission.asked", `{"id":"p","sessionID":"s","action":"shell","resources":["echo hi"],"save":`+c.save+`}`)
		for i, d := range brokertest.Decisions() {
			if got := say(r, broker.Answer{Decision: d}); got != c.want[i] {
				t.Errorf("%s, %s:\n%s\nwant\n%s", c.name, d, got, c.want[i])
			}
		}
	}
}

// TestLabels are GR-09 and GR-19: the button shows what it reaches and how long.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ action, save, want string }{
		{"shell", `["echo *"]`, "Allow echo * this session"},
		{"shell", `["git status *","git log *"]`, "Allow git status *, git log * this session"},
		{"shell", `["*"]`, "Allow every shell this session"},
		{"shell", `["ls *","*"]`, "Allow every shell this session"},
		{"edit", `["*"]`, "Allow every edit this session"},
		{"edit", `["src/a.go"]`, "Allow edit src/a.go this session"},
		{"webfetch", `["https://example.test/*"]`, "Allow webfetch https://example.test/* this session"},
	} {
		r := asking(t, "permission.asked", fmt.Sprintf(`{"id":"p","sessionID":"s","action":%q,"resources":["x"],"save":%s}`, c.action, c.save))
		if o, _ := r.Offers(broker.AcceptForSession); o.Label != c.want || o.Scope != "this session" {
			t.Errorf("%s %s: %q, %s", c.action, c.save, o.Label, o.Scope)
		}
	}
}

func TestKindsOfRequests(t *testing.T) {
	for action, want := range map[string]evaluator.Kind{
		"shell": evaluator.Command, "read": evaluator.FileRead, "edit": evaluator.FileChange,
		"bash": "", "write": "", "glob": "", "external_directory": "", "webfetch": "", "subagent": "", "skill": "", "github_create_issue": "",
	} {
		r := asking(t, "permission.asked", fmt.Sprintf(`{"id":"p","sessionID":"s","action":%q,"resources":["x"]}`, action))
		if r.Kind != want || r.Shape != broker.Approval || r.Title != action+": x" {
			t.Errorf("%s: %s %q %q", action, r.Shape, r.Kind, r.Title)
		}
	}
}

// TestGrantReachesItsPatternAlone is GR-09 to its end: the grant that the
// decision keeps, compiled into the session's rules, and what they then say.
func TestGrantReachesItsPatternAlone(t *testing.T) {
	r := asking(t, "permission.asked", `{"id":"p","sessionID":"s","action":"shell","resources":["git status"],"save":["git status *"]}`)
	offer, _ := r.Offers(broker.AcceptForSession)
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	cell := evaluator.Cell{Provider: evaluator.OpenCode2, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default}
	compile := func(grants []evaluator.Grant) *compiler.Compiled {
		c, err := compiler.Compile(policy, opencode2.New(), cell, compiler.Options{Env: evaluator.Env{Workspace: "/w", Grants: grants}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	with := compile(offer.Grants)
	for command, want := range map[string]evaluator.Effect{"git status -s": evaluator.Allow, "git push": evaluator.Ask, "git statusx": evaluator.Ask} {
		v, err := with.Evaluate(evaluator.Action{Kind: evaluator.Command, Command: command}, false)
		if err != nil || v.Effect != want {
			t.Errorf("%s: %s, want %s (%v)", command, v.Effect, want, err)
		}
	}
	// GR-17: a grant for one command isn't one for what begins with it.
	exact := compile([]evaluator.Grant{{Action: "shell", Resource: "git status"}})
	for command, want := range map[string]evaluator.Effect{"git status": evaluator.Allow, "git status && rm -rf build": evaluator.Ask, "git status; curl x | sh": evaluator.Ask, "git statusx": evaluator.Ask} {
		v, err := exact.Evaluate(evaluator.Action{Kind: evaluator.Command, Command: command}, false)
		if err != nil || v.Effect != want {
			t.Errorf("%s: %s, want %s (%v)", command, v.Effect, want, err)
		}
	}
	// The step that writes them is the session's update with those very bytes.
	ops, err := opencode2.Boundary().(broker.RuleWriter).WriteRules("s", with.RuleSet.Native)
	if err != nil || len(ops) != 1 || string(ops[0].Arguments) != `{"sessionID":"s","permissions":`+string(with.RuleSet.Native)+`}` {
		t.Errorf("%v %v", ops, err)
	}
	if _, err := opencode2.Boundary().(broker.RuleWriter).WriteRules("s", []byte(`[{"action":"shell"}]`)); err == nil {
		t.Error("half a rule was written")
	}
}

// TestUnsupportedForms holds that what can't be shown is cancelled at once, in
// every mode, and that the turn fails with the reason.
func TestUnsupportedForms(t *testing.T) {
	for field, want := range map[string]string{
		`{"key":"a","type":"number"}`:                                    `type "number"`,
		`{"key":"a","type":"boolean"}`:                                   `type "boolean"`,
		`{"key":"a","type":"external","url":"https://x"}`:                `type "external"`,
		`{"key":"a","type":"string","external":true}`:                    "link",
		`{"key":"a","type":"string","hidden":true}`:                      "hidden",
		`{"key":"a","type":"string","when":[{"key":"b"}]}`:               "depends",
		`{"key":"a","type":"string"},{"key":"a","type":"string"}`:        "two of its fields",
		`{"key":" ","type":"string"}`:                                    "no key",
		`{"key":"a"}`:                                                    `type ""`,
		``:                                                               "no fields",
		`{"key":"a","type":"string","when":[],"hidden":false}`:           "",
		`{"key":"a","type":"multiselect","options":[{"value":"x"}]}`:     "",
		`{"key":"a","type":"string","custom":false,"options":[],"x":{}}`: "",
	} {
		r := asking(t, "form.created", `{"form":{"id":"f","sessionID":"s","fields":[`+field+`]}}`)
		a, why, auto := opencode2.Boundary().Automatic(evaluator.Cell{}, r)
		got := say(r, broker.Answer{Decision: broker.Cancel})
		if want == "" {
			if auto || got != `session.form.cancel {"formID":"f"}` {
				t.Errorf("%s: %v %s", field, why, got)
			}
			continue
		}
		if !auto || a.Decision != broker.Cancel || !strings.Contains(why, want) {
			t.Errorf("%s: %v %q", field, auto, why)
		}
		if !strings.HasPrefix(got, `session.form.cancel {"formID":"f"}`+"\n"+`session.fail-turn {"reason":"`) {
			t.Errorf("%s: %s", field, got)
		}
	}
}

// TestForms is the way of answers back: values and not labels, a list where
// several can be chosen (QU-02), another text where the field takes one.
func TestForms(t *testing.T) {
	r := asking(t, "form.created", `{"form":{"id":"f","sessionID":"s","fields":[
		{"key":"one","type":"string","options":[{"value":"v1","label":"L1"}]},
		{"key":"free","type":"string","custom":true,"options":[{"value":"v1","label":"L1"}]},
		{"key":"many","type":"multiselect","options":[{"value":"a","label":"A"},{"value":"b","label":"B"},{"value":"c","label":"C"}]}]}}`)
	type answers = map[string][]string
	for _, c := range []struct {
		a    answers
		want string
	}{
		{answers{"one": {"v1"}, "free": {"mine"}, "many": {"a", "c"}}, `session.form.reply {"formID":"f","answer":{"free":"mine","many":["a","c"],"one":"v1"}}`},
		{answers{"one": {"v1"}, "free": {"v1"}, "many": {"b"}}, `session.form.reply {"formID":"f","answer":{"free":"v1","many":["b"],"one":"v1"}}`},
		{answers{"one": {"L1"}, "free": {"v1"}, "many": {"b"}}, "not offered"},
		{answers{"one": {"other"}, "free": {"v1"}, "many": {"b"}}, "not offered"},
		{answers{"one": {"v1", "v1"}, "free": {"v1"}, "many": {"b"}}, "not offered"},
		{answers{"one": {"v1"}, "many": {"b"}}, "not offered"},
	} {
		if got := say(r, broker.Answer{Answers: c.a}); got != c.want {
			t.Errorf("%v: %s, want %s", c.a, got, c.want)
		}
	}
}

// TestRecordedAnswer compares the operation of the recorded answer with the
// recorded call.
func TestRecordedAnswer(t *testing.T) {
	var asked, sent jsontext.Value
	for _, f := range recording(t).Frames {
		switch {
		case f.EventData("form.created").There():
			asked = f.Data
		case f.Kind == livetest.Outbound && f.Operation == opencode2.CallFormReply:
			sent = f.Input.Raw()
		}
	}
	r, err := opencode2.Boundary().Request(asked)
	if err != nil {
		t.Fatal(err)
	}
	compact := sent
	if err := compact.Compact(); err != nil {
		t.Fatal(err)
	}
	ops, err := opencode2.Boundary().Operations(r, broker.Answer{Answers: map[string][]string{"q0": {"blue"}}})
	if err != nil || len(ops) != 1 || ops[0].Call != opencode2.CallFormReply || string(ops[0].Arguments) != string(compact) {
		t.Errorf("%v %v, want %s", ops, err, sent)
	}
}

func FuzzOperations(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(operationsDir, "*.txt"))
	for _, file := range files {
		f.Add(brokertest.Native(f, file))
	}
	f.Fuzz(func(t *testing.T, native []byte) {
		r, err := opencode2.Boundary().Request(native)
		if err == nil {
			brokertest.Holds(t, opencode2.Boundary(), r)
			return
		}
		var whole map[string]json.RawMessage
		if json.Unmarshal(native, &whole) != nil || whole["data"] != nil {
			return
		}
		var id, session string
		if json.Unmarshal(whole["id"], &id) == nil && json.Unmarshal(whole["sessionID"], &session) == nil && id != "" && session != "" && whole["form"] == nil {
			t.Errorf("%s has an id and a session and can't be answered: %v", native, err)
		}
	})
}

package claude

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

const operationsDir = "../../testdata/operations/claude"

func TestOperationsGolden(t *testing.T) {
	brokertest.Goldens(t, Boundary(), evaluator.Claude, operationsDir, *update)
}

func asking(t *testing.T, request string) broker.Request {
	t.Helper()
	r, err := Boundary().Request([]byte(`{"type":"control_request","request_id":"r","request":` + request + `}`))
	if err != nil {
		t.Fatal(err)
	}
	brokertest.Holds(t, Boundary(), r)
	return r
}

// last is the answer inside of the control response, after what comes before it.
func last(t *testing.T, r broker.Request, a broker.Answer) string {
	t.Helper()
	ops, err := Boundary().Operations(r, a)
	if err != nil {
		return "not offered"
	}
	var line struct {
		Response struct {
			RequestID string `json:"request_id"`
			Subtype   string
			Response  json.RawMessage
		}
	}
	if err := json.Unmarshal(ops[len(ops)-1].Arguments, &line); err != nil || line.Response.RequestID != "r" {
		t.Fatalf("%s", ops[len(ops)-1].Arguments)
	}
	if line.Response.Subtype != "success" {
		return line.Response.Subtype
	}
	return string(line.Response.Response)
}

// TestReplies is the table of replies, typed by hand: accept, acceptForSession,
// acceptAlways, decline, cancel.
func TestReplies(t *testing.T) {
	const none = "not offered"
	yes := `{"behavior":"allow","updatedInput":{"command":"ls"}}`
	session := func(updates string) string {
		return `{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":` + updates + `}`
	}
	no := `{"behavior":"deny","message":"User declined tool execution."}`
	end := `{"behavior":"deny","message":"User cancelled tool execution.","interrupt":true}`
	for _, c := range []struct {
		name, more string
		want       [5]string
	}{
		{"without suggestions", ``, [5]string{yes, session(`[{"behavior":"allow","destination":"session","rules":[{"toolName":"Bash"}],"type":"addRules"}]`), none, no, end}},
		{"a suggestion for a settings file", `,"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls *"}],"behavior":"allow","destination":"userSettings"}]`,
			[5]string{yes, session(`[{"behavior":"allow","destination":"session","rules":[{"toolName":"Bash","ruleContent":"ls *"}],"type":"addRules"}]`), none, no, end}},
		{"suggestions that open edits", `,"permission_suggestions":[{"type":"addDirectories","directories":["/x"],"destination":"session"},{"type":"setMode","mode":"acceptEdits","destination":"session"}]`,
			[5]string{yes, session(`[{"destination":"session","directories":["/x"],"type":"addDirectories"},{"destination":"session","mode":"acceptEdits","type":"setMode"}]`), none, no, end}},
		{"a rule beside the mode", `,"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls *"}],"behavior":"allow","destination":"localSettings"},{"type":"setMode","mode":"acceptEdits","destination":"session"}]`,
			[5]string{yes, session(`[{"behavior":"allow","destination":"session","rules":[{"toolName":"Bash","ruleContent":"ls *"}],"type":"addRules"}]`), none, no, end}},
		{"a mode that asks nothing", `,"permission_suggestions":[{"type":"setMode","mode":"bypassPermissions","destination":"session"}]`, [5]string{yes, none, none, no, end}},
		{"a removal of everything", `,"suppress_always_allow_rule":true`, [5]string{yes, none, none, no, end}},
		{"an ask rule", `,"decision_reason_type":"rule"`, [5]string{yes, none, none, no, end}},
		{"a safety check", `,"decision_reason_type":"safetyCheck"`, [5]string{yes, none, none, no, end}},
		{"plan", `,"decision_reason_type":"mode"`, [5]string{yes, none, none, no, end}},
		{"a person each time", `,"requires_user_interaction":true`, [5]string{yes, none, none, no, end}},
	} {
		r := asking(t, `{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"`+c.more+`}`)
		for i, d := range brokertest.Decisions() {
			if got := last(t, r, broker.Answer{Decision: d}); got != c.want[i] {
				t.Errorf("%s, %s: %s, want %s", c.name, d, got, c.want[i])
			}
		}
	}
}

// TestKindsOfTools is the table of exact names, typed by hand.
func TestKindsOfTools(t *testing.T) {
	for kind, names := range map[evaluator.Kind]string{
		evaluator.Command:    "Bash Agent Task Monitor SendMessage TaskStop TodoWrite ToolSearch WebFetch WebSearch",
		evaluator.FileRead:   "Glob Grep LS Read",
		evaluator.FileChange: "Edit MultiEdit NotebookEdit Write",
		"":                   "Skill BashOutput ReadMcpResource mcp__files__write mcp__shell__bash Editor",
	} {
		for _, name := range strings.Fields(names) {
			if r := asking(t, fmt.Sprintf(`{"subtype":"can_use_tool","tool_name":%q,"input":{}}`, name)); r.Kind != kind || r.Shape != broker.Approval {
				t.Errorf("%s: %q, want %q", name, r.Kind, kind)
			}
		}
	}
}

// TestQuestions are QU-01, QU-02, QU-03, QU-06 and LF-03.
func TestQuestions(t *testing.T) {
	ask := func(questions string) broker.Request {
		return asking(t, `{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":`+questions+`}}`)
	}
	type answers = map[string][]string
	r := ask(`[{"id":"q1","header":"DB","question":"Which database?","multiSelect":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"}]}]`)
	for _, c := range []struct {
		name string
		a    broker.Answer
		want string
	}{
		{"QU-01, QU-02", broker.Answer{Answers: answers{"Which database?": {"a", "c"}}}, `{"behavior":"allow","updatedInput":{"answers":{"Which database?":"a, c"},"questions":[{"id":"q1","header":"DB","question":"Which database?","multiSelect":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"}]}]}}`},
		{"free text", broker.Answer{Answers: answers{"Which database?": {"none of them"}}}, `{"behavior":"allow","updatedInput":{"answers":{"Which database?":"none of them"},"questions":[{"id":"q1","header":"DB","question":"Which database?","multiSelect":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"}]}]}}`},
		{"QU-06", broker.Answer{Answers: answers{}}, "not offered"},
		{"by id", broker.Answer{Answers: answers{"q1": {"a"}}}, "not offered"},
		{"by header", broker.Answer{Answers: answers{"DB": {"a"}}}, "not offered"},
		{"LF-03", broker.Answer{Decision: broker.Cancel}, `{"behavior":"deny","message":"User dismissed the question without an answer."}`},
	} {
		if got := last(t, r, c.a); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	single := ask(`[{"question":"Which one?","options":[{"label":"a"},{"label":"b"}]}]`)
	if got := last(t, single, broker.Answer{Answers: answers{"Which one?": {"a", "b"}}}); got != "not offered" {
		t.Errorf("QU-02, a list for one: %s", got)
	}
	same := ask(`[{"id":"q1","question":"Which one?"},{"id":"q2","question":"Which one?"}]`)
	if a, why, ok := Boundary().Automatic(evaluator.Cell{}, same); !ok || a.Decision != broker.Cancel || !strings.Contains(why, "one text") {
		t.Errorf("QU-03: %v %q %v", a, why, ok)
	}
}

// TestCallback is the order of the callback in every cell: questions and plans
// before full access, also in plan.
func TestCallback(t *testing.T) {
	bash := asking(t, `{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}`)
	question := asking(t, `{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"?","options":[{"label":"a"}]}]}}`)
	plan := asking(t, `{"subtype":"can_use_tool","tool_name":"ExitPlanMode","input":{"plan":"# P"}}`)
	for _, mode := range evaluator.Modes() {
		for _, interaction := range evaluator.Interactions() {
			cell := evaluator.Cell{Provider: evaluator.Claude, Mode: mode, Interaction: interaction}
			if _, _, ok := Boundary().Automatic(cell, question); ok {
				t.Errorf("%s: a question is answered by itself", cell)
			}
			if a, _, ok := Boundary().Automatic(cell, plan); !ok || a.Decision != broker.Decline {
				t.Errorf("%s: a plan: %v %v", cell, a, ok)
			}
			a, _, ok := Boundary().Automatic(cell, bash)
			if want := mode == evaluator.FullAccess; ok != want || ok && a.Decision != broker.Accept {
				t.Errorf("%s: %v %v", cell, a, ok)
			}
			for word, want := range map[string]bool{"ask": false, "allow": true} {
				native := `{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":null,"permissions":{"allow":[],"ask":[],"deny":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"` + word + `"}}`
				tr, err := Boundary().(broker.Follower).Follow([]byte(native), evaluator.Env{})
				if err != nil {
					t.Fatal(err)
				}
				if _, _, ok := tr.Automatic(cell, bash); ok != want {
					t.Errorf("%s, callback %s: %v", cell, word, ok)
				}
				if _, _, ok := tr.Automatic(cell, question); ok {
					t.Errorf("%s, callback %s: a question is answered by itself", cell, word)
				}
			}
		}
	}
}

// TestPlans holds that a plan is proposed before the exit is refused, and that
// there is no proposal without a text.
func TestPlans(t *testing.T) {
	for plan, want := range map[string]int{`{"plan":"# P\n"}`: 2, `{"plan":" \n"}`: 1, `{}`: 1, `{"plan":7}`: 1} {
		r := asking(t, `{"subtype":"can_use_tool","tool_name":"ExitPlanMode","input":`+plan+`}`)
		ops, err := Boundary().Operations(r, broker.Answer{Decision: broker.Decline})
		if err != nil || len(ops) != want {
			t.Errorf("%s: %v %v", plan, ops, err)
			continue
		}
		if want == 2 && (ops[0].Call != broker.ProposePlan || string(ops[0].Arguments) != `{"markdown":"# P\n"}`) {
			t.Errorf("%s: %v", plan, ops)
		}
		if got := last(t, r, broker.Answer{Decision: broker.Decline}); !strings.HasPrefix(got, `{"behavior":"deny"`) {
			t.Errorf("%s: %s", plan, got)
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
		var id string
		if json.Unmarshal(native, &least) == nil && json.Unmarshal(least["request_id"], &id) == nil && id != "" {
			t.Errorf("%s has the id %s and can't be answered: %v", native, id, err)
		}
	})
}

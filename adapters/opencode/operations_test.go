package opencode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/brokertest"
	"github.com/modegate/modegate/evaluator"
)

const (
	askBash     = `{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["echo a","touch b"],"always":["echo *","touch *"],"metadata":{"command":"echo a > x; touch b"}}`
	askEdit     = `{"id":"per_1","sessionID":"ses_1","permission":"edit","patterns":["a.go"],"always":["*"],"metadata":{"filepath":"/w/a.go","diff":"+x"},"tool":{"messageID":"msg_1","callID":"c"}}`
	askRead     = `{"id":"per_1","sessionID":"ses_1","permission":"read","patterns":[".env"],"always":[]}`
	askOutside  = `{"id":"per_1","sessionID":"ses_1","permission":"external_directory","patterns":["/etc/*"],"always":["/etc/*"],"metadata":{}}`
	askTask     = `{"id":"per_1","sessionID":"ses_1","permission":"task","patterns":["general"],"always":["*"],"metadata":{}}`
	askUnknown  = `{"id":"per_1","sessionID":"ses_1","permission":"srv_tool","patterns":["*"],"always":["*"],"metadata":{},"later":1}`
	askBroken   = `{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":7,"always":["*"]}`
	askLoop     = `{"id":"per_1","sessionID":"ses_1","permission":"doom_loop","patterns":["bash"],"always":["bash"],"metadata":{}}`
	askQuestion = `{"id":"que_1","sessionID":"ses_1","questions":[{"question":"Which?","header":"H","options":[{"label":"A","description":"a"},{"label":"B"}],"multiple":true,"custom":false},{"question":"Why?","header":"W","options":[]}]}`
)

// TestRequests holds what is made of 1.x's requests.
func TestRequests(t *testing.T) {
	for _, c := range []struct{ native, want string }{
		{askBash, `approval "command" "bash: echo a > x; touch b" accept, acceptForSession (allow echo *, touch * this session), decline, cancel`},
		{askEdit, `approval "file-change" "edit: a.go" accept, acceptForSession (allow every edit this session), decline, cancel; +x`},
		{askRead, `approval "file-read" "read: .env" accept, decline, cancel`},
		{askOutside, `approval "" "external_directory: /etc/*" accept, acceptForSession (allow external_directory /etc/* this session), decline, cancel`},
		{askTask, `approval "" "task: general" accept, acceptForSession (allow every task this session), decline, cancel; ` + freeSubagent},
		{askLoop, `approval "" "doom_loop: the same call of bash again and again" accept, acceptForSession (allow doom_loop bash this session), decline, cancel; ` + ownRules},
		{askUnknown, `approval "" "srv_tool: *" accept, acceptForSession (allow every srv_tool this session), decline, cancel; ` + askUnknown},
		{askBroken, `approval "command" "bash" accept, decline, cancel; ` + askBroken},
		{askQuestion, `question "" "Which?" cancel; 2 questions, the first with 2 options, custom false, multiple true`},
	} {
		r, err := Boundary().Request([]byte(c.native))
		if err != nil {
			t.Fatal(err)
		}
		var offers []string
		for _, o := range r.Offered {
			text := string(o.Decision)
			if len(o.Grants) > 0 {
				text += " (" + o.Label + ")"
			}
			offers = append(offers, text)
		}
		got := fmt.Sprintf("%s %q %q %s", r.Shape, r.Kind, r.Title, strings.Join(offers, ", "))
		if r.Detail != "" {
			got += "; " + r.Detail
		}
		if len(r.Questions) > 0 {
			q := r.Questions[0]
			got += fmt.Sprintf("; %d questions, the first with %d options, custom %v, multiple %v", len(r.Questions), len(q.Options), q.Custom, q.Multiple)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.native, d)
		}
	}
	for _, native := range []string{`{}`, `7`, `{"id":"per_1"}`, `{"id":7,"sessionID":"ses_1"}`} {
		if r, err := Boundary().Request([]byte(native)); err == nil {
			t.Errorf("%s: %v", native, r)
		}
	}
}

func TestControls(t *testing.T) {
	var natives [][]byte
	for _, native := range []string{askBash, askEdit, askRead, askOutside, askTask, askUnknown, askBroken, askLoop, askQuestion} {
		natives = append(natives, []byte(native))
	}
	brokertest.Controls(t, Boundary(), natives...)
}

// TestOperations is the table of decisions and what they come to.
func TestOperations(t *testing.T) {
	const declined = "The user declined this (edit: a.go). Don't try it again or reach the same by other means; go on without it, or say what you would need."
	answers := func(pairs ...[]string) broker.Answer {
		a := broker.Answer{Answers: map[string][]string{}}
		for i, p := range pairs {
			a.Answers[questionID(i)] = p
		}
		return a
	}
	for _, c := range []struct {
		native string
		answer broker.Answer
		want   string // one operation a line, or an error
	}{
		{askEdit, broker.Answer{Decision: broker.Accept}, `permission.reply {"requestID":"per_1","reply":"once"}`},
		{askBash, broker.Answer{Decision: broker.AcceptForSession}, `permission.reply {"requestID":"per_1","reply":"once"}` + "\n" +
			`session.keep-grants [{"action":"bash","resource":"echo *"},{"action":"bash","resource":"touch *"}]`},
		{askEdit, broker.Answer{Decision: broker.Decline}, `permission.reply {"requestID":"per_1","reply":"reject","message":"` + declined + `"}`},
		{askEdit, broker.Answer{Decision: broker.Cancel}, `permission.reply {"requestID":"per_1","reply":"reject"}`},
		{askUnknown, broker.Answer{Decision: broker.Accept}, `permission.reply {"requestID":"per_1","reply":"once"}`},
		{askBroken, broker.Answer{Decision: broker.Cancel}, `permission.reply {"requestID":"per_1","reply":"reject"}`},
		{askRead, broker.Answer{Decision: broker.AcceptForSession}, `request per_1 doesn't offer "acceptForSession"`},
		{askEdit, broker.Answer{Decision: "acceptAlways"}, `request per_1 doesn't offer "acceptAlways"`},
		{askEdit, broker.Answer{}, `request per_1 doesn't offer ""`},
		{askEdit, answers([]string{"A"}), `request per_1 takes a decision, not answers`},
		{askQuestion, answers([]string{"A", "B"}, []string{"so"}), `question.reply {"requestID":"que_1","answers":[["A","B"],["so"]]}`},
		{askQuestion, broker.Answer{Decision: broker.Cancel}, `question.reject {"requestID":"que_1"}`},
		{askQuestion, broker.Answer{Decision: broker.Accept}, `question que_1 takes answers or cancel, not "accept"`},
		{askQuestion, answers([]string{"A"}), `question que_1: no answer to question-1`},
		{askQuestion, answers([]string{"C"}, []string{"so"}), `question que_1: question-0 doesn't offer "C"`},
		{askQuestion, answers([]string{"A"}, []string{" "}), `question que_1: an answer to question-1 is empty`},
		{askQuestion, answers([]string{"A"}, []string{"so", "or"}), `question que_1: question-1 takes one answer, not 2`},
	} {
		r, err := Boundary().Request([]byte(c.native))
		if err != nil {
			t.Fatal(err)
		}
		ops, err := Boundary().Operations(r, c.answer)
		var lines []string
		for _, op := range ops {
			lines = append(lines, op.Call+" "+string(op.Arguments))
		}
		got := strings.Join(lines, "\n")
		if err != nil {
			got = err.Error()
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s %v: %s", c.native, c.answer, d)
		}
		if strings.Contains(got, "always") {
			t.Errorf("an answer is the provider's always: %s", got)
		}
	}
}

// TestAutomatic holds what full access answers by itself: repeated calls alone.
func TestAutomatic(t *testing.T) {
	for _, mode := range evaluator.Modes() {
		for _, native := range []string{askLoop, askBash, askQuestion, askOutside, askBroken} {
			r, err := Boundary().Request([]byte(native))
			if err != nil {
				t.Fatal(err)
			}
			a, _, ok := Boundary().Automatic(evaluator.Cell{Provider: evaluator.OpenCode, Mode: mode}, r)
			if want := mode == evaluator.FullAccess && native == askLoop; ok != want || ok && a.Decision != broker.Accept {
				t.Errorf("%s %s: %v %v", mode, native, a, ok)
			}
		}
	}
}

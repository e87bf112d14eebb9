package live_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/evaluator"
)

// TestPerform answers in steps of somebody else's: those that say the answer to
// the request are performed as they are, others refused, and then the request
// still waits.
func TestPerform(t *testing.T) {
	question := map[string]any{"id": "que_1", "sessionID": "ses_1", "questions": []any{map[string]any{"question": "Which?", "header": "H", "options": []any{map[string]any{"label": "A"}}}}}
	step := func(call, arguments string) []broker.Operation {
		return []broker.Operation{{Call: call, Arguments: []byte(arguments)}}
	}
	once := step("permission.reply", `{"requestID":"per_1","reply":"once"}`)
	for _, c := range []struct {
		name     string
		question bool
		decision broker.Decision
		steps    []broker.Operation
		told     string // "" when they are refused
	}{
		{"accept", false, broker.Accept, once, "once per_1"},
		{"for the session", false, broker.AcceptForSession, once, "once per_1"},
		{"decline", false, broker.Decline, step("permission.reply", `{"requestID":"per_1","reply":"reject","message":"no"}`), "reject per_1"},
		{"cancel", false, broker.Cancel, step("permission.reply", `{"requestID":"per_1","reply":"reject"}`), "reject per_1"},
		{"answers", true, "", step("question.reply", `{"requestID":"que_1","answers":[["A"]]}`), "reply que_1"},
		{"dismissed", true, broker.Cancel, step("question.reject", `{"requestID":"que_1"}`), "reject que_1"},

		{"no step", false, broker.Accept, nil, ""},
		{"two steps", false, broker.Accept, append(once, once...), ""},
		{"another request", false, broker.Accept, step("permission.reply", `{"requestID":"per_2","reply":"once"}`), ""},
		{"always", false, broker.AcceptForSession, step("permission.reply", `{"requestID":"per_1","reply":"always"}`), ""},
		{"a refusal that allows", false, broker.Decline, once, ""},
		{"a cancel that allows", false, broker.Cancel, once, ""},
		{"a decline that ends the run", false, broker.Decline, step("permission.reply", `{"requestID":"per_1","reply":"reject"}`), ""},
		{"a cancel that lets it go on", false, broker.Cancel, step("permission.reply", `{"requestID":"per_1","reply":"reject","message":"no"}`), ""},
		{"an accept that refuses", false, broker.Accept, step("permission.reply", `{"requestID":"per_1","reply":"reject"}`), ""},
		{"a decision that isn't offered", false, broker.AcceptAlways, once, ""},
		{"no decision", false, "", once, ""},
		{"an unknown field", false, broker.Accept, step("permission.reply", `{"requestID":"per_1","reply":"once","scope":"all"}`), ""},
		{"another call", false, broker.Accept, step("session.update", `{"requestID":"per_1","reply":"once"}`), ""},
		{"a question's call", false, broker.Cancel, step("question.reject", `{"requestID":"per_1"}`), ""},
		{"too few answers", true, "", step("question.reply", `{"requestID":"que_1","answers":[]}`), ""},
		{"answers that dismiss", true, "", step("question.reject", `{"requestID":"que_1"}`), ""},
		{"an approval of a question", true, broker.Accept, step("question.reply", `{"requestID":"que_1","answers":[["A"]]}`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := livetest.NewFake(t)
			f.Agent = asks(shellAsk("per_1", "ls"))
			if c.question {
				f.Agent = asks(question)
			}
			p := &someone{}
			p.opened = func(id string) {
				err := p.d.Perform(p.titles[id], broker.Delivery{Answer: decide(c.decision), Operations: c.steps, By: broker.ByPerson, Reason: "by alice"})
				if (err == nil) != (c.told != "") {
					t.Errorf("performed: %v", err)
				}
				if err != nil { // it waits
					if err := p.d.Answer(p.titles[id], decide(broker.Cancel)); err != nil {
						t.Error(err)
					}
				}
			}
			drive(t, t.Context(), f, evaluator.ApprovalRequired, live.DriverOptions{}, p)
			want := c.told
			if want == "" {
				want = fmt.Sprintf("reject %s", map[bool]string{false: "per_1", true: "que_1"}[c.question])
			}
			told := f.Log()[2:]
			if d := cmp.Diff(want, strings.Join(told[:1], "")); d != "" || len(told) > 1 && told[1] != "abort ses_1" {
				t.Errorf("the server was told %v", told)
			}
		})
	}
}

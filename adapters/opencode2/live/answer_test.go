package live_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// TestPerform answers in steps of somebody else's: those that say the answer to
// the request are performed as they are, others refused, and then the request
// still waits.
func TestPerform(t *testing.T) {
	step := func(call, arguments string) broker.Operation {
		return broker.Operation{Call: call, Arguments: []byte(arguments)}
	}
	type steps = []broker.Operation
	once := step("session.permission.reply", `{"sessionID":"ses_1","requestID":"per_a","decision":"once"}`)
	reject := step("session.permission.reply", `{"sessionID":"ses_1","requestID":"per_a","decision":"reject"}`)
	refuse := step("session.permission.reply", `{"sessionID":"ses_1","requestID":"per_a","decision":"reject","message":"no"}`)
	note := step("session.synthetic", `{"sessionID":"ses_1","text":"no","delivery":"steer","resume":false}`)
	update := step("session.update", `{"sessionID":"ses_1","permissions":[{"action":"*","resource":"*","effect":"ask"},{"action":"shell","resource":"echo *","effect":"allow"}]}`)
	reply := step("session.form.reply", `{"sessionID":"ses_1","formID":"frm_a","answer":{"q0":"v2"}}`)
	dismiss := step("session.form.cancel", `{"sessionID":"ses_1","formID":"frm_a"}`)
	fail := step(broker.FailTurn, `{"reason":"so"}`)
	field := livetest.Field{Key: "q0", Title: "Color", Description: "Which?", Type: "string", Options: []livetest.Option{{Value: "v1", Label: "Red"}, {Value: "v2", Label: "Blue"}}}
	asks := func(t *livetest.Turn) { t.Question("frm_a", field) }
	for _, c := range []struct {
		name     string
		agent    livetest.Agent
		decision broker.Decision
		steps    steps
		told     []string // nil when they are refused
	}{
		{"accept", commands("echo 1"), broker.Accept, steps{once}, []string{"once per_a"}},
		{"for the session", commands("echo 1", "echo 2"), broker.AcceptForSession, steps{update, once}, []string{"update", "once per_a"}},
		{"decline", commands("echo 1"), broker.Decline, steps{note, refuse}, []string{"note", "reject+ per_a"}},
		{"cancel", commands("echo 1"), broker.Cancel, steps{reject}, []string{"reject per_a", "interrupt ses_1"}},
		{"answers", asks, "", steps{reply}, []string{"answer frm_a"}},
		{"dismissed", asks, broker.Cancel, steps{dismiss}, []string{"cancel frm_a"}},
		{"dismissed, and the turn fails", asks, broker.Cancel, steps{dismiss, fail}, []string{"cancel frm_a", "interrupt ses_1"}},

		{"no step", commands("echo 1"), broker.Accept, nil, nil},
		{"no reply", commands("echo 1"), broker.AcceptForSession, steps{update}, nil},
		{"two replies", commands("echo 1"), broker.Accept, steps{once, once}, nil},
		{"rules without a grant", commands("echo 1"), broker.Accept, steps{update, once}, nil},
		{"rules after the reply", commands("echo 1"), broker.AcceptForSession, steps{once, update}, nil},
		{"a refusal that allows", commands("echo 1"), broker.Decline, steps{note, once}, nil},
		{"a cancel that allows", commands("echo 1"), broker.Cancel, steps{once}, nil},
		{"an accept that refuses", commands("echo 1"), broker.Accept, steps{reject}, nil},
		{"a decline that ends the run", commands("echo 1"), broker.Decline, steps{note, reject}, nil},
		{"a cancel that lets it go on", commands("echo 1"), broker.Cancel, steps{refuse}, nil},
		{"always", commands("echo 1"), broker.Accept, steps{step("session.permission.reply", `{"sessionID":"ses_1","requestID":"per_a","decision":"always"}`)}, nil},
		{"another request", commands("echo 1"), broker.Accept, steps{step("session.permission.reply", `{"sessionID":"ses_1","requestID":"per_b","decision":"once"}`)}, nil},
		{"another session", commands("echo 1"), broker.Accept, steps{step("session.permission.reply", `{"sessionID":"ses_2","requestID":"per_a","decision":"once"}`)}, nil},
		{"another session's rules", commands("echo 1"), broker.AcceptForSession, steps{step("session.update", `{"sessionID":"ses_2","permissions":[]}`), once}, nil},
		{"a decision that isn't offered", commands("echo 1"), broker.AcceptAlways, steps{once}, nil},
		{"no decision", commands("echo 1"), "", steps{once}, nil},
		{"an unknown field", commands("echo 1"), broker.Accept, steps{step("session.permission.reply", `{"sessionID":"ses_1","requestID":"per_a","decision":"once","scope":"all"}`)}, nil},
		{"an unknown call", commands("echo 1"), broker.Accept, steps{step("session.delete", `{"sessionID":"ses_1"}`)}, nil},
		{"a form that is accepted", asks, broker.Accept, steps{reply}, nil},
		{"answers that dismiss", asks, "", steps{dismiss}, nil},
		{"another form", asks, "", steps{step("session.form.reply", `{"sessionID":"ses_1","formID":"frm_b","answer":{}}`)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.agent, func(t *testing.T, s *livetest.Server) {
				d, err := open(t, s, live.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				p := &person{d: d}
				p.opened = func(r broker.Request) {
					err := d.Perform(r, broker.Delivery{Answer: decide(c.decision), Operations: c.steps, By: broker.ByPerson})
					if (err == nil) != (c.told != nil) {
						t.Errorf("performed: %v", err)
					}
					if err != nil { // it waits
						if err := d.Answer(r, decide(broker.Cancel)); err != nil {
							t.Error(err)
						}
					}
				}
				d.Run(t.Context(), "go", p)
				told := s.Told()[2:]
				if c.told == nil {
					if len(s.Ran()) > 0 || len(told) == 0 || !strings.HasPrefix(told[0], "reject per_a") && told[0] != "cancel frm_a" {
						t.Errorf("told %v, ran %v", told, s.Ran())
					}
				} else if d := cmp.Diff(c.told, told); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

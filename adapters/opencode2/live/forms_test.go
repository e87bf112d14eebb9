package live_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// TestFormsThatCannotBeShown cancels them at once, without a person, and fails the
// turn with the reason, also when the cancel itself can't be delivered.
func TestFormsThatCannotBeShown(t *testing.T) {
	fine := livetest.Field{Key: "q0", Type: "string", Custom: true}
	twice := []livetest.Fault{livetest.Fails, livetest.Fails}
	for _, c := range []struct {
		name   string
		field  livetest.Field
		faults []livetest.Fault
		reason string
		told   []string
		closed string
	}{
		{"depends on another", livetest.Field{Key: "q1", Type: "string", When: map[string]string{"key": "q0", "op": "eq", "value": "x"}}, nil,
			`OpenCode asked with a form that can't be shown: its field "q1" depends on another`, []string{"cancel frm_a", "interrupt ses_1"}, "frm_a cancel mode"},
		{"hidden", livetest.Field{Key: "q1", Type: "string", Hidden: true}, nil,
			`OpenCode asked with a form that can't be shown: its field "q1" is hidden`, []string{"cancel frm_a", "interrupt ses_1"}, "frm_a cancel mode"},
		{"external", livetest.Field{Key: "q1", Type: "string", External: true}, nil,
			`OpenCode asked with a form that can't be shown: its field "q1" wants a link to be opened`, []string{"cancel frm_a", "interrupt ses_1"}, "frm_a cancel mode"},
		{"a number", livetest.Field{Key: "q1", Type: "number"}, nil,
			`OpenCode asked with a form that can't be shown: its field "q1" is of the type "number"`, []string{"cancel frm_a", "interrupt ses_1"}, "frm_a cancel mode"},
		{"a boolean", livetest.Field{Key: "q1", Type: "boolean"}, nil,
			`OpenCode asked with a form that can't be shown: its field "q1" is of the type "boolean"`, []string{"cancel frm_a", "interrupt ses_1"}, "frm_a cancel mode"},
		{"a boolean that can't be cancelled", livetest.Field{Key: "q1", Type: "boolean"}, twice,
			`the answer to "a form that can't be shown: its field \"q1\" is of the type \"boolean\"" can't be delivered`, []string{"cancel frm_a", "cancel frm_a", "cancel frm_a", "interrupt ses_1"}, "frm_a cancel stop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *livetest.Turn) { t.Question("frm_a", fine, c.field) }, func(t *testing.T, s *livetest.Server) {
				s.Fail("session.form.cancel", c.faults...)
				p := &person{}
				out := run(t, must(t, s, live.Options{}), p)
				if out.End != broker.Failed || !strings.HasPrefix(out.Reason, c.reason) {
					t.Errorf("%s: %s", out.End, out.Reason)
				}
				if d := cmp.Diff(c.told, s.Told()[2:]); d != "" {
					t.Error(d)
				}
				if d := cmp.Diff([]string{c.closed}, p.closed()); d != "" {
					t.Error(d)
				}
				if len(p.requests) > 0 || len(s.Waiting()) > 0 || s.Running() {
					t.Errorf("shown %v, waiting %v, running %v", p.requests, s.Waiting(), s.Running())
				}
			})
		})
	}
}

// TestCancelRoute finds the route by which a server cancels forms, whatever it says
// to the other one.
func TestCancelRoute(t *testing.T) {
	for _, no := range []livetest.Fault{"", livetest.Page, livetest.NoRoute, livetest.NoMethod} {
		synctest.Test(t, func(t *testing.T) {
			s := livetest.Start(t, livetest.Options{Agent: question, NoDelete: no})
			p := &person{answers: map[string]broker.Answer{"frm_a": decide(broker.Cancel)}}
			out := run(t, must(t, s, live.Options{}), p)
			if out.End != broker.Cancelled || len(s.Waiting()) > 0 {
				t.Errorf("%q: %s (%s), waiting %v", no, out.End, out.Reason, s.Waiting())
			}
			if d := cmp.Diff([]string{"frm_a cancel person"}, p.closed()); d != "" {
				t.Errorf("%q: %s", no, d)
			}
		})
	}
}

// TestDeclinedForm refuses a decision that forms don't have: declining is
// cancelling here.
func TestDeclinedForm(t *testing.T) {
	bubble(t, question, func(t *testing.T, s *livetest.Server) {
		d := must(t, s, live.Options{})
		p := &person{}
		p.opened = func(q broker.Request) {
			for _, a := range []broker.Answer{decide(broker.Decline), decide(broker.Accept), {Answers: map[string][]string{"q0": {}}}, {Answers: map[string][]string{"q9": {"x"}}}} {
				if d.Answer(q, a) == nil {
					t.Errorf("%v is taken", a)
				}
			}
			if err := d.Answer(q, decide(broker.Cancel)); err != nil {
				t.Error(err)
			}
		}
		run(t, d, p)
		if d := cmp.Diff([]string{"create", "prompt", "cancel frm_a"}, s.Told()); d != "" {
			t.Error(d)
		}
	})
}

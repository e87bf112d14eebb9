package brokertest

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Holds checks what is true of every request that a Translator has read: it can
// be shown, it can be answered in every way that it offers and in no other, and
// it can be cancelled, so that nothing ever waits for good.
func Holds(t testing.TB, tr broker.Translator, r broker.Request) {
	t.Helper()
	if _, err := strictjson.Encode(r); err != nil {
		t.Errorf("the request can't be shown: %v", err)
	}
	if r.ID == "" || strings.TrimSpace(r.Title) == "" || len(r.Native) == 0 || r.Resources == nil {
		t.Errorf("the request has no id, title, resources or native form: %+v", r)
	}
	if r.Shape == broker.Questioned && r.Kind != "" {
		t.Errorf("a question has the kind %s", r.Kind)
	}
	offered := map[broker.Decision]bool{}
	for _, o := range r.Offered {
		if offered[o.Decision] || o.Label == "" || o.Scope == "" {
			t.Errorf("%q is offered twice, or without a label or a scope", o.Decision)
		}
		offered[o.Decision] = true
		if o.Decision == broker.AcceptAlways && r.Kind != broker.MCPElicitation {
			t.Error("only an MCP server's request may offer acceptAlways")
		}
		if len(o.Grants) > 0 && o.Decision != broker.AcceptForSession {
			t.Errorf("%s grants something", o.Decision)
		}
	}
	if !offered[broker.Cancel] {
		t.Error("the request can't be cancelled")
	}
	for _, d := range append(Decisions(), "", "always", "abort") {
		ops, err := tr.Operations(r, broker.Answer{Decision: d})
		if (err == nil) != offered[d] {
			t.Errorf("offers %q: %v, but its steps: %v", d, offered[d], err)
		}
		if offered[d] && len(ops) == 0 {
			t.Errorf("%q comes to nothing", d)
		}
		for _, op := range ops {
			if op.Call == "" || !op.Arguments.IsValid() {
				t.Errorf("%q comes to %q %s", d, op.Call, op.Arguments)
			}
		}
	}
	within(t, tr, r)
	if len(r.Questions) > 0 {
		answered(t, tr, r)
	}
	for _, mode := range evaluator.Modes() {
		for _, interaction := range evaluator.Interactions() {
			a, why, ok := tr.Automatic(evaluator.Cell{Mode: mode, Interaction: interaction}, r)
			if ok && (!offered[a.Decision] || why == "") {
				t.Errorf("%s/%s answers %q by itself, for %q", mode, interaction, a.Decision, why)
			}
		}
	}
}

// answered checks that a request's questions can be answered whole and in no
// other way.
func answered(t testing.TB, tr broker.Translator, r broker.Request) {
	t.Helper()
	answers := map[string][]string{}
	for _, q := range r.Questions {
		if _, twice := answers[q.ID]; twice {
			t.Errorf("two questions have the id %q", q.ID)
		}
		answers[q.ID] = []string{"some text"}
		if len(q.Options) > 0 {
			answers[q.ID] = []string{q.Options[0].Value}
		} else if !q.Custom {
			t.Errorf("%q can't be answered", q.ID)
		}
	}
	if _, err := tr.Operations(r, broker.Answer{Answers: answers}); err != nil && !refusesAlone(tr, r) {
		t.Errorf("an answer to every question: %v", err)
	}
	if _, err := tr.Operations(r, broker.Answer{Answers: map[string][]string{}}); err == nil {
		t.Error("an empty answer is taken")
	}
	delete(answers, r.Questions[0].ID)
	if _, err := tr.Operations(r, broker.Answer{Answers: answers}); err == nil {
		t.Error("a partial answer is taken")
	}
}

// refusesAlone reports whether the request is cancelled in every cell without a
// person: then no answer is due.
func refusesAlone(tr broker.Translator, r broker.Request) bool {
	a, _, ok := tr.Automatic(evaluator.Cell{Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default}, r)
	return ok && a.Decision == broker.Cancel
}

package oracle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/modegate/modegate/adapters/opencode/live"
)

// TestTold reads what was done with calls out of a session's messages.
func TestTold(t *testing.T) {
	part := func(id, status, problem string) live.Part {
		return live.Part{Type: "tool", CallID: id, State: live.ToolState{Status: status, Error: problem}}
	}
	messages := []live.Message{{Parts: []live.Part{
		{Type: "text"}, part("call_0", live.CallCompleted, ""), part("call_1", live.CallFailed, "The user has specified a rule which prevents you"),
	}}, {Parts: []live.Part{part("call_2", live.CallFailed, "rejected"), part("other", live.CallCompleted, "")}}}
	asked := map[string]bool{"call_2": true}
	if got := told(messages, asked, 3); !slices.Equal(got, []string{"allow", "deny", "ask"}) {
		t.Errorf("told %v", got)
	}
	messages[1].Parts[0].State.Status = live.CallRunning
	if got := told(messages, asked, 3); got != nil {
		t.Errorf("a call is under way, and yet %v", got)
	}
}

// TestOwn takes a row's own rules from those of the default agent.
func TestOwn(t *testing.T) {
	base := []live.NativeRule{{Action: "*", Resource: "*", Effect: "allow"}, {Action: "external_directory", Resource: "/x/*", Effect: "allow"}}
	l := &Loop{base: base}
	rules := []live.NativeRule{base[0], {Action: "external_directory", Resource: "/y/*", Effect: "allow"}, {Action: "grep", Resource: "a", Effect: "deny"}}
	got, ok := l.own(rules)
	if !ok || !slices.Equal(got, []live.Rule{{Permission: "grep", Pattern: "a", Action: "deny"}}) {
		t.Errorf("own rules %v, %v", got, ok)
	}
	if _, ok := l.own(rules[1:]); ok {
		t.Error("other default rules went unseen")
	}
}

// TestFresh pins that the same numbers make the same rows, as many as asked for.
func TestFresh(t *testing.T) {
	for name, fill := range map[string]func() int{
		"native": func() int { _, rows := (&Native{}).Fresh(rand.New(rand.NewPCG(1, 2)), 50); return len(rows) },
		"loop":   func() int { _, rows := (&Loop{}).Fresh(rand.New(rand.NewPCG(1, 2)), 50); return len(rows) },
	} {
		if got := fill(); got != 50 {
			t.Errorf("%s: %d rows", name, got)
		}
	}
	_, a := (&Native{}).Fresh(rand.New(rand.NewPCG(1, 2)), 20)
	_, b := (&Native{}).Fresh(rand.New(rand.NewPCG(1, 2)), 20)
	for i := range a {
		if string(a[i]) != string(b[i]) {
			t.Fatalf("row %d differs", i)
		}
	}
}

package callback_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
)

// TestSteps explains what a callback answers: every rule of its own is told, and the
// one that decides is marked.
func TestSteps(t *testing.T) {
	a := callback.New([]callback.Rule{
		{Kind: evaluator.Command, Match: "git push *", Effect: evaluator.Deny},
		{Kind: evaluator.Command, Match: "ls *", Effect: evaluator.Allow},
		{Kind: evaluator.OutsideWorkspace, Match: "*", Effect: evaluator.Ask},
	}, nil)
	env := evaluator.Env{Workspace: "/ws"}
	last := evaluator.Step{Part: 1, Resource: "text", Layer: callback.Layer, Native: jsontext.Value(`{"default":"ask"}`), Matched: true, Reason: "our adapter answers"}
	command := func(text string) []evaluator.Action {
		return []evaluator.Action{{Kind: evaluator.Command, Command: text}}
	}
	for _, c := range []struct {
		name  string
		asked []evaluator.Action
		want  []string // a mark, and why: > decides, + matches
	}{
		{"a rule", command("git push origin"), []string{
			"> it decides: our adapter answers deny", "  it doesn't match", "  it doesn't match", "  rule 0 of the callback says deny",
		}},
		{"more than its words say", command("A=1 ls"), []string{
			"  it doesn't match", "> it decides; our adapter answers ask, because the text does more than its commands say", "  it doesn't match", "  rule 1 of the callback says ask",
		}},
		{"one of two commands", command("make && ls"), []string{
			"  it doesn't match", "+ it matches, and a later or stricter rule decides, or it doesn't speak of all of it", "  it doesn't match", "+ our adapter answers",
		}},
		{"the stricter of two conditions", []evaluator.Action{{Kind: evaluator.Command, Command: "ls", Cwd: "/out"}}, []string{
			"  it doesn't match", "+ it matches, and a later or stricter rule decides, or it doesn't speak of all of it", "> it decides: our adapter answers ask", "  rule 2 of the callback says ask",
		}},
		{"a request that shows nothing", nil, []string{
			"  the request doesn't show what the policy's words are about", "  the request doesn't show what the policy's words are about", "  the request doesn't show what the policy's words are about", "+ our adapter answers",
		}},
	} {
		var got []string
		for i, s := range a.Steps(c.asked, env, last) {
			mark := " "
			if s.Matched {
				mark = "+"
			}
			if s.Decided {
				mark = ">"
			}
			got = append(got, mark+" "+s.Reason)
			if s.Part != 1 || s.Resource != "text" || s.Layer != callback.Layer || i < 3 && s.Pointer != fmt.Sprintf("/callback/rules/%d", i) {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

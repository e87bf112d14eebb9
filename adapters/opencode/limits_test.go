package opencode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// TestLimits holds what a session's rules are said not to reach: only what lets
// more happen than they say.
func TestLimits(t *testing.T) {
	rules := func(list ...string) string {
		var out []string
		for _, r := range list {
			f := strings.Fields(r)
			out = append(out, fmt.Sprintf(`{"permission":%q,"pattern":%q,"action":%q}`, f[0], f[1], f[2]))
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	agent := func(list ...evaluator.AgentRule) evaluator.Env {
		return evaluator.Env{Workspace: "/w", Agent: "build", Agents: []evaluator.Agent{{ID: "build", Permissions: list}}}
	}
	free := evaluator.AgentRule{Action: "*", Resource: "*", Effect: evaluator.Allow}
	for _, c := range []struct {
		rules string
		env   evaluator.Env
		want  string // the first word of each
	}{
		{rules("* * allow"), evaluator.Env{}, ""},
		{rules("* * ask"), evaluator.Env{}, "subagents"},
		{rules("* * ask", "task * deny"), evaluator.Env{}, ""},
		{rules("* * ask", "task * deny", "task explore allow"), evaluator.Env{}, "subagents"},
		{rules("* * allow", "external_directory * ask"), evaluator.Env{}, ""}, // which they do inherit
		{rules("* * allow", "edit * deny"), evaluator.Env{}, ""},
		{rules("* * allow", "bash rm* deny", "modegate-declines:command rm* ask", "modegate-leaves:command ls ask"), evaluator.Env{}, ""}, // which ask nothing
		{rules("* * allow", "doom_loop * ask"), evaluator.Env{}, "subagents"},
		{rules("* * allow", "doom_loop * deny"), evaluator.Env{}, "the"}, // the agent's rules ask
		{rules("* * allow"), agent(free, evaluator.AgentRule{Action: "doom_loop", Resource: "*", Effect: evaluator.Deny}), ""},
		{rules("* * allow", "doom_loop * deny"), agent(free), "the"},
		{rules("* * ask"), agent(free, evaluator.AgentRule{Action: "doom_loop", Resource: "*", Effect: evaluator.Ask}, evaluator.AgentRule{Action: "doom_loop", Resource: "read", Effect: evaluator.Allow}), "subagents the"},
	} {
		got, err := Boundary().(broker.Limiter).Limits([]byte(c.rules), c.env)
		if err != nil {
			t.Errorf("%s: %v", c.rules, err)
		}
		var words []string
		for _, text := range got {
			word, _, _ := strings.Cut(text, " ")
			words = append(words, word)
		}
		if strings.Join(words, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.rules, got, c.want)
		}
	}
	for _, bad := range []string{`null`, `[{}]`, `[{"permission":"*","pattern":"*","action":"x"}]`} {
		if got, err := Boundary().(broker.Limiter).Limits([]byte(bad), evaluator.Env{}); err == nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

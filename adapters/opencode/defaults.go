package opencode

import (
	"fmt"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// agentRules are the rules of the session's agent, which precede the session's:
// its own, or the defaults that GET /agent showed, when the Env has no list. A
// list without the session's agent is an error: a prompt for it fails.
func agentRules(env evaluator.Env, p place) (rules []lastmatch.Rule, assumed []string, err error) {
	id := agentOf(env)
	if env.Agents == nil {
		return defaults(id, p), []string{"the rules of agent " + id + ": those that OpenCode " + Version + " starts with"}, nil
	}
	for _, a := range env.Agents {
		if a.ID == id {
			for _, r := range a.Permissions {
				rules = append(rules, lastmatch.Rule(r))
			}
			return rules, nil, nil
		}
	}
	return nil, nil, fmt.Errorf("agents: the list has no agent %q, which the session runs: a prompt for it fails", id)
}

func agentOf(env evaluator.Env) string {
	if env.Agent == "" {
		return "build"
	}
	return env.Agent
}

// defaults are the rules of an agent before any configuration, as GET /agent of
// 1.18.33 lists them. An agent of the user's own starts like the build agent.
func defaults(id string, p place) []lastmatch.Rule {
	data := paths.Home(p.Home, "~/.local/share/opencode")
	output := lastmatch.Rule{Action: "external_directory", Resource: data + "/tool-output/*", Effect: evaluator.Allow}
	rules := []lastmatch.Rule{
		{Action: "*", Resource: "*", Effect: evaluator.Allow},
		{Action: "doom_loop", Resource: "*", Effect: evaluator.Ask},
		{Action: "external_directory", Resource: "*", Effect: evaluator.Ask},
		output,
		{Action: "external_directory", Resource: "/tmp/opencode/*", Effect: evaluator.Allow},
		{Action: "question", Resource: "*", Effect: evaluator.Deny},
		{Action: "plan_enter", Resource: "*", Effect: evaluator.Deny},
		{Action: "plan_exit", Resource: "*", Effect: evaluator.Deny},
		{Action: "read", Resource: "*", Effect: evaluator.Allow},
		{Action: "read", Resource: "*.env", Effect: evaluator.Ask},
		{Action: "read", Resource: "*.env.*", Effect: evaluator.Ask},
		{Action: "read", Resource: "*.env.example", Effect: evaluator.Allow},
		{Action: "question", Resource: "*", Effect: evaluator.Allow},
	}
	if id == "plan" {
		rules = append(rules,
			lastmatch.Rule{Action: "plan_exit", Resource: "*", Effect: evaluator.Allow},
			lastmatch.Rule{Action: "task", Resource: "general", Effect: evaluator.Deny},
			lastmatch.Rule{Action: "external_directory", Resource: data + "/plans/*", Effect: evaluator.Allow},
			lastmatch.Rule{Action: "edit", Resource: "*", Effect: evaluator.Deny},
			lastmatch.Rule{Action: "edit", Resource: ".opencode/plans/*.md", Effect: evaluator.Allow},
			lastmatch.Rule{Action: "edit", Resource: p.text(data + "/plans/*.md"), Effect: evaluator.Allow},
		)
	} else {
		rules = append(rules, lastmatch.Rule{Action: "plan_enter", Resource: "*", Effect: evaluator.Allow})
	}
	return append(rules, output)
}

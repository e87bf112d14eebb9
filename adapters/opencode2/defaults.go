package opencode2

import (
	"fmt"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// agentRules are the rules that precede a session's: the agent's own, or the
// documented defaults when the Env has no agent list. A list without the
// session's agent is an error: the native evaluator of 1.18.33 denied everything
// then, and what 2.0 does under a session's rules isn't known.
func agentRules(env evaluator.Env) (rules []lastmatch.Rule, assumed []string, err error) {
	id := agentOf(env)
	if env.Agents == nil {
		return defaults(id, env.Home), []string{"the rules of agent " + id + ": OpenCode's documented defaults"}, nil
	}
	for _, a := range env.Agents {
		if a.ID != id {
			continue
		}
		for _, r := range a.Permissions {
			rules = append(rules, lastmatch.Rule(r))
		}
		return rules, nil, nil
	}
	return nil, nil, fmt.Errorf("agents: the list has no agent %q, which the session runs", id)
}

// Where OpenCode's own files lie: its configuration, and below its data folder what
// a shell and a tool gave out.
const (
	configFolder = "~/.config/opencode/*"
	shellOutput  = "/opencode/shell/*/*"
	toolOutput   = "/opencode/tool-output/*"
)

// defaults are the rules that agents of 2.0 start with (source read 2026-11-30):
// everything, except that folders outside ask and .env files ask; the plan agent
// edits nothing but its plan folder.
func defaults(id, home string) []lastmatch.Rule {
	at := func(p string) string { return paths.Home(home, p) }
	rules := []lastmatch.Rule{
		{Action: "*", Resource: "*", Effect: evaluator.Allow},
		{Action: "external_directory", Resource: "*", Effect: evaluator.Ask},
		{Action: "external_directory", Resource: at("~/.local/share" + shellOutput), Effect: evaluator.Allow},
		{Action: "external_directory", Resource: at("~/.local/share" + toolOutput), Effect: evaluator.Allow},
		{Action: "external_directory", Resource: "/tmp/opencode/*", Effect: evaluator.Allow},
		{Action: "external_directory", Resource: at(configFolder), Effect: evaluator.Allow},
		{Action: "question", Resource: "*", Effect: evaluator.Deny},
		{Action: "read", Resource: "*", Effect: evaluator.Allow},
		{Action: "read", Resource: "*.env", Effect: evaluator.Ask},
		{Action: "read", Resource: "*.env.*", Effect: evaluator.Ask},
		{Action: "read", Resource: "*.env.example", Effect: evaluator.Allow},
		{Action: "question", Resource: "*", Effect: evaluator.Allow},
	}
	if id == "plan" {
		rules = append(rules,
			lastmatch.Rule{Action: "edit", Resource: "*", Effect: evaluator.Deny},
			lastmatch.Rule{Action: "edit", Resource: at("~/.opencode/plan/*"), Effect: evaluator.Allow},
			lastmatch.Rule{Action: "external_directory", Resource: at("~/.opencode/plan/*"), Effect: evaluator.Allow},
		)
	}
	return rules
}

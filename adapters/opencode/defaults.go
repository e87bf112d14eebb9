package opencode

import (
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// agentRules are the rules of the session's agent, which precede the session's:
// its own, or the defaults that GET /agent showed, when the Env has no list.
func agentRules(env evaluator.Env, p place) (rules []lastmatch.Rule, assumed []string, known bool) {
	id := agentOf(env)
	if env.Agents == nil {
		rules, known = defaults(id, p)
		return rules, []string{"the rules of agent " + id + ": those that OpenCode " + Version + " starts with"}, known
	}
	for _, a := range env.Agents {
		if a.ID == id {
			for _, r := range a.Permissions {
				rules = append(rules, lastmatch.Rule(r))
			}
			return rules, nil, true
		}
	}
	return nil, nil, false
}

func agentOf(env evaluator.Env) string {
	if env.Agent == "" {
		return "build"
	}
	return env.Agent
}

// defaults are the rules of the build and plan agents before any configuration,
// as GET /agent of 1.18.33 lists them. Other agents aren't known.
func defaults(id string, p place) ([]lastmatch.Rule, bool) {
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
	switch id {
	case "build":
		rules = append(rules, lastmatch.Rule{Action: "plan_enter", Resource: "*", Effect: evaluator.Allow})
	case "plan":
		rules = append(rules,
			lastmatch.Rule{Action: "plan_exit", Resource: "*", Effect: evaluator.Allow},
			lastmatch.Rule{Action: "task", Resource: "general", Effect: evaluator.Deny},
			lastmatch.Rule{Action: "external_directory", Resource: data + "/plans/*", Effect: evaluator.Allow},
			lastmatch.Rule{Action: "edit", Resource: "*", Effect: evaluator.Deny},
			lastmatch.Rule{Action: "edit", Resource: ".opencode/plans/*.md", Effect: evaluator.Allow},
			lastmatch.Rule{Action: "edit", Resource: p.text(data + "/plans/*.md"), Effect: evaluator.Allow},
		)
	default:
		return nil, false
	}
	return append(rules, output), true
}

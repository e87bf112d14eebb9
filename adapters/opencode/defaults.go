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

// defaults are the rules of an agent without any configuration, as GET /agent of
// 1.18.33 lists them.
func defaults(id string, p place) []lastmatch.Rule { return append(starts(id, p), ends(p)) }

// ends is the rule that every agent has behind all others, unless one of them
// denies exactly that.
func ends(p place) lastmatch.Rule {
	return one("external_directory", paths.Home(p.Home, "~/.local/share/opencode/tool-output/*"), evaluator.Allow)
}

// starts are the rules that precede an agent's configuration. An agent of the
// user's own has those that all start with.
func starts(id string, p place) []lastmatch.Rule {
	data := paths.Home(p.Home, "~/.local/share/opencode")
	output := ends(p)
	temporary := one("external_directory", "/tmp/opencode/*", evaluator.Allow)
	outside := one("external_directory", "*", evaluator.Ask)
	rules := []lastmatch.Rule{
		one("*", "*", evaluator.Allow),
		one("doom_loop", "*", evaluator.Ask),
		outside, output, temporary,
		one("question", "*", evaluator.Deny),
		one("plan_enter", "*", evaluator.Deny),
		one("plan_exit", "*", evaluator.Deny),
		one("read", "*", evaluator.Allow),
		one("read", "*.env", evaluator.Ask),
		one("read", "*.env.*", evaluator.Ask),
		one("read", "*.env.example", evaluator.Allow),
	}
	switch id {
	case "build":
		rules = append(rules, one("question", "*", evaluator.Allow), one("plan_enter", "*", evaluator.Allow))
	case "plan":
		rules = append(rules,
			one("question", "*", evaluator.Allow),
			one("plan_exit", "*", evaluator.Allow),
			one("task", "general", evaluator.Deny),
			one("external_directory", data+"/plans/*", evaluator.Allow),
			one("edit", "*", evaluator.Deny),
			one("edit", ".opencode/plans/*.md", evaluator.Allow),
			one("edit", p.text(data+"/plans/*.md"), evaluator.Allow),
		)
	case "general":
		rules = append(rules, one("todowrite", "*", evaluator.Deny))
	case "explore":
		rules = append(rules, one("*", "*", evaluator.Deny))
		for _, tool := range []string{"grep", "glob", "list", "bash", "webfetch", "websearch", "read"} {
			rules = append(rules, one(tool, "*", evaluator.Allow))
		}
		rules = append(rules, outside, output, temporary)
	case "compaction", "title", "summary":
		rules = append(rules, one("*", "*", evaluator.Deny))
	}
	return rules
}

func one(permission, pattern string, e evaluator.Effect) lastmatch.Rule {
	return lastmatch.Rule{Action: permission, Resource: pattern, Effect: e}
}

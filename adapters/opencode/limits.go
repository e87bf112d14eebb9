package opencode

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
)

// Limits says what a session's rules don't reach (both measured on 1.18.33,
// 2026-11-30): a subagent, which inherits what they deny and their
// external_directory rules and none of their asks, and doom_loop, which is judged
// by the agent's rules alone. Each is said only where it lets more happen than
// the session's rules say.
func (boundary) Limits(native jsontext.Value, env evaluator.Env) ([]string, error) {
	session, err := decode(native)
	if err != nil {
		return nil, err
	}
	p, err := placeOf(env)
	if err != nil {
		return nil, err
	}
	agent, _, err := agentRules(env, p)
	if err != nil {
		return nil, err
	}
	all, own := oc.NewRules(agent, session, nil, false), oc.NewRules(agent, nil, nil, false)
	var out []string
	asks := false
	for _, r := range session {
		asks = asks || r.Effect == evaluator.Ask && r.Action != "external_directory" && !oc.ToAdapter(r.Action)
	}
	if _, hidden := all.Hidden("task"); asks && !hidden {
		out = append(out, "subagents aren't held to what this session asks about: they run under their own agents' rules, and inherit only its denies and its external_directory rules")
	}
	for _, tool := range tools {
		said, _ := all.Decide("doom_loop", tool)
		if done, _ := own.Decide("doom_loop", tool); evaluator.Strictest(said, done) != done {
			return append(out, fmt.Sprintf("the same call of %s again and again (doom_loop) is decided by the agent's own rules, which say %s: this session's, which say %s, aren't looked at", tool, done, said)), nil
		}
	}
	return out, nil
}

// tools are 1.18.33's own, by the names that doom_loop requests are about.
var tools = []string{"bash", "edit", "write", "apply_patch", "read", "glob", "grep", "webfetch", "websearch", "task", "skill", "todowrite"}

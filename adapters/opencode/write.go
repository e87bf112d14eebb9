package opencode

import (
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// Write makes the session's rules: the profile's list for the mode, or the
// mode's rules where it has none; the mode's narrower rules and the policy's;
// the session's grants, and again what the policy denies; and the interaction
// mode's rules, unless the profile leaves plan to the plan agent.
//
// Each list starts with a rule for everything and is complete: PATCH can only
// append, so a list must close what came before it.
func (dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	var r policies.Reader
	p := readProfile(&r, in.Profile)
	if err := r.Problems.Err(); err != nil {
		return compiler.Written{}, err
	}
	at, err := placeOf(env)
	if err != nil {
		return compiler.Written{}, err
	}
	w := &writer{Writer: oc.Writer{In: in, Env: env, Names: names, Workspace: at.Directory, Root: at.Worktree, Lexical: true}, profile: p}
	base, listed := p.lists[p.modes[in.Cell.Mode]]
	for _, rule := range base {
		w.Add(rule.Rule, rule.source)
	}
	keep := func(r compiler.Rule) bool { return w.saysItself(r, listed) }
	w.Section(compiler.ModeRules, keep)
	w.Section(compiler.PolicyRules, keep)
	w.Grants()
	w.Section(compiler.InteractionRules, keep)
	if !p.person {
		w.Declines(func(r compiler.Rule) bool { return r.Match != compiler.Everything }, evaluator.Command)
	}
	out := compiler.Written{Sources: w.Sources}
	agent, _, err := agentRules(env, at)
	if err != nil {
		return out, err
	}
	out.Gaps = func() []evaluator.Gap { return w.declare(at, agent, base, listed) }
	out.Native, err = strictjson.Encode(list(w.Rules))
	if in.Cell.Interaction == evaluator.Plan {
		out.Agent = env.Agent
	}
	return out, err
}

type writer struct {
	oc.Writer
	profile profile
}

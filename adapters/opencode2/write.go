package opencode2

import (
	"slices"
	"strconv"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// writer makes a session's rules, in blocks: the mode's rules; the policy's; the
// session's grants; again what the policy denies, so that no grant undoes it;
// the interaction mode's; the agent's path allows; and the profile's last.
type writer struct {
	in      compiler.Intent
	env     evaluator.Env
	rules   []lastmatch.Rule
	sources []compiler.SourceRef
	gaps    []evaluator.Gap
}

// Write makes the session's rules. It never denies shell or read: OpenCode 2
// refuses such sessions on its free tier, so a deny is sent as an ask.
func (dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	var r policies.Reader
	var last []placed
	if in.Profile != nil {
		last = readProfile(&r, in.Profile)
	}
	if err := r.Problems.Err(); err != nil {
		return compiler.Written{}, err
	}
	w := &writer{in: in, env: env}
	w.section(compiler.ModeRules)
	w.section(compiler.PolicyRules)
	w.grants()
	w.section(compiler.InteractionRules)
	paths := w.agentPaths()
	for _, p := range last {
		w.add(p.Rule, p.source)
	}
	w.declare(paths, last)
	var assumed []string
	if env.Agents == nil {
		assumed = append(assumed, "no agent list: rules are compiled without the agent's own paths")
	}
	native, err := strictjson.Encode(list(w.rules))
	return compiler.Written{Native: native, Sources: w.sources, Gaps: w.gaps, Assumed: assumed}, err
}

// list is the rules as the wire has them.
func list(rules []lastmatch.Rule) []rule {
	out := make([]rule, len(rules))
	for i := range rules {
		out[i] = rule{Action: &rules[i].Action, Resource: &rules[i].Resource, Effect: &rules[i].Effect}
	}
	return out
}

func (w *writer) add(r lastmatch.Rule, at evaluator.Source) {
	w.sources = append(w.sources, compiler.SourceRef{Pointer: "/" + strconv.Itoa(len(w.rules)), Source: at})
	w.rules = append(w.rules, r)
}

// section says the policy rules of one section.
func (w *writer) section(s compiler.Section) {
	for _, r := range w.in.Rules {
		if r.Section == s && r.Match != compiler.PlanFiles {
			w.lower(r, false)
		}
	}
}

// lower says one policy rule. again repeats a rule that was said before.
func (w *writer) lower(r compiler.Rule, again bool) {
	said := opencode.Lower(r, names, w.env)
	for _, rule := range said.Rules {
		if rule.Effect == evaluator.Deny && (rule.Action == "shell" || rule.Action == "read" || rule.Action == "*") {
			rule.Effect = evaluator.Ask
		}
		if again || !opencode.Redundant(w.rules, rule) {
			w.add(rule, r.Source)
		}
	}
}

// grants says what the session was allowed, outside of full access, and then
// repeats what the policy denies and what it allows after that, so that a grant
// beats an ask and never a deny.
func (w *writer) grants() {
	if w.in.Cell.Mode == evaluator.FullAccess || len(w.env.Grants) == 0 {
		return
	}
	for _, g := range w.env.Grants {
		w.add(lastmatch.Rule{Action: g.Action, Resource: g.Resource, Effect: evaluator.Allow}, evaluator.Source{ID: "grant"})
	}
	denied := false
	for _, r := range w.in.Rules {
		if r.Section == compiler.InteractionRules {
			continue
		}
		denied = denied || r.Effect == evaluator.Deny
		if denied && (r.Effect == evaluator.Deny || r.Effect == evaluator.Allow) {
			w.lower(r, true)
		}
	}
}

// agentPaths says again which paths the session's agent allows, and in plan the
// plan agent, because the rules before would close them: allow rules for edit or
// external_directory on something else than "*", each once.
func (w *writer) agentPaths() []evaluator.AgentRule {
	plan := w.in.Cell.Interaction == evaluator.Plan
	if w.in.Cell.Mode == evaluator.FullAccess && !plan {
		return nil
	}
	agents := []string{agentOf(w.env)}
	if plan {
		agents = append(agents, "plan")
	}
	var said []evaluator.AgentRule
	for _, id := range agents {
		for _, r := range rulesOf(w.env, id) {
			if !isPathAllow(r) || slices.Contains(said, r) {
				continue
			}
			said = append(said, r)
			w.add(lastmatch.Rule(r), evaluator.Source{ID: "agent-" + id})
		}
	}
	return said
}

func isPathAllow(r evaluator.AgentRule) bool {
	return r.Effect == evaluator.Allow && r.Resource != "*" && (r.Action == "edit" || r.Action == "external_directory")
}

func agentOf(env evaluator.Env) string {
	if env.Agent == "" {
		return "build"
	}
	return env.Agent
}

// rulesOf returns the rules of an agent, nil when it isn't known.
func rulesOf(env evaluator.Env, id string) []evaluator.AgentRule {
	for _, a := range env.Agents {
		if a.ID == id {
			return a.Permissions
		}
	}
	return nil
}

package opencode

import (
	"fmt"

	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// meaning is a session's rules with what surrounds them.
type meaning struct {
	env     evaluator.Env
	place   place
	rules   *oc.Rules
	adapter *oc.Decliner
	agent   *oc.Rules // the agent's rules alone, which doom_loop is judged by
	assumed []string
}

// Read takes a session's rules. What was allowed for always (Env.Saved) comes
// after all of them and beats a deny.
func (dialect) Read(native []byte, s compiler.Setting) (evaluator.Meaning, error) {
	session, err := decode(native)
	if err != nil {
		return nil, err
	}
	if s.Version != "" && s.Version != Version {
		return nil, fmt.Errorf("unknown version %q of opencode: use %s", s.Version, Version)
	}
	p, err := placeOf(s.Env)
	if err != nil {
		return nil, err
	}
	agent, assumed, err := agentRules(s.Env, p)
	if err != nil {
		return nil, err
	}
	adapter, err := oc.NewDecliner(session, declinable, s.Env)
	if err != nil {
		return nil, err
	}
	return &meaning{
		env: s.Env, place: p, adapter: adapter, assumed: append(assumed, p.assumed...),
		rules: oc.NewRules(agent, session, s.Env.Saved, false),
		agent: oc.NewRules(agent, nil, nil, false),
	}, nil
}

// declinable are the permissions of which the adapter may decline requests.
var declinable = map[string]evaluator.Kind{"bash": evaluator.Command}

// Judge answers one Action.
func (m *meaning) Judge(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	list, tool, err := m.place.requests(a)
	if err != nil {
		return evaluator.Verdict{}, err
	}
	rules := m.rules
	if len(list) == 1 && list[0].Action == "doom_loop" {
		rules = m.agent // session rules are ignored there
	}
	v := rules.Verdict(words, list, explain)
	rules.Decline(&v, words, m.adapter, list)
	if tool != "" {
		m.offered(&v, tool)
		if explain && len(list) == 0 {
			v.Trace = m.rules.Offered(words, tool)
		}
	}
	if a.Kind == evaluator.Subagent && v.Effect != evaluator.Deny {
		v.Reason += "; the subagent isn't held to this session's asks: it inherits only denies and external_directory rules"
	}
	v.Provider = evaluator.ProviderVersion{Name: evaluator.OpenCode, Version: Version}
	v.Assumed = append(v.Assumed, m.assumed...)
	if m.env.Platform == "windows" {
		unknown(&v, "what OpenCode does on Windows wasn't measured: there it ignores case")
	}
	if m.env.Workspace == "" && (paths.Rooted(a.Path) || paths.Rooted(a.To) || paths.Rooted(a.Cwd)) {
		unknown(&v, "an absolute path can't be judged without the workspace")
	}
	return v, nil
}

func unknown(v *evaluator.Verdict, reason string) {
	v.Effect, v.Native.Effect = evaluator.Unknown, evaluator.Unknown
	v.Decider, v.Enforcer, v.Rule = evaluator.ByNobody, evaluator.EnforcedByNobody, nil
	v.Reason = reason
}

// offered answers for a tool that the model isn't offered, and for the question
// tool, which is never asked about: it opens unless it is hidden.
func (m *meaning) offered(v *evaluator.Verdict, tool string) {
	rule, hidden := m.rules.Hidden(tool)
	ref := m.rules.Ref(words, rule)
	switch {
	case hidden:
		v.Effect, v.Native.Effect, v.ToolAbsent, v.Rule = evaluator.Deny, evaluator.Deny, true, ref
		v.Decider, v.Enforcer = evaluator.ByRule, evaluator.EnforcedByRule
		v.Reason = "the tool isn't offered to the model: the last rule for " + tool + ` denies "*"`
	case tool == "question":
		v.Rule = ref
		v.Decider, v.Enforcer = evaluator.ByRule, evaluator.EnforcedByRule
		v.Reason = "the question opens: 1.x hides this tool or shows it, and never asks for it"
	}
}

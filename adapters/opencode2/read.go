package opencode2

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
)

// meaning is a session's rules with what surrounds them.
type meaning struct {
	version string
	env     evaluator.Env
	agent   []lastmatch.Rule
	session []lastmatch.Rule
	rules   *opencode.Rules
	adapter *opencode.Decliner
	other   *opencode.Rules // as the other version judges, nil when they can't part
	newer   *newer          // as newer versions judge, nil when no absolute rule makes them part
	assumed []string
}

// Read takes a session's rules. The Env's facts must be empty: 2.0 needs none.
func (dialect) Read(native []byte, s compiler.Setting) (evaluator.Meaning, error) {
	session, err := decode(native)
	if err != nil {
		return nil, err
	}
	version := s.Version
	if version == "" {
		version = Founding
	}
	if version != Founding && version != Measured {
		return nil, fmt.Errorf("unknown version %q of opencode2: use %s or %s", version, Founding, Measured)
	}
	if len(s.Env.Facts) > 0 {
		if err := strictjson.Decode(s.Env.Facts, &struct{}{}); err != nil {
			return nil, fmt.Errorf("facts: %w", err)
		}
	}
	m := &meaning{version: version, env: s.Env, session: session}
	if m.agent, m.assumed, err = agentRules(s.Env); err != nil {
		return nil, err
	}
	if m.adapter, err = opencode.NewDecliner(session, declinable, s.Env); err != nil {
		return nil, err
	}
	m.rules = opencode.NewRules(m.agent, session, s.Env.Saved, version == Measured)
	if len(s.Env.Saved) > 0 {
		m.other = opencode.NewRules(m.agent, session, s.Env.Saved, version != Measured)
	}
	m.newer = newNewer(m.agent, session, s.Env)
	return m, nil
}

// declinable are the actions of which the adapter may decline requests: a session
// can't deny them.
var declinable = map[string]evaluator.Kind{"shell": evaluator.Command, "read": evaluator.FileRead}

// Judge answers one Action.
func (m *meaning) Judge(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	list, tool, err := requests(a, m.env)
	if err != nil {
		return evaluator.Verdict{}, err
	}
	v := m.rules.Verdict(words, list, explain)
	m.rules.Decline(&v, words, m.adapter, list)
	if tool != "" && m.hidden(tool) {
		v.Effect, v.Native.Effect, v.ToolAbsent = evaluator.Deny, evaluator.Deny, true
		v.Decider, v.Enforcer = evaluator.ByRule, evaluator.EnforcedByRule
		v.Reason = "the tool isn't offered to the model: every rule for " + tool + " denies; " + v.Reason
	}
	v.Provider = evaluator.ProviderVersion{Name: evaluator.OpenCode2, Version: m.version}
	v.Assumed = append(v.Assumed, m.assumed...)
	if m.env.Workspace == "" && a.Kind != evaluator.Native {
		v.Assumed = append(v.Assumed, "no workspace: relative paths lie inside, absolute ones outside")
		if paths.Rooted(a.Path) || paths.Rooted(a.To) || paths.Rooted(a.Cwd) {
			v = unplaced(v, "an absolute path can't be judged without the workspace")
		}
	}
	if m.env.Platform == "windows" {
		v = unplaced(v, "what OpenCode does on Windows wasn't measured: there it ignores case")
	}
	v.Differs = m.differs(list, v.Native.Effect)
	return v, nil
}

// unplaced takes back an answer that rests on what isn't known.
func unplaced(v evaluator.Verdict, reason string) evaluator.Verdict {
	v.Effect, v.Native.Effect = evaluator.Unknown, evaluator.Unknown
	v.Decider, v.Enforcer, v.Rule = evaluator.ByNobody, evaluator.EnforcedByNobody, nil
	v.Reason = reason
	return v
}

// hidden reports whether 2.0 takes a tool away from the model: everything that
// the rules for it name, and "*", is denied (source read 2026-11-30).
func (m *meaning) hidden(tool string) bool {
	if e, _ := m.rules.Configured(tool, "*"); e != evaluator.Deny {
		return false
	}
	for _, rule := range slices.Concat(m.agent, m.session) {
		if !wildcard.Compile(rule.Action).Match(tool) {
			continue
		}
		if e, _ := m.rules.Configured(tool, rule.Resource); e != evaluator.Deny {
			return false
		}
	}
	return true
}

// differs names the versions that answer otherwise.
func (m *meaning) differs(list []opencode.Request, effect evaluator.Effect) []evaluator.Difference {
	var out []evaluator.Difference
	if m.other != nil {
		if e := m.other.Verdict(words, list, false).Effect; e != effect {
			d := evaluator.Difference{Version: Measured, Effect: e, Reason: "there a configured deny is final, whatever was saved"}
			if m.version == Measured {
				d = evaluator.Difference{Version: Founding, Effect: e, Reason: "there the last match decides, saved grants included"}
			}
			out = append(out, d)
		}
	}
	if e, ok := m.newer.effect(list, m.rules); ok && e != effect {
		out = append(out, evaluator.Difference{Version: "later 2.x (source read 2026-11-30)", Effect: e,
			Reason: "there an absolute rule for read or edit is compared with the absolute path of a relative resource"})
	}
	return out
}

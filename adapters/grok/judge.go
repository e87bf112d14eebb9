package grok

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// meaning is Grok's settings, read.
type meaning struct {
	native  Native
	answers callback.Answerer
	answer  jsontext.Value // the callback's one answer, where none of its rules decides
	launch  launch
	state   state
	rules   []rule
	env     evaluator.Env
	assumed []string
	version evaluator.ProviderVersion
}

// Judge answers one Action: what Grok's engine does, and then what our callback
// answers where Grok asks.
func (m *meaning) Judge(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	reqs, err := requests(a)
	if err != nil {
		return evaluator.Verdict{}, err
	}
	v := evaluator.Verdict{Provider: m.version, Assumed: append([]string{}, m.assumed...), Decider: evaluator.ByNobody, Enforcer: evaluator.EnforcedByNobody}
	if m.launch.unknown != "" {
		v.Reason = "can't be predicted: " + m.launch.unknown
		for _, r := range reqs {
			v.Parts = append(v.Parts, evaluator.Part{Request: encoded(r)})
		}
		return v, nil
	}
	answers := make([]answer, len(reqs))
	effects := make([]evaluator.Effect, len(reqs))
	for i, r := range reqs {
		_, in, err := readRequest(encoded(r))
		if err != nil {
			return v, err
		}
		answers[i] = m.engine(r, in)
		effects[i] = answers[i].effect
		v.Parts = append(v.Parts, evaluator.Part{Request: encoded(r), Effect: effects[i], Rule: m.ref(answers[i])})
		if explain {
			v.Trace = append(v.Trace, m.trace(i, r, in, answers[i])...)
		}
	}
	v.Native.Effect = evaluator.Loosest(effects...)
	decided := 0
	for i, e := range effects {
		if e == v.Native.Effect {
			decided = i
			break
		}
	}
	m.conclude(&v, reqs[decided], answers[decided])
	return v, nil
}

// conclude says who decides and who holds Grok to it.
func (m *meaning) conclude(v *evaluator.Verdict, r request, a answer) {
	v.Effect, v.Reason, v.Rule, v.ToolAbsent = a.effect, a.reason, m.ref(a), a.absent
	if a.assume != "" {
		v.Assumed = append(v.Assumed, a.assume)
	}
	switch {
	case a.effect == evaluator.Unknown:
	case a.effect == evaluator.Ask:
		m.callback(v, r, a)
	case a.rule != nil:
		v.Decider, v.Enforcer = evaluator.ByRule, evaluator.EnforcedByRule
	case a.effect == evaluator.Review:
		v.Decider, v.Enforcer = evaluator.ByReviewer, evaluator.EnforcedByMode
	default:
		v.Decider, v.Enforcer = evaluator.ByMode, evaluator.EnforcedByMode
	}
	if a.by.text != "" {
		v.Reason += " (" + a.by.text + ")"
	}
	if a.by.user && v.Effect == evaluator.Allow {
		v.Enforcer = evaluator.EnforcedByNobody
		v.Reason += ", so the session's mode isn't enforced: the user's own settings decide"
	}
	m.unenforced(v, r)
}

// callback adds what our adapter answers where Grok asks: what its rules say of a
// request that they can read, a grant before all but a deny, else one answer.
func (m *meaning) callback(v *evaluator.Verdict, r request, a answer) {
	v.Decider, v.Enforcer = evaluator.ByPerson, evaluator.EnforcedByAdapter
	if a.shape != permission {
		return
	}
	v.Rule = &evaluator.RuleRef{Layer: callback.Layer, Native: m.answer, Pointer: callbackPointer}
	if a.rule != nil {
		v.Rule = m.ref(a)
	}
	effect, i, ruled := evaluator.Unknown, 0, false
	for _, action := range (Dialect{}).Asked(evaluator.Action{}, encoded(r)) { // one, or none
		effect, i, ruled = m.answers.Answer(action, m.env)
	}
	g, granted := m.granted(r)
	switch {
	case granted && effect != evaluator.Deny:
		effect = evaluator.Allow
		v.Reason += fmt.Sprintf("; the callback allows it, because the session was granted %s(%s)", g.Action, g.Resource)
	case ruled:
		v.Rule = &evaluator.RuleRef{Index: i, Layer: callback.Layer, Native: m.answers.Native(i), Pointer: callback.Pointer(i)}
		v.Reason += fmt.Sprintf("; rule %d of the callback says %s", i, effect)
	case m.native.Callback.Permission == AllowPermission:
		effect = evaluator.Allow
		v.Reason += "; the callback allows it"
	default:
		v.Reason += "; the callback leaves it to a person"
	}
	if effect == evaluator.Allow || effect == evaluator.Deny {
		v.Effect, v.Decider = effect, evaluator.ByAdapter
	}
}

// granted looks at the session's own grants, in the words of Grok's rules.
func (m *meaning) granted(r request) (evaluator.Grant, bool) {
	_, in, err := readRequest(encoded(r))
	if err != nil {
		return evaluator.Grant{}, false
	}
	t, _ := m.target(r, in)
	for _, g := range m.env.Grants {
		text := t.text
		if t.line != nil {
			text = t.raw
		}
		if contains(t.classes, g.Action) && (g.Resource == "*" || g.Resource == text || g.Resource == t.rel && t.rel != "") {
			return g, true
		}
	}
	return evaluator.Grant{}, false
}

// unenforced names what somebody may have relied on and Grok doesn't apply.
func (m *meaning) unenforced(v *evaluator.Verdict, r request) {
	_, in, err := readRequest(encoded(r))
	if err != nil {
		return
	}
	if t, known := m.target(r, in); known {
		for _, rule := range m.rules {
			if rule.inert == "" || rule.Effect == evaluator.Allow || v.Effect == evaluator.Deny {
				continue
			}
			applied := rule
			applied.inert = ""
			if applied.matches(t) {
				v.Reason += fmt.Sprintf("; the %s rule %s %s is %s", rule.Layer, rule.Effect, rule.Rule, rule.inert)
				if v.Effect == evaluator.Allow {
					v.Enforcer = evaluator.EnforcedByNobody
				}
			}
		}
	}
	if len(m.launch.ignored) > 0 {
		v.Reason += "; over agent stdio Grok takes and doesn't apply " + strings.Join(m.launch.ignored, ", ")
	}
}

// The layers of what isn't a rule of a settings file.
const (
	savedLayer   = "saved"
	builtinLayer = "built-in"
	modeLayer    = "mode"
)

// ref points at what decided: a rule, or the setting that a mode came from. It
// is nil where Grok's own default decided.
func (m *meaning) ref(a answer) *evaluator.RuleRef {
	switch {
	case a.rule != nil:
		return &evaluator.RuleRef{Index: a.rule.index, Layer: a.rule.Layer, Native: ruleText(*a.rule)}
	case a.by.from == argvPointer:
		return &evaluator.RuleRef{Layer: modeLayer, Native: encoded(m.native.Argv), Pointer: argvPointer}
	case a.by.from == metaPointer:
		return &evaluator.RuleRef{Layer: modeLayer, Native: encoded(m.native.SessionMeta), Pointer: metaPointer}
	}
	return nil
}

func ruleText(r rule) jsontext.Value {
	return encoded(struct {
		Effect evaluator.Effect `json:"effect"`
		Rule   string           `json:"rule"`
	}{r.Effect, r.Rule})
}

func encoded(v any) jsontext.Value {
	b, err := strictjson.Encode(v)
	if err != nil {
		return jsontext.Value("null")
	}
	return b
}

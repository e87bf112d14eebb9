package cursor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// meaning is Cursor's settings, read.
type meaning struct {
	native      Native
	answers     callback.Answerer
	answer      jsontext.Value // the callback's one answer, where none of its rules decides
	launch      launch
	facts       facts
	allow, deny []token
	mode        string // the session mode's id, "" when it isn't known
	kept        bool   // no alias named a mode: the session keeps its own
	env         evaluator.Env
	assumed     []string
	version     evaluator.ProviderVersion
}

// answer is what Cursor does with one request, and why.
type answer struct {
	effect   evaluator.Effect
	reason   string
	token    *token
	enforced bool // something holds the agent to it
	byMode   bool // the session mode decided
	form     bool // Cursor's question, not a permission request
	assume   string
	end      evaluator.Effect // after our callback
	ruled    *int             // the callback's rule that decided
}

// engine answers one request: the deny tokens, the session mode, --force, the
// approval mode.
func (m *meaning) engine(r request) answer {
	if r.Tool == questionTool {
		return answer{effect: evaluator.Ask, form: true, enforced: true, reason: "Cursor asks the person its question"}
	}
	if t, ok := m.denied(r); ok {
		return answer{effect: evaluator.Deny, token: &t, enforced: true, reason: "the user's own deny " + t.text + " applies in every mode, --force included"}
	}
	assume := ""
	if r.Tool == writeTool {
		switch m.mode {
		case planMode, askMode:
			return answer{effect: evaluator.Deny, byMode: true, enforced: true, reason: "Cursor's mode " + m.mode + " blocks edits"}
		case agentMode:
			return answer{effect: evaluator.Allow, byMode: true, reason: "Cursor never asks about edits in mode agent"}
		}
		return answer{reason: fmt.Sprintf("what Cursor's mode %q does with edits isn't documented", m.mode)}
	}
	switch {
	case m.mode == askMode && r.Tool != readTool:
		assume = "Cursor's mode ask stops no more than plan does: edits, and nothing else"
	case m.mode != agentMode && m.mode != planMode && m.mode != askMode:
		return answer{reason: fmt.Sprintf("what Cursor's mode %q does isn't documented", m.mode)}
	}
	a := m.approval(r)
	if a.assume == "" {
		a.assume = assume
	}
	return a
}

func (m *meaning) denied(r request) (token, bool) {
	if r.Tool == webFetchTool {
		return token{}, false // recorded: a deny on WebFetch isn't kept
	}
	for _, t := range m.deny {
		if t.matches(r, m.workspace()) {
			return t, true
		}
	}
	return token{}, false
}

// approval is what the approval mode makes of a request that isn't an edit.
func (m *meaning) approval(r request) answer {
	switch {
	case r.Tool == readTool:
		return answer{effect: evaluator.Allow, reason: "Cursor never asks about reading"}
	case m.launch.force:
		return answer{effect: evaluator.Allow, reason: "--force runs everything that no deny stops"}
	case m.launch.review:
		return answer{effect: evaluator.Review, enforced: true, reason: "--auto-review leaves it to Cursor's classifier", assume: "Cursor's backend has the classifier of --auto-review switched on"}
	case m.facts.ApprovalMode == unrestricted:
		return answer{effect: evaluator.Allow, reason: "Cursor never asks with approvalMode unrestricted, so the mode isn't enforced"}
	}
	if t, ok := allowed(m.allow, r, m.workspace()); ok {
		return answer{effect: evaluator.Allow, token: &t, enforced: true, reason: "the user's own allow " + t.text + " covers it"}
	}
	switch r.Tool {
	case shellTool, webFetchTool:
		return answer{effect: evaluator.Ask, enforced: true, reason: "Cursor asks about shell and fetch with approvalMode allowlist"}
	case webSearchTool, taskTool:
		return answer{effect: evaluator.Allow, reason: "with approvalMode allowlist only shell and fetch ask"}
	}
	return answer{reason: fmt.Sprintf("what Cursor does with %s under approvalMode allowlist isn't documented", r.Tool)}
}

func (m *meaning) workspace() string {
	if m.env.Workspace == "" {
		return paths.UnknownWorkspace
	}
	return paths.Abs("/", m.env.Workspace)
}

// Judge answers one Action: what Cursor does by itself, and then what our
// callback answers where Cursor asks.
func (m *meaning) Judge(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	v := evaluator.Verdict{Provider: m.version, Assumed: append([]string{}, m.assumed...), Decider: evaluator.ByNobody, Enforcer: evaluator.EnforcedByNobody}
	reqs, err := requests(a)
	if err != nil {
		return evaluator.Verdict{}, err
	}
	var answers []answer
	var effects, ends []evaluator.Effect
	for i, r := range reqs {
		if r.Tool != shellTool && r.Input.Path != "" {
			r.Input.Path = paths.Resolve(m.workspace(), paths.Home(m.env.Home, r.Input.Path), m.env.Resolved)
		}
		one := answer{reason: "can't be predicted: " + m.launch.unknown}
		if m.launch.unknown == "" {
			one = m.engine(r)
		}
		one.end, one.ruled = m.answered(r, one)
		answers, effects, ends = append(answers, one), append(effects, one.effect), append(ends, one.end)
		v.Parts = append(v.Parts, evaluator.Part{Request: encoded(reqs[i]), Effect: one.effect, Rule: m.ref(one)})
		if explain {
			v.Trace = append(v.Trace, m.trace(i, r, one)...)
		}
	}
	v.Native.Effect, v.Effect = evaluator.Strictest(effects...), evaluator.Strictest(ends...) // all of it must pass
	if i := slices.Index(ends, v.Effect); i >= 0 {
		m.conclude(&v, answers[i])
	}
	return v, nil
}

// answered is the end of a request that Cursor asks about, after our callback,
// and the callback's rule that decided.
func (m *meaning) answered(r request, a answer) (end evaluator.Effect, ruled *int) {
	if a.effect != evaluator.Ask || a.form {
		return a.effect, nil
	}
	for _, action := range (Dialect{}).Asked(evaluator.Action{}, encoded(r)) { // one, or none
		if e, i, ok := m.answers.Answer(action, m.env); ok {
			return e, &i
		}
	}
	if m.native.Callback.Permission == AllowPermission {
		return evaluator.Allow, nil
	}
	return evaluator.Ask, nil
}

// conclude says who decides and who holds Cursor to it.
func (m *meaning) conclude(v *evaluator.Verdict, a answer) {
	v.Effect, v.Reason, v.Rule = a.end, a.reason, m.ref(a)
	if a.assume != "" {
		v.Assumed = append(v.Assumed, a.assume)
	}
	switch {
	case a.effect == evaluator.Unknown:
	case a.effect == evaluator.Ask && a.form:
		v.Decider, v.Enforcer = evaluator.ByPerson, evaluator.EnforcedByAdapter
	case a.effect == evaluator.Ask:
		v.Decider, v.Enforcer = evaluator.ByPerson, evaluator.EnforcedByAdapter
		v.Rule = &evaluator.RuleRef{Layer: callback.Layer, Native: m.answer, Pointer: callbackPointer}
		if a.ruled != nil {
			v.Rule = &evaluator.RuleRef{Index: *a.ruled, Layer: callback.Layer, Native: m.answers.Native(*a.ruled), Pointer: callback.Pointer(*a.ruled)}
		}
		switch a.end {
		case evaluator.Allow:
			v.Decider = evaluator.ByAdapter
			v.Reason += "; the callback allows it"
		case evaluator.Deny:
			v.Decider = evaluator.ByAdapter
			v.Reason += "; the callback declines it"
		default:
			v.Reason += "; the callback leaves it to a person"
		}
	case a.token != nil:
		v.Decider, v.Enforcer = evaluator.ByRule, evaluator.EnforcedByRule
	case a.effect == evaluator.Review:
		v.Decider, v.Enforcer = evaluator.ByReviewer, evaluator.EnforcedByMode
	case a.enforced:
		v.Decider, v.Enforcer = evaluator.ByMode, evaluator.EnforcedByMode
	default:
		v.Decider, v.Enforcer = evaluator.ByMode, evaluator.EnforcedByNobody
	}
	if m.kept && v.Effect != evaluator.Unknown {
		v.Reason += "; no advertised mode has one of the wanted names, so the session keeps its own"
	}
	if len(m.launch.ignored) > 0 {
		v.Reason += "; acp takes and doesn't apply " + strings.Join(m.launch.ignored, ", ")
	}
}

// ref points at what decided: a token of the user's, or the wanted modes.
func (m *meaning) ref(a answer) *evaluator.RuleRef {
	switch {
	case a.token != nil:
		return a.token.ref()
	case a.byMode:
		return &evaluator.RuleRef{Layer: modeLayer, Native: encoded(m.native.ModeAliases), Pointer: aliasesPointer}
	}
	return nil
}

// trace lists what is looked at for one request, in order.
func (m *meaning) trace(part int, r request, a answer) []evaluator.Step {
	var out []evaluator.Step
	resource := strings.TrimSpace(r.Input.Command + r.Input.Path + r.Input.URL + r.Input.Server + " " + r.Input.Tool)
	for _, t := range append(append([]token{}, m.deny...), m.allow...) {
		s := evaluator.Step{Part: part, Resource: resource, Layer: t.layer, Index: t.index, Native: encoded(t.text), Matched: t.matches(r, m.workspace())}
		s.Decided = a.token != nil && a.token.layer == t.layer && a.token.index == t.index
		switch {
		case s.Decided:
			s.Reason = "it decided"
		case s.Matched && t.layer == allowLayer:
			s.Reason = "it matches, and doesn't decide: it must cover every command, and nothing stricter may apply"
		case s.Matched:
			s.Reason = "it matches, and Cursor doesn't keep it for this tool"
		default:
			s.Reason = "it doesn't match"
		}
		out = append(out, s)
	}
	out = append(out, evaluator.Step{
		Part: part, Resource: resource, Layer: modeLayer, Native: encoded(m.mode), Matched: a.token == nil, Decided: a.token == nil,
		Reason: a.reason, Pointer: aliasesPointer,
	})
	if a.effect == evaluator.Ask && !a.form {
		out = append(out, m.answers.Steps((Dialect{}).Asked(evaluator.Action{}, encoded(r)), m.env, evaluator.Step{
			Part: part, Resource: resource, Layer: callback.Layer, Native: m.answer, Matched: true,
			Decided: a.end != evaluator.Ask, Reason: "our adapter answers what Cursor asks", Pointer: callbackPointer,
		})...)
	}
	return out
}

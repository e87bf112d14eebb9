package claude

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// request is one tool call.
type request struct {
	tool  string
	input map[string]jsontext.Value
	raw   jsontext.Value // as {"tool","input"}
	reads bool           // an MCP tool that the Action says only reads
}

// step is how far a tool's own check got. They stand in the order of
// evaluation: what stops at an earlier one never comes to a later one.
type step uint8

const (
	denied  step = iota // a deny rule
	asked               // an ask rule
	user                // a tool that only a person answers
	danger              // removes what must not go; no mode passes it
	guarded             // writes a protected path; only bypass passes it
	linked              // writes through a link: the same, but auto asks a person
	planned             // plan keeps it from running, whatever is allowed
	runs                // an allow rule, the mode, or nothing to permit
	asks                // nobody has permitted it
	unclear             // what Claude does isn't known
)

// finding is what a tool's check found.
type finding struct {
	step   step
	rule   *Rule
	reason string
}

// decision is what Claude does with one request.
type decision struct {
	effect  evaluator.Effect
	absent  bool
	decider evaluator.Decider
	rule    *Rule
	reason  string
	answer  *int // the callback's rule that answers what Claude asks
}

// decide follows Claude's order of evaluation (its documentation: "Permissions",
// "Hooks"; fits all 2,945 measured calls but where a comment says so): is the
// tool there, hooks, deny rules, ask rules, tools for a person, safety checks,
// plan, the mode, working directories, allow rules, what needs no permission.
func (s *session) decide(r request, t *tracer) decision {
	if rule, why, gone := s.absent(r.tool, t); gone {
		return decision{effect: evaluator.Deny, absent: true, decider: evaluator.ByRule, rule: rule, reason: why}
	}
	hook, r := s.preToolUse(r)
	switch hook {
	case hookDeny:
		return decision{effect: evaluator.Deny, decider: evaluator.ByRule, reason: "a PreToolUse hook denies it"}
	case hookDefer:
		return decision{effect: evaluator.Deny, decider: evaluator.ByRule, reason: "a PreToolUse hook defers it: the run ends"}
	}
	f := s.check(r, t)
	switch {
	case f.step == denied:
		return decision{effect: evaluator.Deny, decider: evaluator.ByRule, rule: f.rule, reason: f.reason}
	case f.step == unclear:
		return decision{effect: evaluator.Unknown, decider: evaluator.ByNobody, reason: f.reason}
	case hook == hookAsk:
		return s.prompt(decision{effect: evaluator.Ask, decider: evaluator.ByPerson, reason: "a PreToolUse hook asks"}, false)
	case f.step == asked, f.step == user:
		return s.prompt(decision{effect: evaluator.Ask, decider: evaluator.ByPerson, rule: f.rule, reason: f.reason}, true)
	case f.step == danger:
		if s.classifies() && s.version != V197 {
			return decision{effect: evaluator.Deny, decider: evaluator.ByMode, reason: f.reason + "; auto mode denies that without asking"}
		}
		return s.prompt(decision{effect: evaluator.Ask, decider: evaluator.ByPerson, reason: f.reason}, true)
	case s.opens():
		return decision{effect: evaluator.Allow, decider: evaluator.ByMode, reason: string(s.mode) + " runs what no rule and no safety check stops"}
	case f.step == guarded:
		return s.unpermitted(f)
	case f.step == planned, f.step == linked:
		return s.prompt(decision{effect: evaluator.Ask, decider: evaluator.ByPerson, reason: f.reason}, true)
	case f.step == runs:
		by := evaluator.ByMode
		if f.rule != nil {
			by = evaluator.ByRule
		}
		return decision{effect: evaluator.Allow, decider: by, rule: f.rule, reason: f.reason}
	case hook == hookAllow && !(s.mode == Plan && r.tool == "Bash"):
		return decision{effect: evaluator.Allow, decider: evaluator.ByRule, reason: "a PreToolUse hook allows it"}
	}
	return s.unpermitted(f)
}

// unpermitted is the end for what nobody has permitted: a person is asked, auto
// asks its classifier, dontAsk denies.
func (s *session) unpermitted(f finding) decision {
	if s.classifies() && !s.noPrompts {
		return decision{effect: evaluator.Review, decider: evaluator.ByReviewer, reason: f.reason + ": auto mode's classifier decides"}
	}
	return s.prompt(decision{effect: evaluator.Ask, decider: evaluator.ByPerson, reason: f.reason}, true)
}

// prompt asks the host, unless nobody may be asked. What a hook asks is asked
// even in dontAsk.
func (s *session) prompt(d decision, dontAsk bool) decision {
	switch {
	case dontAsk && s.mode == DontAsk:
		d.effect, d.decider, d.reason = evaluator.Deny, evaluator.ByMode, d.reason+"; dontAsk denies instead of asking"
	case s.noPrompts:
		d.effect, d.decider, d.reason = evaluator.Deny, evaluator.ByMode, d.reason+"; prompts are switched off"
	}
	return d
}

// check is the tool's own part.
func (s *session) check(r request, t *tracer) finding {
	if s.version == V197 && (r.tool == "Bash" || r.tool == "WebFetch") {
		// There a rule that asks for every use comes before one that denies some.
		if f, ok := s.byTool(r.tool, t); ok {
			return f
		}
	}
	switch r.tool {
	case "Bash":
		return s.checkBash(r, t)
	case "Read":
		return s.checkRead(r, t)
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		return s.checkEdit(r, t)
	case "WebFetch":
		return s.checkWebFetch(r, t)
	case "Agent":
		return s.checkAgent(r, t)
	case "Skill":
		return s.checkSkill(r, t)
	}
	if _, _, ok := mcpTool(r.tool); ok {
		return s.checkMCP(r, t)
	}
	return s.checkOther(r, t)
}

// byTool looks at the rules that speak of every use of a tool. ok is false when
// none decides.
func (s *session) byTool(tool string, t *tracer) (finding, bool) {
	if rule := t.first(s.rules.Ask, func(r *Rule) bool { return r.whole(tool, false) }, tool); rule != nil {
		return finding{asked, rule, "the rule asks for every use of " + tool}, true
	}
	return finding{}, false
}

// allowed looks for an allow rule that speaks of every use of a tool.
func (s *session) allowed(tool string, t *tracer) *Rule {
	return t.first(s.rules.Allow, func(r *Rule) bool { return r.whole(tool, true) && !s.dropped(r) }, tool)
}

// dropped reports whether auto ignores an allow rule because it would run
// anything.
func (s *session) dropped(r *Rule) bool {
	if s.mode != Auto {
		return false
	}
	switch r.Tool {
	case "Agent":
		return true
	case "Bash":
		return r.Content == "" || runsAnything(r.Content, s.version)
	}
	return false
}

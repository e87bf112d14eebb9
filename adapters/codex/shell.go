package codex

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// shell judges one exec_command: the gate for escalated calls, then the rules and
// heuristics, then where it runs. Measured on 0.171.0, 2026-11-30.
func (m *meaning) shell(q request, part int, explain bool) outcome {
	if o, stop := m.escalationGate(q); stop {
		return o
	}
	if _, err := patchPaths(q.Cmd); err == nil {
		return rejected("a patch isn't a script: Codex tells the model to call apply_patch")
	}
	if patch, dir, ok := interceptPatch(q.Cmd); ok {
		list, err := patchPaths(patch)
		if err != nil {
			return rejected("the patch is refused before any approval: " + err.Error())
		}
		return m.patch(list, paths.Abs(m.dir(q), dir))
	}
	if m.env.Platform == "windows" {
		return unknown("what Codex makes of commands on Windows wasn't measured")
	}
	if m.rules.broken != nil && m.rules.broken.Unread {
		return unknown("a rule file uses a part of Starlark that isn't read here: " + m.rules.broken.Error())
	}
	s := splitScript(m.argv(q))
	d := m.decide(s, q, part, explain)
	o := m.conclude(d, s, q)
	o.steps = d.steps
	o.writes = true
	o.assumed = append(o.assumed, d.assumed...)
	return o
}

// escalationGate rejects calls that ask for more than the sandbox where nothing
// may be asked. It comes before the rules: an allow doesn't help.
func (m *meaning) escalationGate(q request) (outcome, bool) {
	p := m.settings.Approval
	if q.Permissions == "" || q.Permissions == useDefault {
		return outcome{}, false
	}
	switch {
	case p.Word == never:
		return rejected("approvalPolicy never rejects every call with sandbox_permissions, before any rule is asked"), true
	case p.Word == granular && !p.Granular.SandboxApproval:
		return rejected("granular with sandbox_approval=false rejects every call with sandbox_permissions, before any rule is asked"), true
	case q.Permissions == withAdditional && p.Word != onRequest:
		return rejected("with_additional_permissions is for approvalPolicy on-request alone"), true
	}
	return outcome{}, false
}

// unknownFolder stands for the app-server's own folder where that isn't known: no
// host_executable has a path there.
const unknownFolder = "/<agent>"

// decision is what the rules and heuristics make of a script.
type decision struct {
	of      execpolicy.Decision
	match   *execpolicy.Match // the rule that decided, nil for a heuristic
	forced  bool              // the heuristic was the forced removal
	doubt   string            // why it can't be predicted
	allowed bool              // every unit matched an allow rule
	steps   []evaluator.Step
	assumed []string
}

// decide takes the strictest of all units: for each its strictest rule, or the
// heuristic when no rule matches.
func (m *meaning) decide(s split, q request, part int, explain bool) decision {
	out := decision{allowed: true}
	where := execpolicy.Where{Dir: cmp.Or(m.facts.AgentFolder, unknownFolder), ByPaths: true}
	for _, u := range s.Units {
		match := execpolicy.Strictest(m.rules.policy.Match(u, where))
		one := decision{match: match}
		if match != nil {
			one.of = match.Rule.Decision
		} else {
			one = m.heuristic(u, q)
		}
		out.allowed = out.allowed && match != nil && one.of == execpolicy.Allow
		if explain {
			out.steps = append(out.steps, m.rules.trace(part, u, where, match)...)
		}
		if one.doubt != "" {
			out.doubt = one.doubt
		}
		if one.of > out.of {
			out.of, out.match, out.forced = one.of, one.match, one.forced
		}
	}
	if m.facts.AgentFolder == "" && slices.ContainsFunc(s.Units, m.rules.hosted) {
		out.assumed = append(out.assumed, "the app-server's folder isn't known: a relative path is taken to lead to no host_executable")
	}
	if !s.Plain && m.facts.Shell == "" && q.Shell == "" && m.rules.any() {
		out.assumed = append(out.assumed, "the user's shell isn't known: it is taken for "+defaultShell)
	}
	return out
}

// heuristic decides about a unit that no rule matches. There is no list of known
// safe commands any more.
func (m *meaning) heuristic(u unit, q request) decision {
	word := m.settings.Approval.Word
	switch removal := forcedRemoval(u); {
	case removal == maybeByForce && word != untrusted:
		return decision{of: m.unmatched(q), doubt: "the script may remove files by force, and whether Codex's parser reads it as ours does isn't known"}
	case removal != byForce:
		return decision{of: m.unmatched(q)}
	case word == never:
		return decision{of: execpolicy.Forbidden, forced: true}
	}
	return decision{of: execpolicy.Prompt, forced: true}
}

func (m *meaning) unmatched(q request) execpolicy.Decision {
	switch {
	case m.settings.Approval.Word == untrusted:
		return execpolicy.Prompt
	case m.settings.Approval.Word == never, m.box.Full, q.Permissions == "", q.Permissions == useDefault:
		return execpolicy.Allow
	}
	return execpolicy.Prompt
}

// conclude turns the decision into what happens.
func (m *meaning) conclude(d decision, s split, q request) outcome {
	if d.doubt != "" && d.of != execpolicy.Forbidden {
		return unknown(d.doubt)
	}
	switch d.of {
	case execpolicy.Forbidden:
		return m.forbidden(d, s)
	case execpolicy.Prompt:
		return m.prompt(d, s, q)
	}
	return m.run(d, s, q)
}

func (m *meaning) forbidden(d decision, s split) outcome {
	if d.match == nil {
		return rejected("rm -f style commands are rejected under approvalPolicy never")
	}
	o := rejected(m.rules.name(d.match) + " rejects it" + m.bestEffort())
	o.decider, o.enforcer, o.match = evaluator.ByRule, evaluator.EnforcedByRule, d.match
	return o
}

// bestEffort says what rules that stop a command are worth.
func (m *meaning) bestEffort() string {
	return "; that is best effort, because a rewording (a redirection, a comment, a wrapper such as env) isn't matched"
}

func (m *meaning) prompt(d decision, s split, q request) outcome {
	p := m.settings.Approval
	why := m.promptReason(d, s)
	switch {
	case p.Word == never:
		o := rejected(why + ", and approvalPolicy never rejects what would ask")
		o.match = d.match
		if d.match != nil {
			o.decider, o.enforcer = evaluator.ByRule, evaluator.EnforcedByRule
		}
		return o
	case p.Word == granular && !p.Granular.Rules && d.match != nil:
		o := rejected(why + ", and granular with rules=false rejects what a rule would ask")
		o.decider, o.enforcer, o.match = evaluator.ByRule, evaluator.EnforcedByRule, d.match
		return o
	}
	o := m.ask(why)
	o.match = d.match
	if d.match != nil {
		o.enforcer = evaluator.EnforcedByRule
		o.reason += m.bestEffort()
	}
	o.then, o.onDenial = m.afterApproval(q, o.effect)
	return o
}

func (m *meaning) promptReason(d decision, s split) string {
	switch {
	case d.match != nil:
		return m.rules.name(d.match) + " asks"
	case d.forced:
		return "rm -f style commands ask"
	case m.settings.Approval.Word == untrusted:
		return "approvalPolicy untrusted asks for every command" + m.unmatchedNote(s)
	}
	return "the call asks to leave the sandbox"
}

// unmatchedNote says why no rule speaks of a command.
func (m *meaning) unmatchedNote(s split) string {
	switch {
	case m.rules.broken != nil:
		return fmt.Sprintf("; no rule counts, because one rule file is broken: %v", m.rules.broken)
	case m.rules.any() && !s.Plain:
		return "; the rules aren't asked about the commands in it, because of " + s.Why
	}
	return ""
}

// ask is the approval of the person, or of the reviewer where it acts: never asks
// nobody, and untrusted always asks the person.
func (m *meaning) ask(why string) outcome {
	o := outcome{effect: evaluator.Ask, decider: evaluator.ByPerson, enforcer: evaluator.EnforcedByMode, reason: why}
	if m.reviewed() {
		o.effect, o.decider = evaluator.Review, evaluator.ByReviewer
		o.reason += ", and approvalsReviewer " + byAutoReview + " answers"
	}
	if m.facts.PermissionHook {
		o.effect, o.decider, o.reason = evaluator.Unknown, evaluator.ByNobody, why+", and a PermissionRequest hook answers first: what it says isn't known"
	}
	return o
}

func (m *meaning) reviewed() bool {
	word := m.settings.Approval.Word
	return m.settings.Reviewer != byUser && (word == onRequest || word == granular)
}

// retries reports whether a denial by the sandbox leads to a second attempt
// without it.
func (m *meaning) retries() bool {
	p := m.settings.Approval
	return p.Word == untrusted || p.Word == granular && p.Granular.SandboxApproval
}

// afterApproval says where an approved command runs. Except for escalated calls
// the first attempt is sandboxed also then. A failure counts as a denial when the
// output has one of a few words and comes within about 150 ms of the start.
func (m *meaning) afterApproval(q request, asked evaluator.Effect) (then, onDenial string) {
	if m.box.Full || q.Permissions == escalated {
		return runsUnsandboxed, ""
	}
	if !m.retries() {
		return runsSandboxed, thenFails
	}
	onDenial = thenUnsandboxed
	if asked == evaluator.Review {
		onDenial = thenReview
	}
	switch {
	case q.denied == nil:
		return runsTwice, onDenial
	case *q.denied:
		return runsUnsandboxed, onDenial
	}
	return runsSandboxed, onDenial
}

// run is a command that nobody is asked about.
func (m *meaning) run(d decision, s split, q request) outcome {
	o := outcome{effect: evaluator.Allow, decider: evaluator.ByMode, enforcer: evaluator.EnforcedBySandbox, match: d.match}
	switch {
	case m.box.Full:
		o.decider, o.enforcer = evaluator.ByNobody, evaluator.EnforcedByNobody
		o.reason = fmt.Sprintf("%s has no sandbox, and approvalPolicy %s asks for nothing here", m.settings.SandboxPolicy.Type, m.settings.Approval.Word)
		if d.allowed {
			o.decider, o.enforcer = evaluator.ByRule, evaluator.EnforcedByRule
			o.reason = m.rules.name(d.match) + " lets it run"
		}
	case d.allowed:
		o.decider, o.enforcer = evaluator.ByRule, evaluator.EnforcedByRule
		o.reason = m.rules.name(d.match) + " lets it run, outside the sandbox: an allow rule removes it"
	default:
		o.match = nil
		o.confinement = m.box.confinement(true)
		o.reason = fmt.Sprintf("approvalPolicy %s lets it run in the %s sandbox", m.settings.Approval.Word, m.settings.SandboxPolicy.Type)
		o.onDenial = m.unaskedDenial()
	}
	if !d.allowed {
		o.reason += m.unmatchedNote(s)
	}
	return o
}

// unaskedDenial is what follows when the sandbox stops a command that nobody was
// asked about.
func (m *meaning) unaskedDenial() string {
	switch {
	case !m.retries():
		return thenFails
	case m.reviewed():
		return thenReview
	}
	return thenAsks
}

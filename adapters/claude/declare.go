package claude

import (
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// span is the loosest and the strictest that a mode does with a kind of Action.
type span struct {
	loose, strict evaluator.Effect
	reason        string
}

// answers is the table of the modes, as a writer knows them without reading
// anything back (measured on 2.1.332, 2026-11-30).
func answers(n Native) map[evaluator.Kind]span {
	const ask, allow, review = evaluator.Ask, evaluator.Allow, evaluator.Review
	mode := *n.TurnPermissionMode
	other, change := ask, span{ask, ask, "every change of a file is asked for"}
	outside := span{ask, ask, "what is outside the working directories is asked for"}
	switch {
	case mode == Bypass:
		other, change, outside = allow, span{allow, allow, "bypassPermissions runs everything"}, span{allow, allow, "bypassPermissions runs everything"}
	case mode == Auto:
		other, change = review, span{allow, allow, "auto changes files in the working directories without a review"}
		outside = span{allow, review, "auto reads everywhere"}
	case mode == Plan && n.PermissionMode != nil && *n.PermissionMode == Auto:
		other, outside = review, span{allow, review, "plan with auto mode reads everywhere"}
		change = span{review, ask, "plan asks before a tool changes a file, and has commands that change files reviewed"}
	case mode == Plan:
		change.reason = "plan asks before it changes a file"
	case mode == AcceptEdits:
		change = span{allow, allow, "acceptEdits changes files in the working directories"}
	case mode == DontAsk:
		other, change = evaluator.Deny, span{evaluator.Deny, evaluator.Deny, "dontAsk denies what nothing allows"}
		outside = change
	}
	agent := allow
	if other == review {
		agent = review
	}
	plain := span{other, other, "the mode's own answer is " + other.String()}
	table := map[evaluator.Kind]span{
		evaluator.Command:          {allow, other, "commands that only read run in every mode"},
		evaluator.FileRead:         {allow, allow, "the working directories may be read in every mode"},
		evaluator.FileChange:       change,
		evaluator.OutsideWorkspace: outside,
		evaluator.WebFetch:         plain,
		evaluator.WebSearch:        plain,
		evaluator.MCPTool:          plain,
		evaluator.Subagent:         {agent, agent, "subagents start without asking"},
		evaluator.Question:         {ask, ask, "a question is for a person in every mode"},
	}
	if n.Callback.Default == answerAllow {
		for kind, s := range table {
			if kind == evaluator.Question {
				continue
			}
			if s.loose == ask {
				s.loose, s.reason = allow, s.reason+", and the callback allows what is asked"
			}
			if s.strict == ask {
				s.strict = allow
			}
			table[kind] = s
		}
	}
	return table
}

// declare lists what the settings don't keep of the policy.
func declare(in compiler.Intent, n Native, rules []emitted) []evaluator.Gap {
	var out []evaluator.Gap
	add := func(kind evaluator.Kind, r compiler.Rule, s span) {
		for _, d := range []struct {
			direction evaluator.Direction
			got       evaluator.Effect
			is        bool
		}{
			{evaluator.Wider, s.loose, compiler.Looser(s.loose, r.Effect)},
			{evaluator.Narrower, s.strict, compiler.Looser(r.Effect, s.strict)},
		} {
			if d.is {
				g := compiler.NewGap(evaluator.Claude, kind, r, d.direction)
				g.Got, g.Reason = d.got, s.reason
				out = append(out, g)
			}
		}
	}
	table := answers(n)
	for _, kind := range compiler.ConditionKinds() {
		r := in.Governs(kind)
		if r != nil && kind == evaluator.Question && r.Effect != evaluator.Deny {
			continue // whoever may ask a question may wait for the answer
		}
		if r != nil {
			add(kind, *r, table[kind])
		}
	}
	said := map[string]bool{}
	for _, e := range rules {
		said[e.rule.ID] = true
		if e.rule.Effect == evaluator.Ask && n.Callback.Default == answerAllow {
			add(e.rule.Kind, e.rule, span{evaluator.Allow, evaluator.Allow, "the callback allows what the rule asks"})
		}
		if e.rule.Kind == evaluator.Command && e.rule.Effect == evaluator.Allow && strings.Contains(strings.TrimSuffix(e.rule.Match, " *"), " ") {
			add(e.rule.Kind, e.rule, span{evaluator.Allow, table[evaluator.Command].strict, "the rule compares the text, blanks included"})
		}
	}
	for _, r := range in.Narrow() {
		if !said[r.ID] && r.Match != compiler.PlanFiles {
			s := table[r.Kind]
			s.reason = "Claude's rules can't say it: " + s.reason
			add(r.Kind, r, s)
		}
	}
	return out
}

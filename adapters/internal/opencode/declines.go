package opencode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Some of what a policy denies OpenCode can only ask about: OpenCode 2 refuses
// sessions that deny shell or read, and both generations compare a command's text
// where a policy compares its words. Such a deny is also written as a rule for an
// action that no tool has, so that OpenCode leaves it alone; our adapter reads it
// out of the settings and declines by itself what OpenCode then asks.
//
// Its action is one of these and the kind of a policy rule, its resource that
// rule's match, its effect always ask. The last that matches decides, as in the
// policy: one that leaves takes an exception out of an earlier one that declines.
const (
	declinesPrefix = "modegate-declines:"
	leavesPrefix   = "modegate-leaves:"
)

// ToAdapter reports whether a rule with this action is one that our adapter reads.
func ToAdapter(action string) bool {
	return strings.HasPrefix(action, declinesPrefix) || strings.HasPrefix(action, leavesPrefix)
}

// Declines writes the rules by which the adapter declines what is asked, from the
// first rule on that denies, of these kinds, what OpenCode can't.
func (w *Writer) Declines(needed func(compiler.Rule) bool, kinds ...evaluator.Kind) {
	rules := w.In.Effective()
	from := slices.IndexFunc(rules, func(r compiler.Rule) bool {
		return r.Effect == evaluator.Deny && (slices.Contains(kinds, r.Kind) || r.Kind == evaluator.AnyKind) && needed(r)
	})
	if from < 0 {
		return
	}
	var sent []policies.Rule
	for _, r := range rules[from:] {
		if !slices.Contains(kinds, r.Kind) && r.Kind != evaluator.AnyKind {
			continue
		}
		sent = append(sent, r.Rule)
		prefix, matches := leavesPrefix, []string{r.Match}
		if r.Effect == evaluator.Deny {
			prefix = declinesPrefix
		}
		if r.Match == compiler.PlanFiles {
			matches = w.In.PlanFiles
		}
		for _, match := range matches {
			w.Add(lastmatch.Rule{Action: prefix + string(r.Kind), Resource: match, Effect: evaluator.Ask}, r.Source)
		}
	}
	w.declining, w.denied = kinds, compiler.IntentOf(sent)
	w.denied.PlanFiles = w.In.PlanFiles
}

// ReadCallback reads a profile's callback, and reports whether a person answers
// whatever OpenCode asks, so that nothing is declined by the adapter.
func ReadCallback(r *policies.Reader, n *policies.Node) (person bool) {
	return r.Word(n, "callback", "ask", "person") == "person"
}

// Decliner is what the adapter declines by itself under a session's rules.
type Decliner struct {
	answers   callback.Answerer
	rules     []callback.Rule
	positions []int // of its rules among the session's
	actions   map[string]evaluator.Kind
	env       evaluator.Env
}

// NewDecliner reads the rules that are the adapter's out of a session's. actions
// are those of a generation that it may decline.
func NewDecliner(session []lastmatch.Rule, actions map[string]evaluator.Kind, env evaluator.Env) (*Decliner, error) {
	d := &Decliner{actions: actions, env: env}
	var rules []callback.Rule
	for i, r := range session {
		effect := evaluator.Deny
		kind, ok := strings.CutPrefix(r.Action, declinesPrefix)
		if !ok {
			effect = evaluator.Ask
			if kind, ok = strings.CutPrefix(r.Action, leavesPrefix); !ok {
				continue
			}
		}
		rules, d.positions = append(rules, callback.Rule{Kind: evaluator.Kind(kind), Match: r.Resource, Effect: effect}), append(d.positions, i)
	}
	if rules == nil {
		return nil, nil
	}
	if err := callback.Check(rules); err != nil {
		return nil, fmt.Errorf("the adapter's own rules: %w", err)
	}
	d.rules, d.answers = rules, callback.New(rules, nil)
	return d, nil
}

// A Denial is what the adapter declines a request by.
type Denial struct {
	Position int // of the rule among the session's
	Rule     callback.Rule
}

// Reason says it to whoever reads the session's history.
func (d Denial) Reason() string {
	return fmt.Sprintf("the policy denies it: rule %d of the session, %s %s", d.Position, d.Rule.Kind, quote(d.Rule.Match))
}

// Refusal says it to the model, of a request with a title.
func (d Denial) Refusal(title string) string {
	return fmt.Sprintf("A policy denies this (%s), by its rule for %s %s. ", title, d.Rule.Kind, quote(d.Rule.Match)) + goOn
}

// Refused is what the model reads of a request that a person declined.
func Refused(title string) string { return "The user declined this (" + title + "). " + goOn }

const goOn = "Don't try it again or reach the same by other means; go on without it, or say what you would need."

// Declines returns what the adapter declines a request for an action's texts by.
// A nil Decliner declines nothing.
func (d *Decliner) Declines(action string, texts []string) (by Denial, ok bool) {
	if d == nil {
		return Denial{}, false
	}
	kind, ok := d.actions[action]
	if !ok {
		return Denial{}, false
	}
	for _, text := range texts {
		a := evaluator.Action{Kind: kind}
		if kind == evaluator.Command {
			a.Command = text
		} else {
			a.Path = text
		}
		if e, i, _ := d.answers.Answer(a, d.env); e == evaluator.Deny {
			return Denial{d.positions[i], d.rules[i]}, true
		}
	}
	return Denial{}, false
}

// Decline ends what OpenCode asks and the adapter declines.
func (r *Rules) Decline(v *evaluator.Verdict, w Words, d *Decliner, requests []Request) {
	if d == nil || v.Effect != evaluator.Ask {
		return
	}
	for part, q := range requests {
		var texts []string
		for _, res := range q.Resources {
			texts = append(texts, res.Text)
		}
		by, ok := d.Declines(q.Action, texts)
		if !ok || r.possible(q).effect() != evaluator.Ask {
			continue
		}
		v.Effect, v.Decider, v.Enforcer = evaluator.Deny, evaluator.ByAdapter, evaluator.EnforcedByAdapter
		v.Rule = r.Ref(w, r.agent+by.Position)
		v.Reason += fmt.Sprintf("; the adapter declines it by itself: rule %d of the session, %s %s", by.Position, r.all[r.agent+by.Position].Action, quote(by.Rule.Match))
		d.explain(v.Trace, part, q.Action, by)
		return
	}
}

// explain marks in a trace what the adapter declines a request by.
func (d *Decliner) explain(trace []evaluator.Step, part int, action string, by Denial) {
	for i := range trace {
		s := &trace[i]
		if s.Part != part || s.Layer != SessionLayer || s.Index != by.Position {
			continue
		}
		if one, ok := d.Declines(action, []string{s.Resource}); ok && one.Position == by.Position {
			s.Matched, s.Decided, s.Reason = true, true, "it decides: our adapter declines what OpenCode asks"
		}
	}
}

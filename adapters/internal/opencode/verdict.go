package opencode

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/evaluator"
)

// Words are how one generation writes rules and requests.
type Words struct {
	Rule    func(lastmatch.Rule) jsontext.Value
	Request func(action string, resources []string) jsontext.Value
}

// Verdict judges the requests that an Action becomes. All of them must pass; no
// request at all means that nothing looks at the Action, and it runs.
func (r *Rules) Verdict(w Words, requests []Request, explain bool) evaluator.Verdict {
	v := evaluator.Verdict{Decider: evaluator.ByNobody, Enforcer: evaluator.EnforcedByNobody}
	if len(requests) == 0 {
		v.Effect = evaluator.Allow
		v.Native.Effect = v.Effect
		v.Reason = "OpenCode raises no permission request for this, so it runs whatever the rules say"
		return v
	}
	total := one(evaluator.Allow)
	answers := make([]answer, len(requests))
	for i, q := range requests {
		answers[i] = r.answer(q)
		total = total.with(answers[i].set)
		v.Parts = append(v.Parts, r.part(w, q, answers[i]))
		if explain {
			v.Trace = append(v.Trace, r.trace(w, i, q)...)
		}
	}
	v.Effect = total.effect()
	v.Native.Effect = v.Effect
	if v.Effect == evaluator.Unknown {
		v.Reason = r.doubt(requests, answers, total)
		return v
	}
	for i, a := range answers {
		if a.set.effect() == v.Effect {
			v.Rule = v.Parts[i].Rule
			v.Reason = r.reason(requests[i], a)
			v.Decider, v.Enforcer = who(v.Effect, a.rule)
			return v
		}
	}
	v.Reason = "each request may come to another effect, all together come to " + v.Effect.String()
	return v
}

// answer is what one request comes to, with the text and rule that decide it.
type answer struct {
	set  outcomes
	text string
	rule int // position, -1: none
}

func (r *Rules) answer(q Request) answer {
	a := answer{set: r.possible(q), rule: -1}
	want := a.set.effect()
	for _, res := range q.Resources {
		e, i := r.Decide(q.Action, res.Text)
		if e == want {
			return answer{set: a.set, text: res.Text, rule: i}
		}
	}
	if len(q.Resources) > 0 {
		a.text = q.Resources[0].Text
	}
	if q.Doubt != "" && want != evaluator.Unknown {
		_, a.rule = r.Decide(q.Action, "")
	}
	return a
}

func (r *Rules) part(w Words, q Request, a answer) evaluator.Part {
	texts := []string{}
	for _, res := range q.Resources {
		texts = append(texts, res.Text)
	}
	return evaluator.Part{Request: w.Request(q.Action, texts), Effect: a.set.effect(), Rule: r.Ref(w, a.rule)}
}

// Ref points at a rule by its position; nil for none.
func (r *Rules) Ref(w Words, position int) *evaluator.RuleRef {
	if position < 0 {
		return nil
	}
	layer, index := r.layer(position)
	ref := &evaluator.RuleRef{Index: index, Layer: layer, Native: w.Rule(r.all[position])}
	switch layer {
	case SessionLayer:
		ref.Pointer = "/" + strconv.Itoa(index)
	case AgentLayer:
		ref.Pointer = AgentPointer(index)
	}
	return ref
}

// AgentPointer is the pointer of a rule of the session's agent, by its place in the
// agent's list.
func AgentPointer(index int) string { return AgentLayer + "#/" + strconv.Itoa(index) }

func who(e evaluator.Effect, rule int) (evaluator.Decider, evaluator.Enforcer) {
	enforcer := evaluator.EnforcedByRule
	if rule < 0 {
		enforcer = evaluator.EnforcedByMode
	}
	if e == evaluator.Ask {
		return evaluator.ByPerson, enforcer
	}
	return evaluator.ByRule, enforcer
}

func (r *Rules) reason(q Request, a answer) string {
	verb := map[evaluator.Effect]string{evaluator.Allow: "is allowed", evaluator.Ask: "asks", evaluator.Deny: "is denied"}[a.set.effect()]
	subject := fmt.Sprintf("%s %s", q.Action, quote(a.text))
	if q.Doubt != "" {
		subject = q.Action + ", whatever its texts are,"
	}
	if a.rule < 0 {
		if a.set.effect() == evaluator.Ask {
			return subject + " asks: no rule matches, and that is OpenCode's default"
		}
		return subject + " " + verb
	}
	layer, index := r.layer(a.rule)
	rule := r.all[a.rule]
	return fmt.Sprintf("%s %s by rule %d of the %s: %s %s %s", subject, verb, index, layer, rule.Action, quote(rule.Resource), rule.Effect)
}

// doubt explains why the whole can't be predicted.
func (r *Rules) doubt(requests []Request, answers []answer, total outcomes) string {
	var parts []string
	for i, q := range requests {
		if answers[i].set.effect() != evaluator.Unknown {
			continue
		}
		why := "it isn't known whether a path is a folder"
		if q.Doubt != "" {
			why = q.Doubt
		}
		parts = append(parts, fmt.Sprintf("%s may be %s (%s)", q.Action, answers[i].set.words(), why))
	}
	return fmt.Sprintf("can't be predicted, %s: %s", total.words(), strings.Join(parts, "; "))
}

// quote shows a text on one line, shortened.
func quote(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		s = string(runes[:longest]) + "…"
	}
	return strconv.Quote(s)
}

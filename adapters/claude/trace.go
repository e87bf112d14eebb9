package claude

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

func itoa(n int) string { return strconv.Itoa(n) }

// tracer writes down the rules that were looked at. A nil tracer writes nothing.
type tracer struct {
	part  int
	steps []evaluator.Step
	noted map[stepKey]int // where a step is: a rule is looked at once for each text
}

type stepKey struct {
	rule     *Rule
	resource string
}

// first returns the first rule that matches, or nil. resource is what the rules
// are compared with.
func (t *tracer) first(list []Rule, matches func(*Rule) bool, resource string) *Rule {
	for i := range list {
		ok := matches(&list[i])
		t.note(&list[i], resource, ok)
		if ok {
			return &list[i]
		}
	}
	return nil
}

func (t *tracer) note(r *Rule, resource string, matched bool) {
	if t == nil {
		return
	}
	reason := "the rule doesn't speak of this"
	if matched {
		reason = "the rule speaks of this"
	}
	key := stepKey{r, resource}
	if i, ok := t.noted[key]; ok {
		if matched {
			t.steps[i].Matched, t.steps[i].Reason = true, reason
		}
		return
	}
	if t.noted == nil {
		t.noted = map[stepKey]int{}
	}
	t.noted[key] = len(t.steps)
	t.steps = append(t.steps, evaluator.Step{
		Part: t.part, Resource: resource, Layer: string(r.layer), Index: r.index, Native: r.native(),
		Matched: matched, Reason: reason, Pointer: r.pointer,
	})
}

// decided marks the step of the deciding rule.
func (t *tracer) decided(r *Rule) {
	if t == nil || r == nil {
		return
	}
	for i := range t.steps {
		s := &t.steps[i]
		if s.Part == t.part && s.Matched && s.Layer == string(r.layer) && s.Index == r.index && string(s.Native) == string(r.native()) {
			s.Decided, s.Reason = true, "the rule decides"
		}
	}
}

func (r *Rule) native() jsontext.Value {
	b, err := json.Marshal(r.text)
	if err != nil {
		return jsontext.Value(`""`)
	}
	return b
}

func (r *Rule) ref() *evaluator.RuleRef {
	if r == nil {
		return nil
	}
	return &evaluator.RuleRef{Index: r.index, Layer: string(r.layer), Native: r.native(), Pointer: r.pointer}
}

package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
)

// answersBody is what POST …/answers takes: for each question a text, or a list
// of texts.
type answersBody struct {
	Answers map[string]jsontext.Value `json:"answers"`
}

func postAnswers(d *desk, c *call) {
	var in answersBody
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return
	}
	d.respondTo(c, broker.Questioned, func(e *entry) (broker.Answer, *problem) {
		a, bad := answersTo(e.asked, in.Answers)
		if len(bad) > 0 {
			return a, invalid(bad...)
		}
		return a, nil
	})
}

// answersTo holds answers against the questions: each has one, none is empty,
// and what isn't offered is taken only where own texts are.
func answersTo(r broker.Request, given map[string]jsontext.Value) (a broker.Answer, bad []place) {
	refuse := func(id string, err error) {
		bad = append(bad, wrong("/answers/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(id), err))
	}
	a.Answers = map[string][]string{}
	for _, q := range r.Questions {
		raw, ok := given[q.ID]
		if !ok {
			refuse(q.ID, errors.New("the question has no answer"))
			continue
		}
		texts, err := textsOf(q, raw)
		if err != nil {
			refuse(q.ID, err)
			continue
		}
		a.Answers[q.ID] = texts
	}
	for _, id := range sortedKeys(given) {
		if !slices.ContainsFunc(r.Questions, func(q broker.Question) bool { return q.ID == id }) {
			refuse(id, errors.New("there is no such question"))
		}
	}
	return a, bad
}

func textsOf(q broker.Question, raw jsontext.Value) (texts []string, err error) {
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil && raw.Kind() == '"':
		texts = []string{text}
	case json.Unmarshal(raw, &texts) != nil || raw.Kind() != '[':
		return nil, errors.New("an answer is a text, or a list of texts where several may be chosen")
	case !q.Multiple:
		return nil, errors.New("the question takes one answer: give a text, not a list")
	case len(texts) == 0:
		return nil, errors.New("the question has no answer")
	}
	for i, t := range texts {
		switch {
		case strings.TrimSpace(t) == "":
			return nil, errors.New("the answer is empty")
		case len(t) > maxText:
			return nil, fmt.Errorf("longer than %d bytes", maxText)
		case slices.Contains(texts[:i], t):
			return nil, fmt.Errorf("%q is chosen twice", t)
		case !q.Custom && !slices.ContainsFunc(q.Options, func(o broker.Option) bool { return o.Value == t }):
			return nil, fmt.Errorf("%q isn't offered", t)
		}
	}
	return texts, nil
}

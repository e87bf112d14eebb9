package codex

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/loosejson"
)

// readQuestions reads the request_user_input tool's questions. All are shown,
// also those without options, which are answered with a text.
func readQuestions(q asked, r *broker.Request) {
	list := q.params.Get("questions").List()
	if len(list) == 0 {
		r.Title, r.Detail = "questions that can't be read", q.whole.String()
		r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "Dismiss", Scope: thisRequest}}
		return
	}
	r.Shape = broker.Questioned
	r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "Dismiss the question", Scope: thisRequest}}
	ids := map[string]bool{}
	for i, v := range list {
		n := fmt.Sprintf("Question %d", i+1)
		one := broker.Question{
			ID:       nativeID(v, i),
			Header:   first(v, n, "header"),
			Question: first(v, n, "question", "header"),
			Options:  options(v.Get("options").List()),
		}
		for n := 2; ids[one.ID]; n++ {
			one.ID = fmt.Sprintf("%s (%d)", nativeID(v, i), n)
		}
		ids[one.ID] = true
		one.Custom = v.Get("isOther").True() || len(one.Options) == 0
		if v.Get("isSecret").True() {
			r.Detail += fmt.Sprintf("the answer to %q is a secret\n", one.Question)
		}
		r.Questions = append(r.Questions, one)
	}
	r.Title, r.Detail = r.Questions[0].Question, strings.TrimSpace(r.Detail)
}

// nativeID is the id that the answer to a question goes under. Codex hands
// unknown ids on to the model (measured on 0.171.0, 2026-11-30).
func nativeID(v loosejson.Value, i int) string {
	return first(v, fmt.Sprintf("question-%d", i), "id")
}

func options(list []loosejson.Value) []broker.Option {
	out := []broker.Option{}
	seen := map[string]bool{}
	for _, o := range list {
		if label := o.Get("label").Text(); !blank(label) && !seen[label] {
			seen[label] = true
			out = append(out, broker.Option{Value: label, Label: label, Description: o.Get("description").Text()})
		}
	}
	return out
}

// replyQuestions is keyed by the questions' ids, a list for each; two questions
// of one id share their list. Without answers the model reads that nothing was
// said.
func replyQuestions(q asked, r broker.Request, a broker.Answer) (any, error) {
	type list struct {
		Answers []string `json:"answers"`
	}
	answers := map[string]list{}
	native := q.params.Get("questions").List()
	for i, question := range r.Questions {
		if a.Decision == broker.Cancel || i >= len(native) {
			break
		}
		id := nativeID(native[i], i)
		answers[id] = list{append(answers[id].Answers, a.Answers[question.ID]...)}
	}
	return map[string]any{"answers": answers}, nil
}

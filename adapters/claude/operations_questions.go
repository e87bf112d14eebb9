package claude

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/loosejson"
)

// readUserQuestions reads AskUserQuestion's {questions: [{question, header,
// options: [{label, description}], multiSelect}]}. A question's id is its whole
// text, under which Claude looks for the answer; another text than an option's is
// handed on as it is (both measured on 2.1.332, 2026-11-30).
func readUserQuestions(q controlRequest, r *broker.Request) {
	r.Shape = broker.Questioned
	r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "Dismiss the question", Scope: thisRequest}}
	ids := map[string]bool{}
	for i, v := range q.input().Get("questions").List() {
		one := broker.Question{Question: questionText(v, i), Header: v.Get("header").Text(), Multiple: v.Get("multiSelect").True(), Custom: true}
		if strings.TrimSpace(one.Header) == "" {
			one.Header = fmt.Sprintf("Question %d", i+1)
		}
		one.ID = one.Question
		for n := 2; ids[one.ID]; n++ {
			one.ID = fmt.Sprintf("%s (%d)", one.Question, n)
		}
		ids[one.ID] = true
		seen := map[string]bool{}
		for _, o := range v.Get("options").List() {
			if label := o.Get("label").Text(); strings.TrimSpace(label) != "" && !seen[label] {
				seen[label] = true
				one.Options = append(one.Options, broker.Option{Value: label, Label: label, Description: o.Get("description").Text()})
			}
		}
		r.Questions = append(r.Questions, one)
	}
	r.Title = r.Questions[0].Question
	if twins(r.Questions) {
		r.Detail = sameText
	}
}

func questionText(v loosejson.Value, i int) string {
	if text := v.Get("question").Text(); strings.TrimSpace(text) != "" {
		return text
	}
	return fmt.Sprintf("Question %d", i+1)
}

// sameText is why a request can't be answered: 2.1.332 refuses such questions
// itself (measured 2026-11-30).
const sameText = "two of the questions have one text, and Claude keeps one answer a text"

func twins(list []broker.Question) bool {
	texts := map[string]bool{}
	for _, q := range list {
		if texts[q.Question] {
			return true
		}
		texts[q.Question] = true
	}
	return false
}

// replyUserQuestions allows the tool with the answers in its input, several of a
// question joined; Claude itself joins a list without a blank. An answer under
// any other key reads as none, so that a dismissal is a denial and never an empty
// answer.
func replyUserQuestions(q controlRequest, r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	if a.Decision == broker.Cancel {
		message := noAnswers
		if twins(r.Questions) {
			message = "The questions were not shown: " + sameText + ". Ask again with different texts."
		}
		return broker.Steps(q.respond(denial{Behavior: "deny", Message: message}))
	}
	if twins(r.Questions) {
		return nil, fmt.Errorf("request %s can't be answered: %s", r.ID, sameText)
	}
	answers := map[string]string{}
	for _, question := range r.Questions {
		answers[question.Question] = strings.Join(a.Answers[question.ID], ", ")
	}
	input := map[string]any{"questions": q.input().Get("questions").Raw(), "answers": answers}
	return broker.Steps(q.respond(permit{Behavior: "allow", UpdatedInput: input}))
}

package grok

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/acp"
	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// Boundary is the pure half of Grok's live boundary: session/request_permission
// and Grok's own questions and plans, as 1.0.41 sends them (recorded 2026-11-30).
func Boundary() broker.Translator {
	return acp.New(acp.Agent{
		Name: "Grok",
		// After a rejection the turn's stop reason is "cancelled", as after a cancel.
		Refusal: broker.Offer{Decision: broker.Decline, Label: "Refuse: Grok ends the turn", Scope: acp.ThisTurn},
		Extensions: map[string]acp.Extension{
			"x.ai/ask_user_question": {Read: readQuestions, Reply: replyQuestions, Automatic: refuseTwins},
			"x.ai/exit_plan_mode":    {Read: readPlan, Reply: replyPlan, Automatic: takePlan},
		},
		Controls: broker.Controls{
			Decisions:    []broker.Decision{broker.Accept, broker.AcceptForSession, broker.Decline, broker.Cancel},
			SessionGrant: broker.ServiceGrants, Questions: true, MultiSelect: true, CustomAnswers: true,
		},
		Callback: func(native []byte, env evaluator.Env) (acp.Callback, error) {
			n, err := decode(native)
			c := acp.Callback{Allows: n.Callback.Permission == AllowPermission}
			if len(n.Callback.Rules) > 0 {
				rules := callback.New(n.Callback.Rules, Dialect{}.PlanFiles(env))
				c.Answer = func(a evaluator.Action) (evaluator.Effect, bool) {
					if !answerable[a.Kind] {
						return evaluator.Unknown, false
					}
					e, _, ok := rules.Answer(a, env)
					return e, ok
				}
			}
			return c, err
		},
	})
}

// readQuestions reads {questions: [{id?, question, options: [{label,
// description}], multiSelect}]}. A question without options has one, OK. Any
// other text can be answered, too.
func readQuestions(m acp.Message, r *broker.Request) {
	r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "Dismiss the question", Scope: acp.ThisRequest}}
	list := m.Params.Get("questions").List()
	if len(list) == 0 {
		r.Title, r.Detail = "questions that can't be read", m.Whole.String()
		return
	}
	r.Shape = broker.Questioned
	ids := map[string]bool{}
	for i, v := range list {
		q := broker.Question{Header: fmt.Sprintf("Question %d", i+1), Question: textOf(v, i), Multiple: v.Get("multiSelect").True(), Custom: true}
		q.ID = v.Get("id").Text()
		if strings.TrimSpace(q.ID) == "" {
			q.ID = q.Question
		}
		for n, id := 2, q.ID; ids[q.ID]; n++ {
			q.ID = fmt.Sprintf("%s (%d)", id, n)
		}
		ids[q.ID] = true
		if header := v.Get("header").Text(); strings.TrimSpace(header) != "" {
			q.Header = header
		}
		seen := map[string]bool{}
		for _, o := range v.Get("options").List() {
			if label := o.Get("label").Text(); strings.TrimSpace(label) != "" && !seen[label] {
				seen[label] = true
				q.Options = append(q.Options, broker.Option{Value: label, Label: label, Description: o.Get("description").Text()})
			}
		}
		if len(q.Options) == 0 {
			q.Options = []broker.Option{{Value: "OK", Label: "OK"}}
		}
		r.Questions = append(r.Questions, q)
	}
	r.Title = r.Questions[0].Question
	if twins(r.Questions) {
		r.Detail = sameText
	}
}

// textOf is what a question asks, and what its answer goes under.
func textOf(v loosejson.Value, i int) string {
	if text := v.Get("question").Text(); strings.TrimSpace(text) != "" {
		return text
	}
	return fmt.Sprintf("Question %d", i+1)
}

const sameText = "two of the questions have one text, and Grok keeps one answer a text"

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

func refuseTwins(_ acp.Message, r broker.Request) (broker.Answer, string, bool) {
	return broker.Answer{Decision: broker.Cancel}, sameText + ": an answer would be lost", twins(r.Questions)
}

// note is what is said beside the labels.
type note struct {
	Notes string `json:"notes"`
}

// replyQuestions is keyed by the questions' texts, a list of labels for each. A
// text that is no label goes as "Other" with a note; Grok hands both on to the
// model (measured on 1.0.41, 2026-11-30). A dismissal leaves the turn going.
func replyQuestions(m acp.Message, r broker.Request, a broker.Answer) ([]broker.Step, error) {
	if a.Decision == broker.Cancel {
		return []broker.Step{m.Respond(map[string]string{"outcome": "cancelled"})}, nil
	}
	if twins(r.Questions) {
		return nil, fmt.Errorf("request %s can't be answered: %s", r.ID, sameText)
	}
	var out struct {
		Outcome     string              `json:"outcome"`
		Answers     map[string][]string `json:"answers"`
		Annotations map[string]note     `json:"annotations,omitempty"`
	}
	out.Outcome, out.Answers, out.Annotations = "accepted", map[string][]string{}, map[string]note{}
	for _, q := range r.Questions {
		var labels, notes []string
		for _, text := range a.Answers[q.ID] {
			if q.Offers(text) {
				labels = append(labels, text)
			} else {
				notes = append(notes, text)
			}
		}
		if len(notes) > 0 {
			labels = append(labels, "Other")
			out.Annotations[q.Question] = note{strings.Join(notes, "\n")}
		}
		out.Answers[q.Question] = labels
	}
	return []broker.Step{m.Respond(out)}, nil
}

// readPlan reads {toolCallId, planContent}; planContent is null when the model
// wrote no plan file.
func readPlan(m acp.Message, r *broker.Request) {
	r.Title, r.Detail = "the agent proposes a plan", m.Params.Get("planContent").Text()
	if strings.TrimSpace(r.Detail) == "" {
		r.Title = "the agent ends its planning without a plan"
	}
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Keep planning", Scope: acp.ThisRequest},
		{Decision: broker.Decline, Label: "Show the plan; nothing is carried out", Scope: acp.ThisTurn},
	}
}

// replyPlan shows the plan and abandons it, as T3 Code does (source read
// 2026-11-30): Grok leaves plan mode and tells the model to stop; the feedback
// didn't reach it in 1.0.41. "cancelled" stays in plan mode and asks for more
// planning (both measured 2026-11-30).
func replyPlan(m acp.Message, _ broker.Request, a broker.Answer) ([]broker.Step, error) {
	if a.Decision == broker.Cancel {
		return []broker.Step{m.Respond(map[string]string{"outcome": "cancelled"})}, nil
	}
	abandoned := m.Respond(struct {
		Outcome  string `json:"outcome"`
		Feedback string `json:"feedback"`
	}{"abandoned", "The plan was taken down and is shown to the user. Stop here and wait."})
	if plan := m.Params.Get("planContent").Text(); strings.TrimSpace(plan) != "" {
		return []broker.Step{{Call: broker.ProposePlan, Arguments: broker.Plan{Markdown: plan}}, abandoned}, nil
	}
	return []broker.Step{abandoned}, nil
}

func takePlan(acp.Message, broker.Request) (broker.Answer, string, bool) {
	return broker.Answer{Decision: broker.Decline}, "planning ends here: what there is of a plan is shown, and the next prompt decides", true
}

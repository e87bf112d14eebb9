package cursor

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/acp"
	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
)

// Boundary is the pure half of Cursor's live boundary: session/request_permission
// and Cursor's own requests. The answers to the latter are those of T3 Code's
// older adapter (source read 2026-11-30); other clients answer
// {outcome: {outcome: "accepted"|"skipped"|"cancelled"}}, and nothing could be
// tried on a real cursor-agent. All of them are made here.
func Boundary() broker.Translator {
	return acp.New(acp.Agent{
		Name:    "Cursor",
		Refusal: broker.Offer{Decision: broker.Decline, Label: "Refuse; the agent goes on without it", Scope: acp.ThisRequest},
		Extensions: map[string]acp.Extension{
			"cursor/ask_question":   {Read: readQuestions, Reply: replyQuestions},
			"cursor/create_plan":    {Read: readPlan, Reply: replyPlan, Automatic: takePlan},
			"cursor/update_todos":   notice("todo list"),
			"cursor/task":           notice("subagent task"),
			"cursor/generate_image": notice("image"),
		},
		Controls: broker.Controls{
			Decisions:    []broker.Decision{broker.Accept, broker.AcceptForSession, broker.Decline, broker.Cancel},
			SessionGrant: broker.ServiceGrants, Questions: true, MultiSelect: true,
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

// readQuestions reads {toolCallId, title?, questions: [{id, prompt, options:
// [{id, label}], allowMultiple?}]}. A question without options has one, OK.
func readQuestions(m acp.Message, r *broker.Request) {
	r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "Dismiss the question", Scope: acp.ThisRequest}}
	r.Title, r.Detail = m.Params.Get("title").Text(), m.Params.Get("title").Text()
	list := m.Params.Get("questions").List()
	if len(list) == 0 {
		r.Title, r.Detail = "questions that can't be read", m.Whole.String()
		return
	}
	r.Shape = broker.Questioned
	ids := map[string]bool{}
	for i, v := range list {
		q := broker.Question{ID: v.Get("id").Text(), Header: "Question", Question: v.Get("prompt").Text(), Multiple: v.Get("allowMultiple").True()}
		if strings.TrimSpace(q.ID) == "" || ids[q.ID] {
			q.ID = fmt.Sprintf("question-%d", i+1)
		}
		for ids[q.ID] {
			q.ID += "'"
		}
		ids[q.ID] = true
		if strings.TrimSpace(q.Question) == "" {
			q.Question = fmt.Sprintf("Question %d", i+1)
		}
		seen := map[string]bool{}
		for _, o := range v.Get("options").List() {
			if label := o.Get("label").Text(); strings.TrimSpace(label) != "" && !seen[label] {
				seen[label] = true
				q.Options = append(q.Options, broker.Option{Value: label, Label: label})
			}
		}
		if len(q.Options) == 0 {
			q.Options = []broker.Option{{Value: "OK", Label: "OK"}}
		}
		r.Questions = append(r.Questions, q)
	}
	if strings.TrimSpace(r.Title) == "" {
		r.Title = r.Questions[0].Question
	}
}

// replyQuestions is keyed by the questions' ids; the values are labels, not the
// options' ids. A question that is dismissed has no answers at all.
func replyQuestions(m acp.Message, r broker.Request, a broker.Answer) ([]broker.Step, error) {
	answers := map[string]any{}
	for _, q := range r.Questions {
		switch given := a.Answers[q.ID]; {
		case a.Decision == broker.Cancel:
		case q.Multiple:
			answers[q.ID] = given
		default:
			answers[q.ID] = given[0]
		}
	}
	return []broker.Step{m.Respond(map[string]any{"answers": answers})}, nil
}

// readPlan reads {plan, todos, …}. The plan is shown, and Cursor is told that it
// was taken: whether it is carried out is the next prompt's matter.
func readPlan(m acp.Message, r *broker.Request) {
	r.Title, r.Detail = "the agent proposes a plan", m.Params.Get("plan").Text()
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Drop the plan", Scope: acp.ThisRequest},
		{Decision: broker.Accept, Label: "Show the plan", Scope: acp.ThisRequest},
	}
}

func replyPlan(m acp.Message, _ broker.Request, a broker.Answer) ([]broker.Step, error) {
	if a.Decision == broker.Cancel {
		return []broker.Step{m.RespondError(requestCancelled, "the run was stopped")}, nil
	}
	taken := m.Respond(map[string]bool{"accepted": true})
	if plan := m.Params.Get("plan").Text(); strings.TrimSpace(plan) != "" {
		return []broker.Step{{Call: broker.ProposePlan, Arguments: broker.Plan{Markdown: plan}}, taken}, nil
	}
	return []broker.Step{taken}, nil
}

func takePlan(acp.Message, broker.Request) (broker.Answer, string, bool) {
	return broker.Answer{Decision: broker.Accept}, "a plan is shown and taken, and runs nothing", true
}

// requestCancelled is the protocol's code for a request that was cancelled.
const requestCancelled = -32800

// notice is a request that only tells something: Cursor ignores how it is
// answered (documented, 2026-11-30).
func notice(what string) acp.Extension {
	return acp.Extension{
		Read: func(m acp.Message, r *broker.Request) {
			r.Title, r.Detail = "Cursor tells of a "+what, m.Params.String()
			r.Offered = []broker.Offer{
				{Decision: broker.Cancel, Label: "Leave it", Scope: acp.ThisRequest},
				{Decision: broker.Accept, Label: "Take note", Scope: acp.ThisRequest},
			}
		},
		Reply: func(m acp.Message, _ broker.Request, _ broker.Answer) ([]broker.Step, error) {
			return []broker.Step{m.Respond(struct{}{})}, nil
		},
		Automatic: func(acp.Message, broker.Request) (broker.Answer, string, bool) {
			return broker.Answer{Decision: broker.Accept}, "Cursor only tells of this and asks nothing", true
		},
	}
}

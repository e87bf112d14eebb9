package claude

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// Boundary is the pure half of Claude's live boundary: the control requests that
// the program writes to its host, and the control responses that answers come to
// (recorded from 2.1.332, 2026-11-30).
func Boundary() broker.Translator { return boundary{} }

type boundary struct {
	allows  *bool // as native settings say; nil: by the mode
	answers callback.Answerer
	env     evaluator.Env
}

// Controls are those of can_use_tool and of AskUserQuestion. What is granted goes into
// Claude's own rules, for the session.
func (boundary) Controls() broker.Controls {
	return broker.Controls{
		Decisions:    []broker.Decision{broker.Accept, broker.AcceptForSession, broker.Decline, broker.Cancel},
		SessionGrant: broker.ProviderGrants, Questions: true, MultiSelect: true, CustomAnswers: true,
	}
}

// Follow reads what the callback answers to an ordinary tool from native
// settings.
func (boundary) Follow(native jsontext.Value, env evaluator.Env) (broker.Translator, error) {
	n, err := decodeNative(native)
	if err != nil {
		return nil, err
	}
	allows := n.Callback.Default == answerAllow
	return boundary{&allows, callback.New(n.Callback.Rules, dialect{}.PlanFiles(env)), env}, nil
}

// controlRequest is one request of the program. A host that has only what the
// SDK hands to canUseTool may give that: then the tool call's id stands for the
// request's.
type controlRequest struct {
	id    string
	body  loosejson.Value
	whole loosejson.Value
}

func readControl(native []byte) (controlRequest, error) {
	v, err := loosejson.Parse(native)
	if err != nil {
		return controlRequest{}, fmt.Errorf("a request of Claude can't be read: %w", err)
	}
	q := controlRequest{id: v.Get("request_id").Text(), body: v.Get("request"), whole: v}
	if !q.body.IsObject() {
		q.body = v
	}
	if q.id == "" {
		q.id = q.body.Get("tool_use_id").Text()
	}
	if q.id == "" {
		return controlRequest{}, errors.New("a request of Claude has no id to answer to")
	}
	return q, nil
}

func (q controlRequest) tool() string           { return q.body.Get("tool_name").Text() }
func (q controlRequest) input() loosejson.Value { return q.body.Get("input") }

// asksForTool reports whether the request is can_use_tool. Others, such as
// hook_callback, come only to a host that asked for them.
func (q controlRequest) asksForTool() bool {
	subtype := q.body.Get("subtype").Text()
	return subtype == "can_use_tool" || subtype == "" && q.tool() != ""
}

// How far a decision reaches.
const (
	thisRequest = "this request"
	thisTurn    = "this turn"
	thisSession = "this session"
)

// Request reads a control request. One program is one session, so that most
// requests name none.
func (boundary) Request(native []byte) (broker.Request, error) {
	q, err := readControl(native)
	if err != nil {
		return broker.Request{}, err
	}
	r := broker.Request{
		ID: q.id, Session: q.whole.Get("session_id").Text(), Shape: broker.Approval,
		Resources: []string{}, Native: q.whole.Raw(),
	}
	switch {
	case !q.asksForTool():
		r.Title, r.Detail = "a request that can't be answered here: "+q.body.Get("subtype").Text(), q.whole.String()
		r.Offered = []broker.Offer{
			{Decision: broker.Cancel, Label: "Refuse", Scope: thisRequest},
			{Decision: broker.Decline, Label: "Refuse", Scope: thisRequest},
		}
	case q.tool() == "AskUserQuestion" && len(q.input().Get("questions").List()) > 0:
		readUserQuestions(q, &r)
	case q.tool() == "ExitPlanMode":
		readPlan(q, &r)
	default:
		readToolUse(q, &r)
	}
	return r, nil
}

// The texts that the model reads (those of T3 Code, source read 2026-11-30).
const (
	declined    = "User declined tool execution."
	cancelled   = "User cancelled tool execution."
	noAnswers   = "User dismissed the question without an answer."
	planTaken   = "The plan was captured and is shown to the user. Stop here and wait for their feedback or approval in a later message."
	planMissing = "There was no plan to capture. Write it to the plan file first, then stop and wait."
)

// permit and denial are the answers to can_use_tool.
type permit struct {
	Behavior           string           `json:"behavior"`
	UpdatedInput       any              `json:"updatedInput,omitzero"`
	UpdatedPermissions []map[string]any `json:"updatedPermissions,omitzero"`
}

type denial struct {
	Behavior  string `json:"behavior"`
	Message   string `json:"message"`
	Interrupt bool   `json:"interrupt,omitzero"`
}

// CallControlResponse is the call of Claude's operations: its arguments are a
// line for the program's standard input.
const CallControlResponse = "control_response"

func (q controlRequest) respond(answer any) broker.Step {
	return q.step(map[string]any{"subtype": "success", "request_id": q.id, "response": answer})
}

func (q controlRequest) step(response map[string]any) broker.Step {
	return broker.Step{Call: CallControlResponse, Arguments: map[string]any{"type": "control_response", "response": response}}
}

// Operations says an answer as a control response. An input is handed back as it
// came: Claude doesn't check a changed one against its rules.
func (boundary) Operations(r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	if err := broker.Check(r, a); err != nil {
		return nil, err
	}
	q, err := readControl(r.Native)
	if err != nil {
		return nil, err
	}
	switch {
	case !q.asksForTool():
		return broker.Steps(q.step(map[string]any{"subtype": "error", "request_id": q.id, "error": "this host can't answer " + q.body.Get("subtype").Text()}))
	case r.Shape == broker.Questioned:
		return replyUserQuestions(q, r, a)
	case q.tool() == "ExitPlanMode":
		return replyPlan(q, a)
	}
	return replyToolUse(q, a)
}

// Automatic goes through T3 Code's callback in its order (source read
// 2026-11-30): a question is a person's in every mode, a plan is taken and never
// left, full access allows the rest.
func (b boundary) Automatic(c evaluator.Cell, r broker.Request) (broker.Answer, string, bool) {
	q, err := readControl(r.Native)
	if err != nil {
		return broker.Answer{}, "", false
	}
	allows := c.Mode == evaluator.FullAccess
	if b.allows != nil {
		allows = *b.allows
	}
	switch {
	case !q.asksForTool():
		return broker.Answer{Decision: broker.Decline}, "no answer to this request is known", true
	case r.Shape == broker.Questioned:
		return broker.Answer{Decision: broker.Cancel}, sameText + ": an answer would be lost", twins(r.Questions)
	case q.tool() == "AskUserQuestion":
		return broker.Answer{Decision: broker.Decline}, "the questions can't be read", true
	case q.tool() == "ExitPlanMode":
		return broker.Answer{Decision: broker.Decline}, "a plan is taken and shown, and plan mode isn't left", true
	}
	if b.allows != nil {
		for _, action := range toolActions(q.tool(), q.input()) { // one, or none
			switch e, _, _ := b.answers.Answer(action, b.env); e {
			case evaluator.Deny:
				return broker.Answer{Decision: broker.Decline}, "the policy denies it", true
			case evaluator.Ask:
				return broker.Answer{}, "", false
			case evaluator.Allow:
				return broker.Answer{Decision: broker.Accept}, "the policy allows it", true
			}
		}
	}
	return broker.Answer{Decision: broker.Accept}, "this mode allows what Claude asks", allows
}

// readPlan reads ExitPlanMode. Its input has the plan only when the model wrote
// the plan file.
func readPlan(q controlRequest, r *broker.Request) {
	r.Title, r.Detail = "the agent proposes a plan", q.input().Get("plan").Text()
	if strings.TrimSpace(r.Detail) == "" {
		r.Title = "the agent ends its planning without a plan"
	}
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Drop the plan and end the turn", Scope: thisTurn},
		{Decision: broker.Decline, Label: "Show the plan; plan mode stays", Scope: thisRequest},
	}
}

func replyPlan(q controlRequest, a broker.Answer) ([]broker.Operation, error) {
	plan := q.input().Get("plan").Text()
	switch {
	case a.Decision == broker.Cancel:
		return broker.Steps(q.respond(denial{"deny", cancelled, true}))
	case strings.TrimSpace(plan) == "":
		return broker.Steps(q.respond(denial{"deny", planMissing, false}))
	}
	shown := broker.Step{Call: broker.ProposePlan, Arguments: broker.Plan{Markdown: plan, Path: q.input().Get("planFilePath").Text()}}
	return broker.Steps(shown, q.respond(denial{"deny", planTaken, false}))
}

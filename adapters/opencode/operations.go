package opencode

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// The calls of 1.x's operations. 1.x has a reply "always", too, which no
// decision comes to: it holds for every session of the directory and beats every
// deny (measured on 1.18.33, 2026-11-30).
const (
	CallReply          = "permission.reply" // POST /permission/{requestID}/reply
	CallAnswer         = "question.reply"   // POST /question/{requestID}/reply
	CallRejectQuestion = "question.reject"  // POST /question/{requestID}/reject
)

// ReplyArguments are the arguments of CallReply.
type ReplyArguments struct {
	RequestID string `json:"requestID"`
	Reply     string `json:"reply"`
	Message   string `json:"message,omitempty"`
}

// AnswerArguments are the arguments of CallAnswer and CallRejectQuestion.
type AnswerArguments struct {
	RequestID string     `json:"requestID"`
	Answers   [][]string `json:"answers,omitempty"` // for each question, in order
}

// Operations says an answer in 1.x's calls. A rejection with a message fails the
// call and the model reads the message; one without also ends the run (measured
// on 1.18.33, 2026-11-30).
func (b boundary) Operations(r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	if r.Shape == broker.Questioned {
		return questionOperations(r, a)
	}
	if len(a.Answers) > 0 {
		return nil, fmt.Errorf("request %s takes a decision, not answers", r.ID)
	}
	offer, ok := r.Offers(a.Decision)
	if !ok {
		return nil, fmt.Errorf("request %s doesn't offer %q", r.ID, a.Decision)
	}
	switch a.Decision {
	case broker.Accept:
		return operations(CallReply, ReplyArguments{RequestID: r.ID, Reply: "once"})
	case broker.AcceptForSession:
		reply, err := operations(CallReply, ReplyArguments{RequestID: r.ID, Reply: "once"})
		if err != nil {
			return nil, err
		}
		keep, err := operations(broker.KeepGrants, offer.Grants)
		return append(reply, keep...), err
	case broker.Decline:
		return operations(CallReply, ReplyArguments{RequestID: r.ID, Reply: "reject", Message: b.refusal(r)})
	case broker.Cancel:
		return operations(CallReply, ReplyArguments{RequestID: r.ID, Reply: "reject"})
	}
	return nil, fmt.Errorf("OpenCode 1.x has no reply for %q", a.Decision)
}

// refusal is what the model reads about a call that was declined, by a person or
// by what the rules in force have us decline.
func (b boundary) refusal(r broker.Request) string {
	if by, ok := b.declines(r); ok {
		return by.Refusal(r.Title)
	}
	return oc.Refused(r.Title)
}

// declines is what the rules in force have us decline a request by.
func (b boundary) declines(r broker.Request) (oc.Denial, bool) {
	var native asked
	if r.Shape != broker.Approval || json.Unmarshal(r.Native, &native) != nil {
		return oc.Denial{}, false
	}
	return b.adapter.Declines(native.Permission, native.Patterns)
}

func questionOperations(r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	switch {
	case a.Decision == broker.Cancel && len(a.Answers) == 0:
		return operations(CallRejectQuestion, AnswerArguments{RequestID: r.ID})
	case a.Decision != "":
		return nil, fmt.Errorf("question %s takes answers or cancel, not %q", r.ID, a.Decision)
	}
	answers := make([][]string, len(r.Questions))
	for i, q := range r.Questions {
		given, ok := a.Answers[q.ID]
		if !ok {
			return nil, fmt.Errorf("question %s: no answer to %s", r.ID, q.ID)
		}
		if err := checkAnswer(q, given); err != nil {
			return nil, fmt.Errorf("question %s: %w", r.ID, err)
		}
		answers[i] = given
	}
	return operations(CallAnswer, AnswerArguments{RequestID: r.ID, Answers: answers})
}

// checkAnswer holds the answers to one question against what it offers.
func checkAnswer(q broker.Question, given []string) error {
	if len(given) == 0 || len(given) > 1 && !q.Multiple {
		return fmt.Errorf("%s takes one answer, not %d", q.ID, len(given))
	}
	for _, text := range given {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("an answer to %s is empty", q.ID)
		}
		if !q.Custom && !offered(q, text) {
			return fmt.Errorf("%s doesn't offer %q", q.ID, text)
		}
	}
	return nil
}

func offered(q broker.Question, value string) bool {
	for _, o := range q.Options {
		if o.Value == value {
			return true
		}
	}
	return false
}

// operations is one operation with its arguments.
func operations(call string, arguments any) ([]broker.Operation, error) {
	data, err := strictjson.Encode(arguments)
	if err != nil {
		return nil, err
	}
	return []broker.Operation{{Call: call, Arguments: data}}, nil
}

// Automatic declines what the rules in force have us decline, and answers the
// doom_loop asks of full access: 1.x asks about the third equal call by the
// agent's rules alone, whatever the session's rules say (measured on 1.18.33,
// 2026-11-30).
func (b boundary) Automatic(c evaluator.Cell, r broker.Request) (broker.Answer, string, bool) {
	if by, ok := b.declines(r); ok {
		return broker.Answer{Decision: broker.Decline}, by.Reason(), true
	}
	var native asked
	if json.Unmarshal(r.Native, &native) != nil {
		return broker.Answer{}, "", false
	}
	if c.Mode == evaluator.FullAccess && r.Shape == broker.Approval && native.Permission == "doom_loop" {
		return broker.Answer{Decision: broker.Accept}, "full access repeats calls unasked", true
	}
	return broker.Answer{}, "", false
}

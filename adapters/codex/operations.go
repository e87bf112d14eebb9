package codex

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// Boundary is the pure half of Codex's live boundary: the app-server's requests
// to its client (JSON-RPC, `codex app-server generate-json-schema` of 0.171.0),
// and the responses that answers come to.
func Boundary() broker.Translator { return boundary{} }

type boundary struct{}

// Controls are those of the app-server's requests. A question of Codex's takes one answer;
// an MCP server's form alone offers to keep a choice for good.
func (boundary) Controls() broker.Controls {
	return broker.Controls{
		Decisions:    []broker.Decision{broker.Accept, broker.AcceptForSession, broker.AcceptAlways, broker.Decline, broker.Cancel},
		SessionGrant: broker.ProviderGrants, Questions: true, CustomAnswers: true,
	}
}

// asked is one request of the app-server.
type asked struct {
	id     jsontext.Value // of JSON-RPC, echoed as it came
	method string
	params loosejson.Value
	whole  loosejson.Value
}

// method is how one kind of request is read and answered.
type method struct {
	read  func(asked, *broker.Request)
	reply func(asked, broker.Request, broker.Answer) (any, error)
}

// methods are the requests that an answer is known for. 0.171.0 has no
// item/fileRead/requestApproval; T3 Code's table does.
var methods = map[string]method{
	"item/commandExecution/requestApproval": {readCommand, replyDecision},
	"item/fileChange/requestApproval":       {readFileChange, replyDecision},
	"item/fileRead/requestApproval":         {readFileRead, replyDecision},
	"execCommandApproval":                   {readLegacyCommand, replyReview},
	"applyPatchApproval":                    {readLegacyPatch, replyReview},
	"item/permissions/requestApproval":      {readPermissions, replyPermissions},
	"mcpServer/elicitation/request":         {readElicitation, replyElicitation},
	"item/tool/requestUserInput":            {readQuestions, replyQuestions},
}

// Request reads a request of the app-server. Its ID is the one that Codex gives
// to the approval, else the item's; both can come again in one turn (a patch
// that is asked for again after the sandbox stopped it), and only the JSON-RPC id
// in Native tells them apart.
func (boundary) Request(native []byte) (broker.Request, error) {
	q, err := readAsked(native)
	if err != nil {
		return broker.Request{}, err
	}
	r := broker.Request{
		ID:        first(q.params, idText(q.whole), "approvalId", "itemId", "callId"),
		Session:   first(q.params, "", "threadId", "conversationId"), // of the child that asks
		Shape:     broker.Approval,
		Resources: []string{},
		Native:    q.whole.Raw(),
	}
	if m, ok := methods[q.method]; ok {
		m.read(q, &r)
		return r, nil
	}
	r.Title = "a request that can't be answered here: " + q.method
	if q.method == "" {
		r.Title = "a request without a method"
	}
	r.Detail = q.whole.String()
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Refuse", Scope: thisRequest},
		{Decision: broker.Decline, Label: "Refuse", Scope: thisRequest},
	}
	return r, nil
}

func readAsked(native []byte) (asked, error) {
	v, err := loosejson.Parse(native)
	if err != nil {
		return asked{}, fmt.Errorf("a request of Codex can't be read: %w", err)
	}
	id := v.Get("id")
	if !id.IsNumber() && id.Text() == "" {
		return asked{}, errors.New("a request of Codex has no id to answer to")
	}
	return asked{id: id.Raw(), method: v.Get("method").Text(), params: v.Get("params"), whole: v}, nil
}

// idText is the JSON-RPC id as text.
func idText(whole loosejson.Value) string {
	id := whole.Get("id")
	if id.IsText() {
		return id.Text()
	}
	return id.String()
}

// first is the first of several members that is a text.
func first(v loosejson.Value, otherwise string, names ...string) string {
	for _, name := range names {
		if text := v.Get(name).Text(); text != "" {
			return text
		}
	}
	return otherwise
}

// How far a decision reaches.
const (
	thisRequest = "this request"
	thisTurn    = "this turn"
	thisSession = "this session"
)

// Operations says an answer as the response that Codex reads.
func (boundary) Operations(r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	if err := broker.Check(r, a); err != nil {
		return nil, err
	}
	q, err := readAsked(r.Native)
	if err != nil {
		return nil, err
	}
	m, ok := methods[q.method]
	if !ok {
		return broker.Steps(refuseUnknown(q))
	}
	result, err := m.reply(q, r, a)
	if err != nil {
		return nil, err
	}
	return broker.Steps(broker.Respond(q.id, result))
}

// refuseUnknown answers what has no answer here. A call of a client's tool fails
// in the form of its own; for the rest, such as a new sign-in, there is only
// JSON-RPC's error.
func refuseUnknown(q asked) broker.Step {
	if q.method == "item/tool/call" {
		text := map[string]string{"type": "inputText", "text": "This client has no such tool."}
		return broker.Respond(q.id, map[string]any{"contentItems": []any{text}, "success": false})
	}
	return broker.RespondError(q.id, broker.MethodNotFound, "this client can't answer "+q.method)
}

// Automatic refuses at once what nobody can accept: Codex waits without a limit
// (45 s and longer, measured on 0.171.0, 2026-11-30).
func (boundary) Automatic(_ evaluator.Cell, r broker.Request) (broker.Answer, string, bool) {
	q, err := readAsked(r.Native)
	if err != nil {
		return broker.Answer{}, "", false
	}
	decline := broker.Answer{Decision: broker.Decline}
	if _, known := methods[q.method]; !known {
		return decline, "no answer to this request is known, and Codex would wait for it without end", true
	}
	if q.method == "mcpServer/elicitation/request" {
		if _, err := accept(q, broker.Accept); err != nil {
			return decline, "no decision could accept this: " + err.Error(), true
		}
	}
	return broker.Answer{}, "", false
}

// details joins what is there of a request's particulars, one a line.
func details(pairs ...string) string {
	var out []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, pairs[i]+": "+pairs[i+1])
		}
	}
	return strings.Join(out, "\n")
}

// shown is a value for people: nothing when it isn't there.
func shown(v loosejson.Value) string {
	if !v.There() {
		return ""
	}
	return v.String()
}

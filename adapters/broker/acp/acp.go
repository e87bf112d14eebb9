// Package acp owns what agents over the Agent Client Protocol share at the live
// boundary: permission requests, whose options are looked up by kind and never by
// id, and the frame that an agent's own requests are read and answered in.
//
// Facts about the protocol are of @agentclientprotocol/sdk 2.4.0 (protocol
// version 1), read 2026-11-30; the option ids of every agent differ.
package acp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// Agent is what is one agent's own.
type Agent struct {
	Name    string
	Refusal broker.Offer // what its reject_once does
	// Extensions are its own requests by method, without the underscore that
	// some versions write before it.
	Extensions map[string]Extension
	Controls   broker.Controls
	// Callback reads from native settings what our callback answers by itself.
	Callback func(native []byte, env evaluator.Env) (Callback, error)
}

// Callback is what our callback answers to session/request_permission.
type Callback struct {
	Allows bool // what nothing else speaks of
	// Answer is what the settings' rules say of an Action; ok is false where they
	// say nothing.
	Answer func(evaluator.Action) (e evaluator.Effect, ok bool)
}

// Extension is how one request is read and answered.
type Extension struct {
	Read  func(Message, *broker.Request)
	Reply func(Message, broker.Request, broker.Answer) ([]broker.Step, error)
	// Automatic is the answer that needs no person, and why; nil when there is none.
	Automatic func(Message, broker.Request) (broker.Answer, string, bool)
}

// Message is one request of an agent.
type Message struct {
	id     jsontext.Value
	Method string
	Params loosejson.Value
	Whole  loosejson.Value
}

// Respond is the step that answers with a result.
func (m Message) Respond(result any) broker.Step {
	return broker.Step{Call: broker.CallRespond, Arguments: broker.Response{Version: "2.0", ID: m.id, Result: result}}
}

// RespondError is the step that answers with an error.
func (m Message) RespondError(code int, message string) broker.Step {
	e := &broker.ResponseError{Code: code, Message: message}
	return broker.Step{Call: broker.CallRespond, Arguments: broker.Response{Version: "2.0", ID: m.id, Error: e}}
}

// How far a decision reaches.
const (
	ThisRequest = "this request"
	ThisTurn    = "this turn"
	ThisSession = "this session"
)

// New is an agent's Translator. In full access it allows by itself, as the
// built-in policy says; the one that Follow gives does what the settings say.
func New(a Agent) broker.Translator { return translator{agent: a} }

type translator struct {
	agent    Agent
	callback *Callback // as native settings say; nil: by the mode
}

// Controls are the agent's.
func (t translator) Controls() broker.Controls { return t.agent.Controls }

// Follow reads the callback's answers from native settings.
func (t translator) Follow(native jsontext.Value, env evaluator.Env) (broker.Translator, error) {
	c, err := t.agent.Callback(native, env)
	if err != nil {
		return nil, err
	}
	t.callback = &c
	return t, nil
}

func (t translator) extension(m Message) (Extension, bool) {
	if m.Method == "session/request_permission" {
		return t.permission(), true
	}
	if m.Method == "elicitation/create" {
		return elicitation, true
	}
	e, ok := t.agent.Extensions[m.Method]
	return e, ok
}

// Request reads a request of the agent. Its ID is JSON-RPC's: the protocol gives
// a permission request none of its own.
func (t translator) Request(native []byte) (broker.Request, error) {
	m, err := t.read(native)
	if err != nil {
		return broker.Request{}, err
	}
	r := broker.Request{
		ID: m.Whole.Get("id").Text(), Session: m.Params.Get("sessionId").Text(), Shape: broker.Approval,
		Resources: []string{}, Native: m.Whole.Raw(),
	}
	if r.ID == "" {
		r.ID = m.Whole.Get("id").String()
	}
	if e, ok := t.extension(m); ok {
		e.Read(m, &r)
		return r, nil
	}
	r.Title, r.Detail = "a request that can't be answered here: "+m.Method, m.Whole.String()
	if m.Method == "" {
		r.Title = "a request without a method"
	}
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Refuse", Scope: ThisRequest},
		{Decision: broker.Decline, Label: "Refuse", Scope: ThisRequest},
	}
	return r, nil
}

// read takes the frame off: an extension may come with an underscore before its
// method, and wrapped once more as {method, params}.
func (t translator) read(native []byte) (Message, error) {
	v, err := loosejson.Parse(native)
	if err != nil {
		return Message{}, fmt.Errorf("a request of %s can't be read: %w", t.agent.Name, err)
	}
	id := v.Get("id")
	if !id.IsNumber() && id.Text() == "" {
		return Message{}, fmt.Errorf("a request of %s has no id to answer to", t.agent.Name)
	}
	m := Message{id.Raw(), strings.TrimPrefix(v.Get("method").Text(), "_"), v.Get("params"), v}
	if inner := strings.TrimPrefix(m.Params.Get("method").Text(), "_"); m.Params.Get("params").IsObject() {
		if _, ok := t.agent.Extensions[inner]; ok {
			m.Method, m.Params = inner, m.Params.Get("params")
		}
	}
	return m, nil
}

// Operations says an answer as the response that the agent reads.
func (t translator) Operations(r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	if err := broker.Check(r, a); err != nil {
		return nil, err
	}
	m, err := t.read(r.Native)
	if err != nil {
		return nil, err
	}
	e, ok := t.extension(m)
	if !ok {
		return broker.Steps(m.RespondError(broker.MethodNotFound, "this client can't answer "+m.Method))
	}
	steps, err := e.Reply(m, r, a)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return nil, errors.New("this answer has no reply")
	}
	return broker.Steps(steps...)
}

// Automatic allows where the mode does, does what an extension needs no person
// for, and refuses at once what has no answer here.
func (t translator) Automatic(c evaluator.Cell, r broker.Request) (broker.Answer, string, bool) {
	m, err := t.read(r.Native)
	if err != nil {
		return broker.Answer{}, "", false
	}
	e, ok := t.extension(m)
	if !ok {
		return broker.Answer{Decision: broker.Decline}, "no answer to this request is known", true
	}
	if e.Automatic != nil {
		return e.Automatic(m, r)
	}
	if m.Method != "session/request_permission" {
		return broker.Answer{}, "", false
	}
	allows, why := c.Mode == evaluator.FullAccess, "this mode allows what "+t.agent.Name+" asks, once each time"
	if t.callback != nil {
		allows = t.callback.Allows
		switch t.ruled(r) {
		case evaluator.Deny:
			_, offered := r.Offers(broker.Decline)
			return broker.Answer{Decision: broker.Decline}, "the policy denies it", offered
		case evaluator.Ask:
			return broker.Answer{}, "", false
		case evaluator.Allow:
			allows, why = true, "the policy allows it"
		}
	}
	// Never an option of kind allow_always: agents keep it beyond the session.
	_, once := r.Offers(broker.Accept)
	return broker.Answer{Decision: broker.Accept}, why, allows && once
}

// ruled is what the callback's rules say of a permission request: the strictest
// for all that it asks for. Unknown is for what they say nothing of.
func (t translator) ruled(r broker.Request) evaluator.Effect {
	if t.callback.Answer == nil {
		return evaluator.Unknown
	}
	var effects []evaluator.Effect
	for _, a := range t.Actions(r) {
		e := evaluator.Unknown
		if a.Command+a.Path+a.URL != "" {
			e, _ = t.callback.Answer(a)
		}
		effects = append(effects, e)
	}
	if e := evaluator.Strictest(effects...); e != evaluator.Unknown || !slices.Contains(effects, evaluator.Ask) {
		return e
	}
	return evaluator.Ask
}

// elicitation is what no client is asked that doesn't advertise it.
var elicitation = Extension{
	Read: func(m Message, r *broker.Request) {
		r.Title, r.Detail = "a form that can't be shown: "+m.Params.Get("message").Text(), m.Params.String()
		r.Offered = []broker.Offer{
			{Decision: broker.Cancel, Label: "Dismiss", Scope: ThisRequest},
			{Decision: broker.Decline, Label: "Refuse", Scope: ThisRequest},
		}
	},
	Reply: func(m Message, _ broker.Request, a broker.Answer) ([]broker.Step, error) {
		return []broker.Step{m.Respond(map[string]any{"action": a.Decision})}, nil
	},
	Automatic: func(Message, broker.Request) (broker.Answer, string, bool) {
		return broker.Answer{Decision: broker.Decline}, "elicitations aren't advertised, and can't be shown", true
	},
}

package broker

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// Decision is what a person decides about a request.
type Decision string

// The decisions. A decision for always is none of them: what a session allows
// ends with it.
const (
	Accept           Decision = "accept"           // this request
	AcceptForSession Decision = "acceptForSession" // this request, and what is like it while the session lasts
	Decline          Decision = "decline"          // not this; the run goes on
	Cancel           Decision = "cancel"           // not this, and the run ends; a question is dismissed
)

// Shape says how a request is answered.
type Shape string

// The shapes: an approval takes a Decision, a question takes answers or Cancel.
const (
	Approval   Shape = "approval"
	Questioned Shape = "question"
)

// Request is something that an agent asks and waits for.
type Request struct {
	ID        string         `json:"id"`      // the provider's own
	Session   string         `json:"session"` // the provider's session that asks, perhaps a child of ours
	Shape     Shape          `json:"shape"`
	Kind      evaluator.Kind `json:"kind,omitempty"` // command, file-read or file-change; other requests have none
	Title     string         `json:"title"`
	Detail    string         `json:"detail,omitempty"` // more to look at, such as a diff
	Resources []string       `json:"resources"`        // what the rules were compared with
	Native    jsontext.Value `json:"native"`           // the request as the provider sent it
	Offered   []Offer        `json:"offered"`
	Questions []Question     `json:"questions,omitempty"`
}

// Offer is a decision that a request can take.
type Offer struct {
	Decision Decision          `json:"decision"`
	Label    string            `json:"label"`
	Scope    string            `json:"scope"`            // how far it reaches
	Grants   []evaluator.Grant `json:"grants,omitempty"` // what the session keeps with it
}

// Offers returns the offer of a decision.
func (r Request) Offers(d Decision) (Offer, bool) {
	for _, o := range r.Offered {
		if o.Decision == d {
			return o, true
		}
	}
	return Offer{}, false
}

// Question is one of a request's questions.
type Question struct {
	ID       string   `json:"id"`
	Header   string   `json:"header"`
	Question string   `json:"question"`
	Options  []Option `json:"options"`
	Multiple bool     `json:"multiSelect"`       // more than one option may be chosen
	Custom   bool     `json:"allowCustomAnswer"` // another text may be answered
}

// Option is one of a question's options.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Answer is what is said to a request: a Decision, or answers to its questions
// by their ids.
type Answer struct {
	Decision Decision            `json:"decision,omitempty"`
	Answers  map[string][]string `json:"answers,omitempty"`
}

// Operation is one native step: a call in the provider's words and its
// arguments. [KeepGrants] is a step that the session itself performs.
type Operation struct {
	Call      string         `json:"call"`
	Arguments jsontext.Value `json:"arguments"`
}

// KeepGrants is the operation that keeps grants ([]evaluator.Grant) in the
// session's memory.
const KeepGrants = "session.keep-grants"

// Translator is the pure half of a provider's boundary.
type Translator interface {
	// Request reads a request as the provider sent it. It fails only when there
	// is no id to answer to: what it doesn't know is shown as it is.
	Request(native []byte) (Request, error)
	// Operations are the steps that an answer comes to, in order. What the
	// request doesn't offer is an error.
	Operations(Request, Answer) ([]Operation, error)
	// Automatic is the answer that a cell gives without a person, and why.
	Automatic(evaluator.Cell, Request) (a Answer, why string, ok bool)
}

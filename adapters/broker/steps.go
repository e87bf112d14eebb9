package broker

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/strictjson"
)

// Steps that the session itself performs, beside [KeepGrants].
const (
	// ProposePlan shows the plan that an agent made (a [Plan]). It is an event
	// and no question: what the agent is told follows as its own step.
	ProposePlan = "session.propose-plan"
	// FailTurn ends the turn as failed (a [Failure]).
	FailTurn = "session.fail-turn"
	// SyncRules brings the session's rules up to date before the next step, as
	// [Sync] does before a prompt. Whoever can compile for the session may put
	// the steps of a [RuleWriter] in its place.
	SyncRules = "session.sync"
)

// Plan is what an agent proposes to do.
type Plan struct {
	Markdown string `json:"markdown"`       // never empty
	Path     string `json:"path,omitempty"` // the file that the agent wrote it to
}

// Failure is why a turn can't go on.
type Failure struct {
	Reason string `json:"reason"`
}

// Step is an [Operation] before it is encoded.
type Step struct {
	Call      string
	Arguments any
}

// Steps encodes operations in their order.
func Steps(steps ...Step) ([]Operation, error) {
	out := make([]Operation, len(steps))
	for i, s := range steps {
		arguments, err := strictjson.Encode(s.Arguments)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Call, err)
		}
		out[i] = Operation{Call: s.Call, Arguments: arguments}
	}
	return out, nil
}

// CallRespond is the operation of providers that ask by JSON-RPC: its arguments
// are a [Response], to be written as they are.
const CallRespond = "respond"

// Response answers a JSON-RPC request.
type Response struct {
	Version string         `json:"jsonrpc,omitzero"` // "2.0", where the provider writes it
	ID      jsontext.Value `json:"id"`               // as it came
	Result  any            `json:"result,omitzero"`
	Error   *ResponseError `json:"error,omitzero"`
}

// ResponseError is a JSON-RPC error.
type ResponseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// MethodNotFound is JSON-RPC's code for a request that has no answer here.
const MethodNotFound = -32601

// Respond answers with a result.
func Respond(id jsontext.Value, result any) Step {
	return Step{CallRespond, Response{ID: id, Result: result}}
}

// RespondError answers with an error.
func RespondError(id jsontext.Value, code int, message string) Step {
	return Step{CallRespond, Response{ID: id, Error: &ResponseError{code, message}}}
}

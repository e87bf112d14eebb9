package broker

import (
	"context"
	"fmt"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Session is the live half of a provider, for one of its sessions.
type Session interface {
	// Env is what the session knows now: where it runs, the provider's agents
	// and what was granted.
	Env(context.Context) (evaluator.Env, error)
	// Apply puts a RuleSet in force for the next prompt, unless it is already,
	// and reads back what the provider then says is in force. When that isn't
	// the RuleSet, the error is a [*NotEnforced].
	Apply(context.Context, compiler.RuleSet) error
	// Run sends one prompt and returns when its run has ended and nothing of it
	// waits any more. When ctx ends, what waits is rejected before the run is
	// aborted.
	Run(ctx context.Context, prompt string, p Person) Outcome
	// Answer answers a request. It doesn't wait for the delivery, and a request
	// that is no longer open is left alone. What the request doesn't offer is an
	// error.
	Answer(Request, Answer) error
}

// Performer is a Session that can be answered in steps which somebody else has
// made of the answer, such as a modegate service.
type Performer interface {
	Session
	// Perform is Answer for a delivery. Steps that aren't a way to say its answer to
	// this very request are an error, and none is performed.
	Perform(Request, Delivery) error
}

// Delivery is an answer in the steps that it comes to.
type Delivery struct {
	Answer     Answer // without the texts of answers, which the steps have
	Operations []Operation
	By         Closer
	Reason     string
}

// Compile makes the RuleSet of a session's cell for an Env.
type Compile func(evaluator.Env) (*compiler.Compiled, error)

// Sync brings a session's rules up to date before a prompt: its Env, compiled,
// applied.
func Sync(ctx context.Context, s Session, compile Compile) (*compiler.Compiled, error) {
	env, err := s.Env(ctx)
	if err != nil {
		return nil, err
	}
	c, err := compile(env)
	if err != nil {
		return nil, err
	}
	return c, s.Apply(ctx, c.RuleSet)
}

// NotEnforced says that a provider doesn't have in force what was sent to it.
type NotEnforced struct {
	Session string
	Reason  string
}

func (e *NotEnforced) Error() string {
	return fmt.Sprintf("the rules are not enforced in session %s: %s", e.Session, e.Reason)
}

// Person is whoever sees what a session does and answers what it asks. The
// methods are called one at a time and must not wait for an answer.
type Person interface {
	// Opened brings a request that waits for Session.Answer.
	Opened(Request)
	// Closed says how a request came to its end, also one that was never opened
	// because it was answered at once.
	Closed(Closing)
	// Saw brings something that happened.
	Saw(Sight)
}

// Closing is the end of a request.
type Closing struct {
	Request  Request
	Decision Decision // "" when it isn't known
	By       Closer
	Reason   string
}

// Closer says who closed a request.
type Closer string

// Who closes requests.
const (
	ByPerson  Closer = "person"         // Session.Answer
	ByMode    Closer = "mode"           // the cell answers this by itself
	ByGrant   Closer = "grant"          // granted for the session before
	ByOther   Closer = "another client" // or the provider itself
	ByStop    Closer = "stop"           // the run was stopped
	ByLoss    Closer = "loss"           // nobody: the provider has lost the request
	ByService Closer = "service"        // a modegate service by itself: a guardrail of its, or since nobody answered there
)

// Sight is something that happened in a run.
type Sight struct {
	Kind    SightKind
	Session string // a child's when it isn't the run's own
	Text    string
	Tool    string // of a tool call
	Detail  string // of a tool call: its output, or why it failed
}

// SightKind says what a Sight is.
type SightKind string

// What can be seen.
const (
	SawText       SightKind = "text"        // a piece of the agent's text
	SawTextEnd    SightKind = "text-end"    // the piece before was the last
	SawToolStart  SightKind = "tool-start"  // a tool runs
	SawToolEnd    SightKind = "tool-end"    // it has ended well
	SawToolFailed SightKind = "tool-failed" // it was refused, or failed
	SawNote       SightKind = "note"        // something about the run itself
)

// Outcome is how a run ended.
type Outcome struct {
	End    End
	Reason string
}

// End is the kind of end that a run has come to.
type End string

// The ends.
const (
	Ended     End = "ended"     // the agent had nothing more to do
	Failed    End = "failed"    // the provider failed, or couldn't be reached
	Cancelled End = "cancelled" // somebody ended it
)

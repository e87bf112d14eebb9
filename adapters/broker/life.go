package broker

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// State says where a request is in its life.
type State string

// The states. A request waits, is answered, and comes to one end, which is the
// last.
const (
	StatePending    State = "pending"    // it waits for somebody
	StateResponding State = "responding" // an answer is on its way to the provider
	StateResolved   State = "resolved"   // the provider has the answer
	StateExpired    State = "expired"    // nobody answered in time, or nobody knows whether the answer arrived
	StateCancelled  State = "cancelled"  // it was closed without an answer: dismissed, or its turn or session ended
	StateFailed     State = "failed"     // the answer couldn't be delivered
)

// States lists the states in the order of a life.
func States() []State {
	return []State{StatePending, StateResponding, StateResolved, StateExpired, StateCancelled, StateFailed}
}

// Over reports whether nothing can follow on the state.
func (s State) Over() bool { return s != StatePending && s != StateResponding }

// Life is what has become of a request. It is a value: each step returns the
// next one, or says why there is none.
type Life struct {
	State  State
	Answer Answer // from the moment it is given, whether it arrives or not
	By     string // who gave the answer, or closed the request without one
	Reason string
}

// Opened is a life at its beginning.
func Opened() Life { return Life{State: StatePending} }

// TakenError says that a step comes too late: the request has another answer,
// or none can follow.
type TakenError struct {
	State State
	By    string
}

func (e *TakenError) Error() string {
	switch {
	case e.State == StateResponding:
		return fmt.Sprintf("the request is %s: %s answered it, and the answer is on its way", e.State, e.By)
	case e.By != "":
		return fmt.Sprintf("the request is %s, by %s", e.State, e.By)
	}
	return fmt.Sprintf("the request is %s", e.State)
}

func (l Life) taken() error { return &TakenError{l.State, l.By} }

// ErrNothingSent is about a delivery that is reported of a request that nobody
// has answered.
var ErrNothingSent = errors.New("nobody has answered the request: nothing can have been delivered")

// Respond gives a pending request its answer. The same answer once more, from
// the same one, changes nothing while the first is on its way: again is true.
func (l Life) Respond(a Answer, by, reason string) (next Life, again bool, err error) {
	switch {
	case l.State == StatePending:
		return Life{StateResponding, a, by, reason}, false, nil
	case l.State == StateResponding && l.By == by && l.Answer.same(a):
		return l, true, nil
	}
	return l, false, l.taken()
}

func (a Answer) same(b Answer) bool {
	return a.Decision == b.Decision && maps.EqualFunc(a.Answers, b.Answers, slices.Equal[[]string])
}

// Deliver ends a life whose answer has arrived. A question that was dismissed
// has had no answer: it is cancelled.
func (l Life) Deliver(shape Shape) (Life, error) {
	switch l.State {
	case StateResponding:
		l.State = answered(shape, l.Answer)
		return l, nil
	case StatePending:
		return l, ErrNothingSent
	}
	return l, l.taken()
}

func answered(shape Shape, a Answer) State {
	if shape == Questioned && a.Decision == Cancel {
		return StateCancelled
	}
	return StateResolved
}

// Fail ends a life whose answer can't arrive, or which the provider has lost.
func (l Life) Fail(by, reason string) (Life, error) {
	if l.State.Over() {
		return l, l.taken()
	}
	if l.State == StatePending {
		l.By = by
	}
	l.State, l.Reason = StateFailed, reason
	return l, nil
}

// Settle ends a life to which somebody else gave an answer, past us. What was
// on its way from here doesn't count.
func (l Life) Settle(shape Shape, a Answer, by, reason string) (Life, error) {
	if l.State.Over() {
		return l, l.taken()
	}
	return Life{answered(shape, a), a, by, reason}, nil
}

// Close ends a life without an answer, as expired or cancelled. An answer that
// was on its way stays on record with whoever gave it.
func (l Life) Close(s State, by, reason string) (Life, error) {
	if l.State.Over() {
		return l, l.taken()
	}
	if l.State == StatePending {
		l.By = by
	}
	l.State, l.Reason = s, reason
	return l, nil
}

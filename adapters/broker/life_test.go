package broker_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters/broker"
)

// step is one thing that can happen to a request.
type step struct {
	name string
	do   func(broker.Life) (broker.Life, error)
}

func steps() []step {
	accept := broker.Answer{Decision: broker.Accept}
	return []step{
		{"respond", func(l broker.Life) (broker.Life, error) {
			next, _, err := l.Respond(accept, "ann", "")
			return next, err
		}},
		{"respond otherwise", func(l broker.Life) (broker.Life, error) {
			next, _, err := l.Respond(broker.Answer{Decision: broker.Decline}, "ben", "")
			return next, err
		}},
		{"deliver", func(l broker.Life) (broker.Life, error) { return l.Deliver(broker.Approval) }},
		{"fail", func(l broker.Life) (broker.Life, error) { return l.Fail("adapter", "no") }},
		{"settle", func(l broker.Life) (broker.Life, error) {
			return l.Settle(broker.Approval, accept, "another", "")
		}},
		{"expire", func(l broker.Life) (broker.Life, error) { return l.Close(broker.StateExpired, "timer", "late") }},
		{"cancel", func(l broker.Life) (broker.Life, error) { return l.Close(broker.StateCancelled, "turn", "over") }},
	}
}

// The whole table of the machine: every state and every step.
func TestEveryStep(t *testing.T) {
	want := map[broker.State]map[string]broker.State{ // what isn't listed is refused
		broker.StatePending: {
			"respond": broker.StateResponding, "respond otherwise": broker.StateResponding, "fail": broker.StateFailed,
			"settle": broker.StateResolved, "expire": broker.StateExpired, "cancel": broker.StateCancelled,
		},
		broker.StateResponding: {
			"respond": broker.StateResponding, "deliver": broker.StateResolved, "fail": broker.StateFailed,
			"settle": broker.StateResolved, "expire": broker.StateExpired, "cancel": broker.StateCancelled,
		},
	}
	for _, s := range broker.States() {
		l := broker.Life{State: s}
		if s != broker.StatePending {
			l.Answer, l.By = broker.Answer{Decision: broker.Accept}, "ann"
		}
		for _, one := range steps() {
			next, err := one.do(l)
			to, fine := want[s][one.name]
			switch {
			case fine && (err != nil || next.State != to):
				t.Errorf("%s, %s: %s, %v; want %s", s, one.name, next.State, err, to)
			case !fine && err == nil:
				t.Errorf("%s, %s: %s, want a refusal", s, one.name, next.State)
			case !fine && next.State != s:
				t.Errorf("%s, %s: refused, and still %s", s, one.name, next.State)
			}
		}
	}
}

// A life has one answer at most and one end, whatever happens in whatever order.
func TestOneAnswerOneEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := broker.Opened()
		answers, ends := 0, 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			one := rapid.SampledFrom(steps()).Draw(t, "step")
			next, err := one.do(l)
			if err != nil {
				var taken *broker.TakenError
				if !errors.As(err, &taken) && !errors.Is(err, broker.ErrNothingSent) {
					t.Fatalf("%s: %v", one.name, err)
				}
				continue
			}
			if next.State == broker.StateResponding && l.State == broker.StatePending {
				answers++
			}
			if next.State.Over() {
				ends++
			}
			if next.State.Over() && next.By == "" {
				t.Fatalf("%s after %+v: nobody did it", one.name, l)
			}
			l = next
		}
		if answers > 1 || ends > 1 {
			t.Fatalf("%d answers, %d ends", answers, ends)
		}
	})
}

func TestTheSameAnswerAgain(t *testing.T) {
	answers := broker.Answer{Answers: map[string][]string{"q": {"a", "b"}}}
	l, _, err := broker.Opened().Respond(answers, "ann", "")
	if err != nil {
		t.Fatal(err)
	}
	same := broker.Answer{Answers: map[string][]string{"q": {"a", "b"}}}
	if _, again, err := l.Respond(same, "ann", ""); err != nil || !again {
		t.Errorf("the same answer again: %v, %v", again, err)
	}
	if _, again, err := l.Respond(same, "ben", ""); err == nil || again {
		t.Error("another one's answer is taken for the first")
	}
	if _, _, err := l.Respond(broker.Answer{Answers: map[string][]string{"q": {"a"}}}, "ann", ""); err == nil {
		t.Error("another answer is taken for the first")
	}
	if l, err = l.Deliver(broker.Questioned); err != nil || l.State != broker.StateResolved {
		t.Errorf("%s, %v", l.State, err)
	}
	l, _, _ = broker.Opened().Respond(broker.Answer{Decision: broker.Cancel}, "ann", "")
	if l, err = l.Deliver(broker.Questioned); err != nil || l.State != broker.StateCancelled {
		t.Errorf("a dismissed question is %s, %v", l.State, err)
	}
}

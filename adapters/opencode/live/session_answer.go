package live

import (
	"errors"
	"fmt"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/strictjson"
)

// Answer answers a request of the run that is under way.
func (d *Driver) Answer(q broker.Request, a broker.Answer) error {
	if _, err := d.o.Translator.Operations(q, a); err != nil {
		return err
	}
	d.decide(q.ID, broker.Delivery{Answer: a, By: broker.ByPerson})
	return nil
}

// Perform answers a request of the run that is under way in steps of somebody
// else's.
func (d *Driver) Perform(q broker.Request, as broker.Delivery) error {
	if len(as.Operations) != 1 {
		return fmt.Errorf("request %s is answered in one step, not in %d", q.ID, len(as.Operations))
	}
	if err := says(as.Operations[0], q, as.Answer); err != nil {
		return fmt.Errorf("request %s: %w", q.ID, err)
	}
	d.decide(q.ID, as)
	return nil
}

func (d *Driver) decide(id string, as broker.Delivery) {
	d.mu.Lock()
	r := d.run
	d.mu.Unlock()
	if r != nil {
		r.Post(func() { r.decided(id, as) })
	}
}

// stepArguments are the arguments of every step of the dialect.
type stepArguments struct {
	RequestID string     `json:"requestID"`
	Reply     string     `json:"reply"`
	Message   string     `json:"message"`
	Answers   [][]string `json:"answers"`
}

// says refuses a step that isn't a way to say an answer to a request: one about
// another request, one that allows what was refused, and "always".
func says(op broker.Operation, q broker.Request, a broker.Answer) error {
	var s stepArguments
	if err := strictjson.Decode(op.Arguments, &s); err != nil {
		return fmt.Errorf("the arguments of %s: %w", op.Call, err)
	}
	if s.RequestID != q.ID {
		return fmt.Errorf("%s is about request %q", op.Call, s.RequestID)
	}
	want := ""
	switch {
	case q.Shape == broker.Questioned && a.Decision == broker.Cancel:
		want = "question.reject"
	case q.Shape == broker.Questioned && a.Decision == "":
		want = "question.reply"
		if len(s.Answers) != len(q.Questions) {
			return fmt.Errorf("%d answers to %d questions", len(s.Answers), len(q.Questions))
		}
	case q.Shape == broker.Approval:
		want = "permission.reply"
		reply := ReplyReject
		if a.Decision == broker.Accept || a.Decision == broker.AcceptForSession {
			reply = ReplyOnce
		}
		switch _, offered := q.Offers(a.Decision); {
		case !offered:
			return fmt.Errorf("it doesn't offer %q", a.Decision)
		case s.Reply != reply:
			return fmt.Errorf("the reply %q doesn't say %q", s.Reply, a.Decision)
		case (a.Decision == broker.Decline) != (s.Message != ""):
			return errors.New("a refusal has a message where the run goes on, and only there")
		}
	}
	if op.Call != want {
		return fmt.Errorf("%s doesn't say %q", op.Call, a.Decision)
	}
	return nil
}

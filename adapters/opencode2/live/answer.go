package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/compiler"
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
	if err := say(as.Operations, q, as.Answer); err != nil {
		return fmt.Errorf("request %s: %w", q.ID, err)
	}
	d.decide(q.ID, as)
	return nil
}

func (d *Driver) decide(id string, as broker.Delivery) {
	d.box.Post(func() {
		if d.run != nil {
			d.run.decided(id, as)
		}
	})
}

// stepArguments are the arguments of every step of the dialect.
type stepArguments struct {
	SessionID   string          `json:"sessionID"`
	RequestID   string          `json:"requestID"`
	Decision    string          `json:"decision"`
	Message     string          `json:"message"`
	Permissions []Rule          `json:"permissions"`
	Text        string          `json:"text"`
	Delivery    string          `json:"delivery"`
	Resume      bool            `json:"resume"`
	FormID      string          `json:"formID"`
	Answer      json.RawMessage `json:"answer"`
	Reason      string          `json:"reason"`
}

// say refuses steps that aren't a way to say an answer to a request: such as are
// about another one, that allow what was refused, or that change rules without a
// grant. The last of them answers; what tells the turn's end may follow it.
func say(ops []broker.Operation, q broker.Request, a broker.Answer) error {
	if n := len(ops); n > 1 && ops[n-1].Call == broker.FailTurn && a.Decision == broker.Cancel {
		ops = ops[:n-1]
	}
	if len(ops) == 0 {
		return errors.New("no step answers it")
	}
	if _, offered := q.Offers(a.Decision); !offered && (q.Shape == broker.Approval || a.Decision != "") {
		return fmt.Errorf("it doesn't offer %q", a.Decision)
	}
	for i, op := range ops {
		var s stepArguments
		if err := strictjson.Decode(op.Arguments, &s); err != nil {
			return fmt.Errorf("the arguments of %s: %w", op.Call, err)
		}
		if s.SessionID != q.Session && op.Call != broker.SyncRules {
			return fmt.Errorf("%s is about session %q", op.Call, s.SessionID)
		}
		last := i == len(ops)-1
		if err := s.says(op.Call, q, a, last); err != nil {
			return err
		}
	}
	return nil
}

func (s stepArguments) says(call string, q broker.Request, a broker.Answer, last bool) error {
	question := q.Shape == broker.Questioned
	switch {
	case !last && (call == "session.update" || call == broker.SyncRules) && a.Decision == broker.AcceptForSession,
		!last && call == "session.synthetic" && a.Decision == broker.Decline,
		last && question && call == "session.form.cancel" && a.Decision == broker.Cancel && s.FormID == q.ID,
		last && question && call == "session.form.reply" && a.Decision == "" && s.FormID == q.ID:
		return nil
	case !last || question || call != "session.permission.reply" || s.RequestID != q.ID:
		return fmt.Errorf("%s isn't a step of the answer %q to it", call, a.Decision)
	}
	want := "reject"
	if a.Decision == broker.Accept || a.Decision == broker.AcceptForSession {
		want = "once"
	}
	switch {
	case s.Decision != want:
		return fmt.Errorf("the reply %q doesn't say %q", s.Decision, a.Decision)
	case (a.Decision == broker.Decline) != (s.Message != ""):
		return errors.New("a refusal has a message where the run goes on, and only there")
	}
	return nil
}

// update gives rules to the session or to a child of it, as a step says.
func (d *Driver) update(ctx context.Context, arguments []byte) error {
	var s stepArguments
	if err := strictjson.Decode(arguments, &s); err != nil {
		return err
	}
	if s.SessionID != d.ID() {
		return d.c.Update(ctx, s.SessionID, s.Permissions)
	}
	native, err := strictjson.Encode(s.Permissions)
	if err != nil {
		return err
	}
	d.syncing.Lock()
	defer d.syncing.Unlock()
	return d.Apply(ctx, compiler.RuleSet{Native: native})
}

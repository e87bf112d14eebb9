package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// talk is a Person with everything around it.
type talk struct {
	*stub
	p     *Person
	run   *performer
	view  *viewer
	fault chan error
	ruled func() error // before new rules are in force
}

func newTalk(t *testing.T, times Times) *talk {
	s := newStub(t)
	k := &talk{stub: s, run: newPerformer(), view: &viewer{}, fault: make(chan error, 1), ruled: func() error { return nil }}
	session := s.client(times).NewSession(evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default})
	session.id, session.made, session.turn = "s", true, "turn-1"
	s.on("/resolution", "200 "+shown("per_1", "resolved", ""))
	var err error
	k.p, err = session.NewPerson(t.Context(), k.run, k.view, Ends{Fail: func(err error) { k.fault <- err }, Changed: func(m evaluator.Mode, i evaluator.Interaction) { k.run.add(fmt.Sprintf("changed %s %s", m, i)) }, Ruled: func(context.Context) error {
		err := k.ruled()
		k.run.add("ruled")
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// end waits for what is under way, and returns how the run was answered and what
// was reported.
func (k *talk) end(t *testing.T) (answered, reported []string, err error) {
	t.Helper()
	err = k.p.Stop(context.WithoutCancel(t.Context()))
	return k.run.log, k.said("/resolution"), err
}

// TestAnswered takes answers from the service, whatever comes first, and hands the
// run one at most.
func TestAnswered(t *testing.T) {
	pending, responding := "201 "+shown("per_1", "pending", ""), `,"operations":`+once
	answer := func(k *talk, seq int) {
		k.happens(seq, evApprovalAnswer, shown("per_1", "responding", `,"decision":"accept","decidedBy":"alice"`), responding)
	}
	closing := func(by broker.Closer) broker.Closing {
		return broker.Closing{Request: approval("per_1"), Decision: broker.Accept, By: by, Reason: "so"}
	}
	const performed = `perform per_1 accept person {"say":"once"}`
	for _, c := range []struct {
		name     string
		opening  string // what the service makes of the request
		happens  func(k *talk)
		waits    int // for that many answers of the run
		closing  *broker.Closing
		answered []string
		reported []string
		shown    bool
	}{
		{"answered", pending, func(k *talk) { answer(k, 1) }, 1, ref(closing(broker.ByPerson)), []string{performed}, []string{`{"status":"delivered"}`}, true},
		{"told twice", pending, func(k *talk) { answer(k, 1); answer(k, 1); answer(k, 2) }, 1, nil, []string{performed}, nil, true},
		{"told late", pending, func(k *talk) {
			k.happens(1, evApprovalAnswer, shown("per_1", "responding", `,"decision":"accept","decidedBy":"alice"`), `,"stale":true`)
			k.happens(2, evApprovalDone, shown("per_1", "expired", `,"decision":"accept","decidedBy":"alice","reason":"late"`), "")
		}, 1, ref(closing(broker.ByPerson)), []string{"answer per_1 decline"}, []string{`{"reason":"the modegate service has closed it: late","status":"failed"}`}, true},
		{"nobody answers", pending, func(k *talk) {
			k.happens(1, evApprovalDone, shown("per_1", "expired", `,"decidedBy":"modegate:expiry","reason":"nobody"`), responding)
		}, 1, ref(closing(broker.ByService)), []string{`perform per_1 decline service {"say":"once"}`}, []string{`{"status":"delivered"}`}, true},
		{"answered when it is opened", "201 " + shown("per_1", "resolved", `,"decision":"accept","decidedBy":"modegate:mode","operations":`+once), nil, 1, ref(closing(broker.ByMode)), []string{`perform per_1 accept mode {"say":"once"}`}, nil, false},
		{"answered when it is opened, and lost", "201 " + shown("per_1", "resolved", `,"decision":"accept","decidedBy":"modegate:mode","operations":`+once), nil, 1, ref(closing(broker.ByLoss)), []string{`perform per_1 accept mode {"say":"once"}`}, []string{`{"reason":"so","status":"failed"}`}, false},
		{"over when it is opened", "200 " + shown("per_1", "expired", `,"reason":"old"`), nil, 1, nil, []string{"answer per_1 decline"}, nil, false},
		{"another client", pending, nil, 0, ref(closing(broker.ByOther)), nil, []string{`{"decision":"accept","reason":"so","status":"settled"}`}, false},
		{"stopped before anybody answers", pending, nil, 0, ref(closing(broker.ByStop)), nil, nil, false},
		{"stopped with the answer on its way", pending, func(k *talk) { answer(k, 1) }, 1, ref(closing(broker.ByStop)), []string{performed}, []string{`{"reason":"so","status":"failed"}`}, true},
		{"not readable there", problemText(422, "unreadable-request", "no"), nil, 1, ref(closing(broker.ByPerson)), []string{"answer per_1 decline"}, nil, false},
		{"no turn there", problemText(409, "turn-over", "no"), nil, 1, nil, []string{"answer per_1 decline"}, nil, false},
		{"too many wait there", problemText(429, "too-many", "no"), nil, 1, nil, []string{"answer per_1 decline"}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTalk(t, Times{})
			k.on("/requests", c.opening)
			k.p.Opened(approval("per_1"))
			if c.happens != nil {
				c.happens(k)
			}
			for range c.waits {
				<-k.run.changed
			}
			for c.shown && !k.view.has("opened per_1") { // which comes behind the answer that came early
				time.Sleep(time.Millisecond)
			}
			if c.closing != nil {
				k.p.Closed(*c.closing)
			}
			answered, reported, err := k.end(t)
			if d := cmp.Diff(c.answered, answered, cmpopts.EquateEmpty()); d != "" || err != nil {
				t.Errorf("answered: %s %v", d, err)
			}
			if d := cmp.Diff(c.reported, reported, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("reported: %s", d)
			}
			if c.closing != nil && !k.view.has("closed per_1") {
				t.Errorf("shown: %q", k.view.log)
			}
			if body := k.said("/requests"); len(body) != 1 || body[0] != `{"native":{"id":"per_1"},"turn":"turn-1"}` {
				t.Errorf("opened: %q", body)
			}
		})
	}
}

func ref[T any](v T) *T { return &v }

// TestRulesFirst keeps an answer until the rules that came before it are in force:
// what the agent does next must meet them. One behind rules that can't be is dropped,
// and the run ends.
func TestRulesFirst(t *testing.T) {
	for _, c := range []struct {
		err  error
		want []string
	}{
		{nil, []string{"changed auto plan", "ruled", `perform per_1 accept person {"say":"once"}`}},
		{errors.New("they aren't in force"), []string{"changed auto plan", "ruled"}},
	} {
		k := newTalk(t, Times{})
		applied := make(chan error)
		k.ruled = func() error { return <-applied }
		k.on("/requests", "201 "+shown("per_1", "pending", ""))
		k.p.Opened(approval("per_1"))
		k.events <- sessionEvent(1, evRuleset, `,"ruleset":"d","applies":"in-session"`)
		k.happens(2, evApprovalAnswer, shown("per_1", "responding", `,"decision":"accept","decidedBy":"alice"`), `,"operations":`+once)
		k.events <- sessionEvent(3, evModeSet, `,"mode":"auto","interaction":"plan","applies":"restart"`)
		<-k.run.changed // the answer was seen
		applied <- c.err
		<-k.run.changed
		if c.err == nil {
			<-k.run.changed
		}
		answered, _, err := k.end(t)
		if d := cmp.Diff(c.want, answered); d != "" || !errors.Is(err, c.err) {
			t.Error(d, err)
		}
	}
}

// TestNotPerformed refuses a request whose answer can't be performed, and says so
// on the record.
func TestNotPerformed(t *testing.T) {
	k := newTalk(t, Times{})
	k.on("/requests", "201 "+shown("per_1", "pending", ""))
	k.run.bad = errors.New("that isn't an answer to it")
	k.p.Opened(approval("per_1"))
	k.happens(1, evApprovalAnswer, shown("per_1", "responding", `,"decision":"accept","decidedBy":"alice"`), `,"operations":`+once)
	<-k.run.changed
	k.p.Closed(broker.Closing{Request: approval("per_1"), Decision: broker.Decline, By: broker.ByPerson})
	answered, reported, err := k.end(t)
	if d := cmp.Diff([]string{"answer per_1 decline"}, answered); d != "" || err != nil {
		t.Error(d, err)
	}
	if len(reported) != 1 || !strings.Contains(reported[0], `"failed"`) || !strings.Contains(reported[0], "that isn't an answer to it") {
		t.Errorf("reported: %q", reported)
	}
}

// TestAnotherEnd says that the service has another end on record than the one that
// is reported, unless the run's comes from that one.
func TestAnotherEnd(t *testing.T) {
	for _, c := range []struct {
		by    broker.Closer
		noted bool
	}{{broker.ByPerson, true}, {broker.ByService, false}} {
		k := newTalk(t, Times{})
		k.on("/requests", "201 "+shown("per_1", "pending", ""))
		k.on("/resolution", problemText(409, "conflict", "it has expired"))
		k.p.Opened(approval("per_1"))
		k.p.Closed(broker.Closing{Request: approval("per_1"), Decision: broker.Accept, By: c.by})
		if _, reported, err := k.end(t); len(reported) != 1 || err != nil || k.view.has("has another end") != c.noted {
			t.Errorf("%s: reported %v, %v, shown %q", c.by, reported, err, k.view.log)
		}
	}
}

// TestGivesUp ends the run when the service can't be gone on with, and answers
// nothing: the run refuses what waits.
func TestGivesUp(t *testing.T) {
	for _, c := range []struct {
		name    string
		opening string
		happens func(k *talk)
		says    string
	}{
		{"an answer that isn't known", "201 {}", nil, "took request per_1 for another"},
		{"an unknown field", "201 " + shown("per_1", "pending", `,"allow":true`), nil, `unknown field "allow"`},
		{"another request's", "201 " + shown("per_2", "pending", ""), nil, "took request per_1 for another"},
		{"other bytes", "201 " + strings.Replace(shown("per_1", "pending", ""), "sha256:", "sha256:0", 1), nil, "took request per_1 for another"},
		{"a web page", "200 <html>", nil, "text/html"},
		{"a redirect", "302 {}", nil, "is this a modegate service?"},
		{"signed out", problemText(401, "unauthorized", "sign in"), nil, "no (401): sign in"},
		{"unloaded", problemText(404, "not-found", "no session"), nil, "no (404): no session"},
		{"broken", problemText(503, "store", "try again"), nil, "no (503): try again"},
		{"too busy", problemText(429, "too-many", "in a second"), nil, "no (429)"},
		{"an event with an unknown field", "", func(k *talk) { k.happens(1, evApprovalAnswer, shown("per_1", "pending", ""), `,"allow":true`) }, `unknown field "allow"`},
		{"an event without its request", "", func(k *talk) { k.happens(1, evApprovalAnswer, "null", "") }, "without a request"},
		{"the session is unloaded", "", func(k *talk) { k.events <- sessionEvent(1, evSession, `,"state":"unloaded","by":"bob"`) }, "unloaded at the modegate service, by bob"},
		{"the turn is ended", "", func(k *talk) {
			k.events <- sessionEvent(1, evTurnOver, `,"turn":"turn-1","status":"killed","by":"bob"`)
		}, "by bob: killed"},
		{"the events end and don't come back", "", func(k *talk) { k.http.CloseClientConnections(); k.http.Listener.Close() }, "can't be reached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTalk(t, soon)
			if c.opening != "" {
				k.on("/requests", c.opening)
				k.p.Opened(approval("per_1"))
			} else {
				c.happens(k)
			}
			if err := <-k.fault; !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
			answered, reported, err := k.end(t)
			if len(answered) > 0 || len(reported) > 0 || err == nil {
				t.Errorf("answered %v, reported %v, %v", answered, reported, err)
			}
		})
	}
}

func sessionEvent(seq int, kind, more string) string {
	return fmt.Sprintf("data: {\"seq\":%d,\"type\":%q,\"at\":\"2026-11-30T12:00:00Z\",\"session\":\"s\",\"policy\":\"sha256:p\"%s}\n\n", seq, kind, more)
}

// TestGoesOn is what doesn't end a run.
func TestGoesOn(t *testing.T) {
	k := newTalk(t, Times{})
	k.on("/v1/sessions/s", `200 {"id":"s","provider":"opencode","mode":"auto","interaction":"default","workspace":"/w","env":{},"ruleset":"d","revision":1,"turn":"turn-1","modeChange":"restart","createdAt":"2026-11-30T12:00:00Z","updatedAt":"2026-11-30T12:00:00Z"}`)
	for _, text := range []string{
		sessionEvent(1, evSession, `,"state":"loaded"`),
		sessionEvent(2, evTurnOver, `,"turn":"turn-0","status":"completed"`),
		sessionEvent(3, evModeSet, `,"mode":"approval-required","interaction":"default","applies":"restart"`), // the turn has it
		sessionEvent(4, "plan.proposed", ""),
		sessionEvent(5, "what.comes-later", ""),
		sessionEvent(2, evModeSet, `,"mode":"full-access","applies":"restart"`), // it was seen
		sessionEvent(900, evGap, `,"reason":"pruned"`),
		sessionEvent(6, evRuleset, `,"ruleset":"d","applies":"next-turn","by":"modegate:reload","reason":"new"`),
		sessionEvent(7, evRuleset, `,"ruleset":"d","applies":"in-session"`),
		"", // the stream breaks
		sessionEvent(8, evModeSet, `,"mode":"auto","interaction":"plan","applies":"restart"`),
	} {
		k.events <- text
	}
	<-k.run.changed
	<-k.run.changed
	answered, _, err := k.end(t)
	if d := cmp.Diff([]string{"ruled", "changed auto plan"}, answered, cmpopts.SortSlices(strings.Compare)); d != "" || err != nil {
		t.Error(d, err)
	}
	if !k.view.has("another policy") || !k.view.has("is back") {
		t.Errorf("shown: %q", k.view.log)
	}
}

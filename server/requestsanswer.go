package server

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// decisionBody is what POST …/decision takes. A client may say what it has
// shown: a decision about something else is refused.
type decisionBody struct {
	Decision broker.Decision `json:"decision"`
	Digest   string          `json:"digest"`
	Policy   string          `json:"policy"`
}

func decisions() []broker.Decision {
	return []broker.Decision{broker.Accept, broker.AcceptForSession, broker.AcceptAlways, broker.Decline, broker.Cancel}
}

func postDecision(d *desk, c *call) {
	var in decisionBody
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return
	}
	if !slices.Contains(decisions(), in.Decision) {
		c.refuse(invalid(wrong("/decision", fmt.Errorf("unknown decision %q: use %s", in.Decision, join(decisions())))))
		return
	}
	d.respondTo(c, broker.Approval, func(e *entry) (broker.Answer, *problem) {
		switch _, ok := e.asked.Offers(in.Decision); {
		case !ok:
			return broker.Answer{}, invalid(wrong("/decision", fmt.Errorf("the request doesn't offer %q: it offers %s", in.Decision, offeredWords(e.asked))))
		case in.Digest != "" && in.Digest != e.public.Digest:
			return broker.Answer{}, conflict(e, "the request asks something else than the digest says")
		case in.Policy != "" && in.Policy != e.public.Policy:
			return broker.Answer{}, conflict(e, "the request was asked under another policy")
		}
		return broker.Answer{Decision: in.Decision}, nil
	})
}

func offeredWords(r broker.Request) string {
	words := make([]broker.Decision, 0, len(r.Offered))
	for _, o := range r.Offered {
		words = append(words, o.Decision)
	}
	return join(words)
}

func postDismiss(d *desk, c *call) {
	var in struct{}
	data, p := c.body()
	if p == nil && len(data) > 0 {
		p = c.decodeFrom(data, &in)
	}
	if p != nil {
		c.refuse(p)
		return
	}
	d.respondTo(c, broker.Questioned, func(*entry) (broker.Answer, *problem) {
		return broker.Answer{Decision: broker.Cancel}, nil
	})
}

// respondTo gives a request the answer that a person makes of it.
func (d *desk) respondTo(c *call, shape broker.Shape, answer func(*entry) (broker.Answer, *problem)) {
	d.serve(c, func(ch *change) (int, any, *problem) {
		e, p := ch.find(c.Param("id"))
		if p != nil {
			return 0, nil, p
		}
		if e.public.Shape != shape {
			takes := "a decision: see /decision"
			if shape == broker.Approval {
				takes = "answers, or is dismissed: see /answers and /dismiss"
			}
			return 0, nil, invalid(place{Message: fmt.Sprintf("the request is of shape %s: it takes %s", e.public.Shape, takes)})
		}
		if e.public.State.Over() {
			return 0, nil, tooLate(e)
		}
		a, p := answer(e)
		if p == nil {
			p = ch.mayAccept(e, a)
		}
		if p == nil {
			p = ch.respond(e, a, ch.by, "")
		}
		if next := ch.open[e.public.ID]; next != nil {
			e = next
		}
		return http.StatusAccepted, e.public, p
	})
}

// find is a request, open or over.
func (ch *change) find(id string) (*entry, *problem) {
	if e := ch.desk.open[id]; e != nil {
		return e, nil
	}
	e, err := ch.read(id)
	switch {
	case err != nil:
		return nil, ch.unreadable(err)
	case e == nil:
		return nil, newProblem(http.StatusNotFound, "not-found", fmt.Sprintf("there is no request %q", id))
	}
	return e, nil
}

// tooLate is what comes after a request's end.
func tooLate(e *entry) *problem {
	return conflict(e, (&broker.TakenError{State: e.public.State, By: e.public.DecidedBy}).Error())
}

// conflict is what comes too late, or is about something else.
func conflict(e *entry, detail string) *problem {
	p := newProblem(http.StatusConflict, "conflict", detail)
	p.State = string(e.public.State)
	return p
}

// respond gives an open request its answer: the session's adapter gets the steps
// by an event. What the answer grants holds from now on.
func (ch *change) respond(e *entry, a broker.Answer, by, reason string) *problem {
	life, again, err := e.life.Respond(a, by, reason)
	if again {
		return nil
	}
	if err != nil {
		return conflict(e, err.Error())
	}
	if accepting(a) && e.public.Policy != ch.snap.policy.Digest {
		return conflict(e, "the policy has changed since this was asked: decline it, and the agent asks again under the one in force")
	}
	t := ch.translators[e.public.Provider]
	if t == nil {
		return newProblem(http.StatusNotImplemented, "no-translator", fmt.Sprintf("this build can't answer %s", e.public.Provider))
	}
	steps, err := t.Operations(e.asked, a)
	if err != nil {
		return newProblem(http.StatusUnprocessableEntity, "undeliverable", "this answer can't be said to the provider, and the request goes on waiting: "+err.Error())
	}
	next := e.lives(life, ch.at)
	next.due = ch.at.Add(ch.delivery)
	if offer, ok := e.asked.Offers(a.Decision); ok && a.Decision == broker.AcceptForSession {
		next.granted = ch.grant(e.holder, offer.Grants)
	}
	_, answered, _ := types(e.public.Shape)
	native, plan, err := ch.nativeSteps(e, steps)
	if err != nil {
		return uncompilable(err)
	}
	ch.log(answered, next, by, native)
	ch.propose(e, plan)
	if len(next.granted) == 0 {
		return nil
	}
	if err := ch.recompile(e.holder.session, false, "granted: "+e.public.ID); err != nil {
		return uncompilable(err)
	}
	ch.coverOthers(e.holder)
	return nil
}

// accepting reports whether an answer lets a request happen.
func accepting(a broker.Answer) bool {
	return a.Decision == broker.Accept || a.Decision == broker.AcceptForSession || a.Decision == broker.AcceptAlways
}

// grant gives a holder grants, and returns those that it didn't have.
func (ch *change) grant(h holder, more []evaluator.Grant) (added []evaluator.Grant) {
	list := slices.Clone(ch.held(h))
	for _, g := range more {
		if !slices.Contains(list, g) {
			list, added = append(list, g), append(added, g)
		}
	}
	ch.grants[h] = list
	return added
}

// revoke takes back what an answer granted that didn't arrive.
func (ch *change) revoke(e *entry) error {
	if len(e.granted) == 0 {
		return nil
	}
	ch.grants[e.holder] = slices.DeleteFunc(slices.Clone(ch.held(e.holder)), func(g evaluator.Grant) bool { return slices.Contains(e.granted, g) })
	if ch.session(e.holder.session) == nil {
		return nil
	}
	return ch.recompile(e.holder.session, false, "not granted: nobody says that the answer to "+e.public.ID+" arrived")
}

// mustRevoke is revoke where nobody can be told that the rules without the grant
// can't be compiled. The grant is taken back all the same.
func (ch *change) mustRevoke(e *entry) {
	if err := ch.revoke(e); err != nil {
		ch.s.Log.Error("a session's rules can't be compiled without a grant", "session", e.holder.session, "request", e.public.ID, "error", err.Error())
	}
}

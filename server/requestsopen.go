package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/strictjson"
)

// opening is what POST …/requests takes: the provider's request as it came, or
// the same with the turn that it belongs to.
type opening struct {
	Turn   string         `json:"turn"`
	Native jsontext.Value `json:"native"`
}

// openedRequest is the answer: the request, and what the adapter does at once
// where it is answered already.
type openedRequest struct {
	request    `json:",inline"`
	Operations []broker.Operation `json:"operations,omitempty"`
}

func readOpening(c *call) (in opening, p *problem) {
	data, p := c.body()
	if p != nil {
		return in, p
	}
	var members map[string]jsontext.Value
	if err := strictjson.Decode(data, &members); err != nil {
		return in, malformed(err)
	}
	if _, wrapped := members["native"]; !wrapped {
		return opening{Native: data}, nil
	}
	return in, c.decodeFrom(data, &in)
}

// postRequest opens a request of a session. One that the session's modes or
// grants answer comes back answered.
func postRequest(d *desk, c *call) {
	in, p := readOpening(c)
	if p != nil {
		c.refuse(p)
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		a := ch.session(c.Param("id"))
		if a == nil {
			return 0, nil, noSession(c.Param("id"))
		}
		e, status, p := ch.openRequest(a, in)
		if p != nil {
			return 0, nil, p
		}
		return status, openedRequest{e.public, e.handed}, nil
	})
}

func (ch *change) openRequest(a *agentSession, in opening) (*entry, int, *problem) {
	t := ch.translators[a.Provider]
	if t == nil {
		return nil, 0, newProblem(http.StatusNotImplemented, "no-translator", fmt.Sprintf("this build can't read the requests of %s yet: answer them at the provider", a.Provider))
	}
	asked, err := t.Request(in.Native)
	if err == nil {
		asked, err = sound(asked)
	}
	if err != nil {
		return nil, 0, unreadableRequest(err)
	}
	owner, child := ch.owner(a, asked.Session)
	e := &entry{asked: asked, life: broker.Opened(), holder: holder{owner.ID, child}}
	ch.desk.count++
	e.number = ch.desk.count
	if p := ch.inTurn(e, a, owner, in.Turn); p != nil {
		return nil, 0, p
	}
	e.public = ch.shown(e, owner)
	if old, p := ch.asBefore(e); old != nil || p != nil {
		return old, http.StatusOK, p
	}
	if n := len(ch.desk.open); n >= maxOpenRequests {
		return nil, 0, newProblem(http.StatusTooManyRequests, "too-many", fmt.Sprintf("%d requests wait: refuse this one at the provider", n))
	}
	if owner.Native == "" && child == "" && asked.Session != "" {
		next := *owner
		next.Native = asked.Session
		ch.put(next)
	}
	e.due, e.public.Expires = ch.at.Add(ch.expiry), ch.at.Add(ch.expiry)
	if done, p := ch.answerAtOnce(t, owner, e); done != nil || p != nil {
		return done, http.StatusCreated, p
	}
	if err := askable(asked); err != nil {
		return nil, 0, unreadableRequest(err)
	}
	opened, _, _ := types(asked.Shape)
	ch.log(opened, e, ch.by, nil)
	return e, http.StatusCreated, nil
}

// sound refuses a request that mixes the shapes, and drops what no request of
// its kind may offer.
func sound(r broker.Request) (broker.Request, error) {
	switch {
	case r.ID == "":
		return r, errors.New("it has no id")
	case r.Shape == broker.Approval && len(r.Questions) > 0:
		return r, errors.New("it is an approval with questions")
	case r.Shape != broker.Approval && r.Shape != broker.Questioned:
		return r, fmt.Errorf("it has the unknown shape %q", r.Shape)
	}
	r.Offered = slices.DeleteFunc(slices.Clone(r.Offered), func(o broker.Offer) bool {
		return r.Shape == broker.Questioned && o.Decision != broker.Cancel || o.Decision == broker.AcceptAlways && r.Kind != broker.MCPElicitation
	})
	return r, nil
}

// askable refuses a request that nobody could answer.
func askable(r broker.Request) error {
	seen := map[string]bool{}
	for _, q := range r.Questions {
		if seen[q.ID] {
			return fmt.Errorf("two of its questions have the id %q: an answer would be lost", q.ID)
		}
		seen[q.ID] = true
	}
	switch {
	case r.Shape == broker.Questioned && len(r.Questions) == 0:
		return errors.New("it asks nothing")
	case r.Shape == broker.Approval && len(r.Offered) == 0:
		return errors.New("no decision about it could be delivered")
	}
	return nil
}

func unreadableRequest(err error) *problem {
	return newProblem(http.StatusUnprocessableEntity, "unreadable-request", "refuse this request at the provider at once, nobody can answer it: "+err.Error())
}

// owner is the session that asks: the one that the request came by, a child of
// it that is loaded, or a child that only the provider knows.
func (ch *change) owner(a *agentSession, native string) (owner *agentSession, child string) {
	if native == "" || native == a.Native || a.Native == "" {
		return a, ""
	}
	for _, id := range sortedKeys(ch.each()) {
		one := ch.session(id)
		if one.Native != native || one.Provider != a.Provider {
			continue
		}
		for up := one; up != nil; up = ch.session(up.Parent) {
			if up.ID == a.ID {
				return one, ""
			}
		}
	}
	return a, native
}

// inTurn finds the turn that a request belongs to.
func (ch *change) inTurn(e *entry, a, owner *agentSession, turn string) *problem {
	if e.runs = ch.running(owner); turn != "" {
		e.runs = turnKey{}
		for up := owner; up != nil; up = ch.session(up.Parent) {
			if up.Turn == turn {
				e.runs = turnKey{up.ID, turn}
			}
		}
		if e.runs.turn == "" {
			return newProblem(http.StatusConflict, "turn-over", fmt.Sprintf("turn %q doesn't run in session %s: refuse the request at the provider", turn, a.ID))
		}
	}
	return nil
}

func (ch *change) shown(e *entry, owner *agentSession) request {
	r := e.asked
	out := request{
		ID: newID("req"), Session: owner.ID, Provider: owner.Provider, Shape: r.Shape, Title: r.Title, Detail: r.Detail,
		Resources: r.Resources, Native: idsOf(r), Offered: r.Offered, Questions: r.Questions,
		State: broker.StatePending, Digest: digestOf(r.Native), Policy: ch.snap.policy.Digest, Opened: ch.at,
	}
	if e.runs.turn != "" {
		out.Turn = &e.runs.turn
	}
	if r.Kind != "" {
		kind := string(r.Kind)
		out.Kind = &kind
	}
	return out
}

// asBefore finds the request that this one was opened as before: an adapter
// that didn't get the first answer asks again, while it is open or in its turn.
// Later the same bytes are another request: some providers count their ids anew.
// Another request by the same id, while the first is open, is refused.
func (ch *change) asBefore(e *entry) (*entry, *problem) {
	row, ok, err := ch.store.Opened(ch.ctx, e.public.Session, e.asked.ID)
	if err != nil {
		return nil, ch.unreadable(err)
	}
	if !ok {
		return nil, nil
	}
	old, err := ch.read(row.Request)
	if err != nil {
		return nil, ch.unreadable(err)
	}
	sameTurn := old.public.Turn != nil && e.public.Turn != nil && *old.public.Turn == *e.public.Turn
	switch {
	case old.public.Digest == e.public.Digest && (sameTurn || !old.public.State.Over()):
		return old, nil
	case !old.public.State.Over():
		return nil, newProblem(http.StatusConflict, "conflict", fmt.Sprintf("request %s is open under the same id of the provider, and asks something else", old.public.ID))
	}
	return nil, nil
}

// read reads a request from the log.
func (ch *change) read(id string) (*entry, error) {
	rows, err := ch.store.OfRequest(ch.ctx, id)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	last, err := readEvent(rows[len(rows)-1])
	if err != nil {
		return nil, err
	}
	var kept private
	if err := json.Unmarshal(rows[0].Private, &kept); err != nil {
		return nil, err
	}
	return &entry{public: *last.Request, asked: kept.request(), handed: kept.Handed, ended: last.By}, nil
}

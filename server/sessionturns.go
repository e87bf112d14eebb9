package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/broker"
)

// newID makes an id that nobody can guess.
func newID(prefix string) string { return prefix + "_" + strings.ToLower(rand.Text()) }

// postTurn starts a turn with the session's stored modes.
func postTurn(d *desk, c *call) {
	var in struct {
		Turn string `json:"turn"` // the client's own id, "" for one of ours
	}
	data, p := c.body()
	if p == nil && len(data) > 0 {
		p = c.decodeFrom(data, &in)
	}
	if p == nil && in.Turn != "" && !sessionName.MatchString(in.Turn) {
		p = invalid(wrong("/turn", errors.New("a turn's id has letters, digits and ._~:@-, 128 at most")))
	}
	if p != nil {
		c.refuse(p)
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		a := ch.session(c.Param("id"))
		if a == nil {
			return 0, nil, noSession(c.Param("id"))
		}
		old, err := ch.turn(a.ID, in.Turn)
		switch {
		case err != nil:
			return 0, nil, d.unreadable(err)
		case old != nil && old.State == turnRunning:
			return http.StatusOK, *old, nil
		case old != nil:
			return 0, nil, newProblem(http.StatusConflict, "conflict", fmt.Sprintf("turn %s has ended: %s", old.ID, old.Status))
		}
		t, p := ch.startTurn(a, in.Turn)
		return http.StatusCreated, t, p
	})
}

// startTurn starts a turn. A session runs one at a time: one that still runs is
// over, and what it left open is closed.
func (ch *change) startTurn(a *agentSession, id string) (turnRow, *problem) {
	if a.Turn != "" {
		ch.endTurn(a, "superseded")
	}
	if err := ch.recompile(a.ID, false, "a turn starts"); err != nil {
		return turnRow{}, uncompilable(err)
	}
	a = ch.session(a.ID)
	if id == "" {
		id = newID("turn")
	}
	t := turnRow{ID: id, Session: a.ID, Mode: a.Mode, Interaction: a.Interaction, Ruleset: a.Ruleset, State: turnRunning, Started: ch.at}
	ch.turns = append(ch.turns, t)
	next := *a
	next.Turn = id
	ch.put(next)
	ch.emit(event{Type: evTurnStarted, Session: a.ID, Turn: id, Mode: t.Mode, Interaction: t.Interaction, Ruleset: t.Ruleset, Revision: a.Revision})
	return t, nil
}

// turn reads a turn that is written, nil when there is none.
func (ch *change) turn(session, id string) (*turnRow, error) {
	data, err := ch.store.Turn(ch.ctx, session, id)
	if err != nil || data == nil {
		return nil, err
	}
	var t turnRow
	return &t, json.Unmarshal(data, &t)
}

// postTurnEnd ends a turn and closes what it left open.
func postTurnEnd(d *desk, c *call) {
	var in struct {
		Status string `json:"status"`
	}
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return
	}
	if !statusWord.MatchString(in.Status) {
		c.refuse(invalid(wrong("/status", errors.New("say how the turn ended: completed, failed, cancelled, or another word in small letters"))))
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		a := ch.session(c.Param("id"))
		if a == nil {
			return 0, nil, noSession(c.Param("id"))
		}
		t, err := ch.turn(a.ID, c.Param("turn"))
		switch {
		case err != nil:
			return 0, nil, d.unreadable(err)
		case t == nil:
			return 0, nil, newProblem(http.StatusNotFound, "not-found", fmt.Sprintf("session %s has no turn %q", a.ID, c.Param("turn")))
		case t.State == turnEnded && t.Status == in.Status:
			return http.StatusOK, *t, nil
		case t.State == turnEnded:
			return 0, nil, newProblem(http.StatusConflict, "conflict", fmt.Sprintf("turn %s has ended already: %s", t.ID, t.Status))
		}
		return http.StatusOK, ch.endTurn(a, in.Status), nil
	})
}

// endTurn ends the turn that runs in a session.
func (ch *change) endTurn(a *agentSession, status string) turnRow {
	t, err := ch.turn(a.ID, a.Turn)
	if err != nil || t == nil {
		t = &turnRow{ID: a.Turn, Session: a.ID, Mode: a.Mode, Interaction: a.Interaction, Ruleset: a.Ruleset, Started: ch.at}
	}
	t.State, t.Status, t.Ended = turnEnded, status, ch.at
	for _, e := range ch.inOrder() {
		if e.runs == (turnKey{a.ID, a.Turn}) {
			ch.close(e, broker.StateCancelled, "modegate:turn-end", "its turn ended: "+status)
			ch.mustRevoke(e)
			t.Closed = append(t.Closed, e.public.ID)
		}
	}
	ch.turns = append(ch.turns, *t)
	next := *ch.session(a.ID)
	next.Turn = ""
	ch.put(next)
	ch.emit(event{Type: evTurnEnded, Session: a.ID, Turn: t.ID, Status: status})
	return *t
}

// running is the turn that a request of the session belongs to: its own, or one
// that it was started from.
func (ch *change) running(a *agentSession) turnKey {
	for ; a != nil; a = ch.session(a.Parent) {
		if a.Turn != "" {
			return turnKey{a.ID, a.Turn}
		}
	}
	return turnKey{}
}

// inOrder lists the open requests, the oldest first.
func (ch *change) inOrder() []*entry {
	all := ch.requests()
	out := make([]*entry, 0, len(all))
	for _, e := range all {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *entry) int {
		if n := a.public.Opened.Compare(b.public.Opened); n != 0 {
			return n
		}
		return int(a.number - b.number)
	})
	return out
}

// unreadable is a row on disk that can't be read.
func (d *desk) unreadable(err error) *problem {
	d.s.Log.Error("the store can't be read", "error", err.Error())
	return newProblem(http.StatusServiceUnavailable, "store", "what is kept can't be read now: try again")
}

package server

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/server/store"
)

// inbox is the answer of GET /v1/requests.
type inbox struct {
	Requests []request `json:"requests"` // the oldest first
}

// getRequests lists requests over all providers and sessions: those that need
// attention, or the last ones of a state.
func getRequests(d *desk, c *call) {
	states := []broker.State{broker.StatePending, broker.StateResponding}
	if text, ok := c.GetQuery("state"); ok {
		if !slices.Contains(broker.States(), broker.State(text)) {
			c.refuse(invalid(place{Message: fmt.Sprintf("query parameter \"state\": unknown state %q: use %s", text, join(broker.States()))}))
			return
		}
		states = []broker.State{broker.State(text)}
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		out, err := ch.listed(states, c.Query("session"))
		if err == nil {
			err = ch.place(c)
		}
		if err != nil {
			return 0, nil, d.unreadable(err)
		}
		return http.StatusOK, inbox{out}, nil
	})
}

// listed reads approvals off their rows, and questions off their activities.
func (ch *change) listed(states []broker.State, session string) ([]request, error) {
	type placed struct {
		seq int64
		request
	}
	var all []placed
	keep := func(seq int64, r request) {
		if slices.Contains(states, r.State) && (session == "" || r.Session == session) {
			all = append(all, placed{seq, r})
		}
	}
	for _, s := range states {
		rows, err := ch.store.Approvals(ch.ctx, string(s), maxListed)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			var r request
			if err := json.Unmarshal(row.Data, &r); err != nil {
				return nil, err
			}
			keep(row.Seq, r)
		}
	}
	rows, err := ch.questions(states)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		e, err := readEvent(store.Event{Data: row.Data})
		if err != nil {
			return nil, err
		}
		keep(row.Seq, *e.Request)
	}
	slices.SortFunc(all, func(a, b placed) int { return int(a.seq - b.seq) })
	out := make([]request, len(all))
	for i, one := range all {
		out[i] = one.request
	}
	return out, nil
}

func (ch *change) questions(states []broker.State) ([]store.Row, error) {
	if slices.ContainsFunc(states, broker.State.Over) {
		return ch.store.Asked(ch.ctx, evQuestion, maxListed)
	}
	open, err := ch.store.Unsettled(ch.ctx, evQuestion, evQuestionDone)
	var rows []store.Row
	for _, e := range open {
		rows = append(rows, store.Row{Seq: e.Seq, Data: e.Data})
	}
	return rows, err
}

func getRequest(d *desk, c *call) {
	d.serve(c, func(ch *change) (int, any, *problem) {
		e, p := ch.find(c.Param("id"))
		if p != nil {
			return 0, nil, p
		}
		return http.StatusOK, e.public, nil
	})
}

// getRequestNative answers with what the provider asked, byte for byte: the bytes
// that the request's digest is of.
func getRequestNative(d *desk, c *call) {
	ch, end := d.begin(c.Request.Context(), c.who.Name)
	e, p := ch.find(c.Param("id"))
	end()
	if p != nil {
		c.refuse(p)
		return
	}
	c.answer(http.StatusOK, e.asked.Native)
}

// activities is the answer of GET …/activities.
type activities struct {
	Activities []event `json:"activities"`
	More       bool    `json:"more"` // there are later ones: ask after the last
}

// getActivities reads a session's history, also when it is unloaded.
func getActivities(d *desk, c *call) {
	after, p := c.number("after")
	if p != nil {
		c.refuse(p)
		return
	}
	ctx, id := c.Request.Context(), c.Param("id")
	_, end := d.begin(ctx, c.who.Name) // what is overdue is in the history
	end()
	known := true
	rows, err := d.store.After(ctx, after, id, maxListed+1)
	if err == nil && len(rows) == 0 {
		known, err = d.store.Known(ctx, id)
	}
	out := activities{More: len(rows) > maxListed}
	for _, row := range rows[:min(len(rows), maxListed)] {
		e, broken := readEvent(row)
		if broken != nil {
			err = broken
			break
		}
		out.Activities = append(out.Activities, e)
	}
	switch {
	case err != nil:
		c.refuse(d.unreadable(err))
	case !known:
		c.refuse(newProblem(http.StatusNotFound, "not-found", fmt.Sprintf("no history of a session %q is kept", id)))
	default:
		c.reply(http.StatusOK, out)
	}
}

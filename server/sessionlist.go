package server

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// The states of a session.
const (
	sessionLoaded   = "loaded"
	sessionUnloaded = "unloaded" // its history alone is kept
)

// sessionSummary is a session in a list: without its Env.
type sessionSummary struct {
	ID          string                `json:"id"`
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	State       string                `json:"state"`
	Workspace   string                `json:"workspace"`
	Parent      string                `json:"parent,omitempty"`
	Turn        string                `json:"turn,omitempty"`
	ModeChange  string                `json:"modeChange"`
	Ruleset     string                `json:"ruleset"`
	Revision    int64                 `json:"revision"`
	Pending     int                   `json:"pending"` // requests that wait for somebody
	Created     time.Time             `json:"createdAt"`
	Updated     time.Time             `json:"updatedAt"` // of one that is unloaded: since when
}

func (a *agentSession) summary(state string, pending int) sessionSummary {
	return sessionSummary{
		ID: a.ID, Provider: a.Provider, Mode: a.Mode, Interaction: a.Interaction, State: state, Workspace: a.Workspace,
		Parent: a.Parent, Turn: a.Turn, ModeChange: a.ModeChange, Ruleset: a.Ruleset, Revision: a.Revision,
		Pending: pending, Created: a.Created, Updated: a.Updated,
	}
}

// sessionList is the answer of GET /v1/sessions.
type sessionList struct {
	Sessions []sessionSummary `json:"sessions"`
	More     bool             `json:"more"` // there are further ones: ask after the last
}

// sessionFilter says which sessions are listed.
type sessionFilter struct {
	state    string
	provider evaluator.Provider // "": every one
	mode     evaluator.Mode
	after    string // the session after which to go on
}

func (f sessionFilter) takes(a *agentSession) bool {
	return a.ID != "" && (f.provider == "" || a.Provider == f.provider) && (f.mode == "" || a.Mode == f.mode)
}

func (f *sessionFilter) setState(text string) error {
	if f.state = text; text != sessionLoaded && text != sessionUnloaded {
		return fmt.Errorf("unknown state %q: use %s, %s", text, sessionLoaded, sessionUnloaded)
	}
	return nil
}

func readSessionFilter(c *call) (sessionFilter, *problem) {
	f := sessionFilter{state: sessionLoaded, after: c.Query("after")}
	for _, part := range []struct {
		name string
		set  func(string) error
	}{
		{"state", f.setState},
		{"provider", func(text string) error { return f.provider.UnmarshalText([]byte(text)) }},
		{"mode", func(text string) error { return f.mode.UnmarshalText([]byte(text)) }},
	} {
		if text, given := c.GetQuery(part.name); given {
			if err := part.set(text); err != nil {
				return f, invalid(place{Message: fmt.Sprintf("query parameter %q: %v", part.name, err)})
			}
		}
	}
	return f, nil
}

// getSessions lists the sessions that are loaded, by their ids, or those that
// were unloaded and whose history is kept, the last one first.
func getSessions(d *desk, c *call) {
	f, p := readSessionFilter(c)
	if p != nil {
		c.refuse(p)
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		list := ch.loadedSessions
		if f.state == sessionUnloaded {
			list = ch.unloadedSessions
		}
		out, err := list(f)
		if err == nil {
			err = ch.place(c)
		}
		if err != nil {
			return 0, nil, d.unreadable(err)
		}
		if out.More = len(out.Sessions) > maxListed; out.More {
			out.Sessions = out.Sessions[:maxListed]
		}
		return http.StatusOK, out, nil
	})
}

func (ch *change) loadedSessions(f sessionFilter) (out sessionList, _ error) {
	pending := map[string]int{}
	for _, e := range ch.desk.open {
		if e.life.State == broker.StatePending {
			pending[e.public.Session]++
		}
	}
	ids := sortedKeys(ch.desk.sessions)
	at, _ := slices.BinarySearch(ids, f.after+"\x00")
	for _, id := range ids[at:] {
		if a := ch.session(id); f.takes(a) {
			out.Sessions = append(out.Sessions, a.summary(sessionLoaded, pending[id]))
		}
		if len(out.Sessions) > maxListed {
			break
		}
	}
	return out, nil
}

func (ch *change) unloadedSessions(f sessionFilter) (out sessionList, _ error) {
	for after := f.after; len(out.Sessions) <= maxListed; {
		rows, err := ch.store.Closed(ch.ctx, after, maxListed)
		if err != nil || len(rows) == 0 {
			return out, err
		}
		for _, row := range rows {
			var a agentSession
			if err := json.Unmarshal(row.Data, &a); err != nil {
				return out, err
			}
			if f.takes(&a) {
				out.Sessions = append(out.Sessions, a.summary(sessionUnloaded, 0))
			}
		}
		after = rows[len(rows)-1].ID
	}
	return out, nil
}

const lastEventHeader = "Modegate-Last-Event"

// place says up to which event an answer is: whoever follows the events after it
// misses nothing.
func (ch *change) place(c *call) error {
	last, err := ch.store.Last(ch.ctx)
	c.Writer.Header()[lastEventHeader] = []string{strconv.FormatInt(last, 10)}
	return err
}

package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
	"github.com/modegate/modegate/server/store"
)

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// desk is a service that keeps sessions.
type desk struct {
	t     testing.TB
	s     *server.Server
	store *store.Store
	dir   string
	clock *clock
	asked int
}

// translators are OpenCode 1.x's own, and a plain one for Claude.
func translators() server.Translators {
	return server.Translators{evaluator.OpenCode: opencode.Boundary(), evaluator.Claude: plain{}}
}

func newDesk(t testing.TB, policies ...string) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), clock: newClock()}
	d.start(policies...)
	t.Cleanup(func() { d.stop() })
	return d
}

// start takes up what is in the folder.
func (d *desk) start(policies ...string) {
	d.t.Helper()
	d.startWith(func(*server.Config) {}, policies...)
}

func (d *desk) startWith(change func(*server.Config), policies ...string) {
	d.t.Helper()
	kept, err := store.Open(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	cfg := config(policies...)
	cfg.Store, cfg.Translators = kept, translators()
	if d.clock != nil {
		cfg.Now = d.clock.now
	}
	change(&cfg)
	d.store, d.s = kept, start(d.t, cfg)
}

func (d *desk) stop() {
	if err := d.store.Close(); err != nil {
		d.t.Error(err)
	}
}

// as is an ask with a scope's token.
func (d *desk) as(scope server.Scope, method, path, body string) reply {
	d.t.Helper()
	return ask(d.t, d.s, method, path, body, "Authorization", "Bearer "+tokens[scope])
}

// must is as with a status that is expected.
func (d *desk) must(status int, scope server.Scope, method, path, body string) reply {
	d.t.Helper()
	got := d.as(scope, method, path, body)
	if got.status != status {
		d.t.Fatalf("%s %s %s: %d, want %d: %s", method, path, body, got.status, status, got.body)
	}
	return got
}

type session struct {
	ID, Mode, Interaction, Ruleset, Turn, ModeChange, NativeSession, Parent string
	Revision                                                                int
}

type pending struct {
	ID, Session, State, Decision, DecidedBy, Reason, Title, Shape, Policy, Digest string
	Turn, Kind                                                                    *string
	Offered                                                                       []struct{ Decision, Label, Scope string }
	Operations                                                                    []broker.Operation
	Late                                                                          *struct{ Status, Decision, By, Note string }
}

type happened struct {
	Seq                                            int
	Type, Session, Turn, By, Reason, Mode, Applies string
	Ruleset, State, Status                         string
	Request                                        *pending
	Operations                                     []broker.Operation
	Stale                                          bool
	Plan                                           *struct{ Markdown string }
}

// load loads a session.
func (d *desk) load(id, provider, mode string, more ...string) session {
	d.t.Helper()
	body := fmt.Sprintf(`{"provider":%q,"mode":%q,"workspace":"/w"%s}`, provider, mode, strings.Join(more, ""))
	got := d.as(server.AdapterScope, "PUT", "/v1/sessions/"+id, body)
	if got.status != 200 && got.status != 201 {
		d.t.Fatalf("PUT %s: %d %s", id, got.status, got.body)
	}
	return into[session](d.t, got)
}

func (d *desk) turn(id string) string {
	d.t.Helper()
	return into[struct{ Turn string }](d.t, d.must(201, server.AdapterScope, "POST", "/v1/sessions/"+id+"/turns", "")).Turn
}

// bash is a native request of OpenCode 1.x.
func bash(id, native, command string, always ...string) string {
	text, _ := json.Marshal(map[string]any{
		"id": id, "sessionID": native, "permission": "bash", "patterns": []string{command}, "always": always,
		"metadata": map[string]any{"command": command},
	}, json.Deterministic(true))
	return string(text)
}

// questionOf is a native question of OpenCode 1.x: one choice, several choices.
func questionOf(id, native string) string {
	return fmt.Sprintf(`{"id":%q,"sessionID":%q,"questions":[
		{"question":"Which database?","header":"DB","custom":false,"options":[{"label":"Postgres","description":"p"},{"label":"SQLite","description":"s"}]},
		{"question":"Which parts?","header":"Parts","custom":false,"multiple":true,"options":[{"label":"a","description":""},{"label":"b","description":""},{"label":"c","description":""}]}]}`, id, native)
}

// open opens a request.
func (d *desk) open(id, native string) pending {
	d.t.Helper()
	return into[pending](d.t, d.must(201, server.AdapterScope, "POST", "/v1/sessions/"+id+"/requests", native))
}

// ask opens a bash request with an id of its own.
func (d *desk) ask(id, command string, always ...string) pending {
	d.t.Helper()
	d.asked++
	return d.open(id, bash(fmt.Sprintf("per_%d", d.asked), "ses_"+id, command, always...))
}

func (d *desk) decide(id, decision string) reply {
	d.t.Helper()
	return d.as(server.ApproveScope, "POST", "/v1/requests/"+id+"/decision", fmt.Sprintf(`{"decision":%q}`, decision))
}

func (d *desk) resolve(id, status string) reply {
	d.t.Helper()
	return d.as(server.AdapterScope, "POST", "/v1/requests/"+id+"/resolution", fmt.Sprintf(`{"status":%q}`, status))
}

func (d *desk) request(id string) pending {
	d.t.Helper()
	return into[pending](d.t, d.must(200, server.ReadScope, "GET", "/v1/requests/"+id, ""))
}

func (d *desk) inbox(query string) []pending {
	d.t.Helper()
	return into[struct{ Requests []pending }](d.t, d.must(200, server.ReadScope, "GET", "/v1/requests"+query, "")).Requests
}

func (d *desk) history(id string) []happened {
	d.t.Helper()
	return into[struct{ Activities []happened }](d.t, d.must(200, server.ReadScope, "GET", "/v1/sessions/"+id+"/activities", "")).Activities
}

// typed are the types of events, in order.
func typed(list []happened) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.Type
	}
	return strings.Join(out, " ")
}

// ruleset is the native part of a session's RuleSet.
func (d *desk) ruleset(id string) string {
	d.t.Helper()
	got := d.must(200, server.AdapterScope, "GET", "/v1/sessions/"+id+"/ruleset", "")
	return string(into[struct{ Native jsontext.Value }](d.t, got).Native)
}

// plain is a translator of {"id","session","kind","offers","plan"}, whose modes
// answer in full access, and which captures plans.
type plain struct{}

type plainRequest struct {
	ID      string            `json:"id"`
	Session string            `json:"session"`
	Kind    string            `json:"kind"`
	Offers  []broker.Offer    `json:"offers"`
	Plan    *string           `json:"plan"`
	Asks    []broker.Question `json:"asks"`
}

func (plain) Request(native []byte) (broker.Request, error) {
	var p plainRequest
	if err := json.Unmarshal(native, &p); err != nil {
		return broker.Request{}, err
	}
	r := broker.Request{ID: p.ID, Session: p.Session, Shape: broker.Approval, Kind: evaluator.Kind(p.Kind), Title: "a call", Native: native, Offered: p.Offers}
	if len(p.Asks) > 0 {
		r.Shape, r.Questions = broker.Questioned, p.Asks
		r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "dismiss", Scope: "this run"}}
	}
	if r.Shape == broker.Approval && r.Offered == nil {
		r.Offered = []broker.Offer{{Decision: broker.Accept, Label: "once", Scope: "this request"}, {Decision: broker.Decline, Label: "no", Scope: "this request"}}
	}
	return r, nil
}

func (plain) Operations(r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	var p plainRequest
	if err := json.Unmarshal(r.Native, &p); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"id": r.ID, "decision": a.Decision, "answers": a.Answers}, json.Deterministic(true))
	out := []broker.Operation{{Call: "answer", Arguments: text}}
	if p.Plan != nil {
		plan, _ := json.Marshal(map[string]string{"markdown": *p.Plan})
		out = append(out, broker.Operation{Call: broker.ProposePlan, Arguments: plan})
	}
	return out, err
}

func (plain) Automatic(c evaluator.Cell, r broker.Request) (broker.Answer, string, bool) {
	var p plainRequest
	if err := json.Unmarshal(r.Native, &p); err != nil {
		return broker.Answer{}, "", false
	}
	switch {
	case p.Plan != nil:
		return broker.Answer{Decision: broker.Decline}, "the plan is captured", true
	case c.Mode == evaluator.FullAccess && r.Shape == broker.Approval:
		return broker.Answer{Decision: broker.Accept}, "full access asks nobody", true
	}
	return broker.Answer{}, "", false
}

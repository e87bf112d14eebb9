package server_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/brokertest"
	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/adapters/cursor"
	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
)

// everyTranslator is what the service runs with.
func everyTranslator() server.Translators {
	return server.Translators{
		evaluator.Codex: codex.Boundary(), evaluator.Claude: claude.Boundary(), evaluator.Cursor: cursor.Boundary(),
		evaluator.Grok: grok.Boundary(), evaluator.OpenCode: opencode.Boundary(), evaluator.OpenCode2: opencode2.Boundary(),
	}
}

// newRealDesk is a service with every provider's own translator.
func newRealDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), clock: newClock()}
	d.startWith(func(cfg *server.Config) { cfg.Translators = everyTranslator() }, "builtin/t3code")
	t.Cleanup(func() { d.stop() })
	return d
}

// Every request that a provider is known to make is carried, in every mode: it
// comes back answered, with steps; or somebody is asked, and everything that is
// offered can be said; or the adapter is told to refuse it at once. The answers
// are all held against the contract.
func TestEveryKnownRequestIsCarried(t *testing.T) {
	d := newRealDesk(t)
	n, asked, answered := 0, 0, 0
	for _, p := range evaluator.Providers() {
		files, err := filepath.Glob(filepath.Join("../operations", string(p), "*.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			native := string(brokertest.Native(t, file))
			for _, mode := range []evaluator.Mode{evaluator.ApprovalRequired, evaluator.FullAccess} {
				for _, interaction := range evaluator.Interactions() {
					if mode == evaluator.FullAccess && interaction == evaluator.Plan && p != evaluator.Claude {
						continue // as without plan
					}
					name := fmt.Sprintf("%s in %s, %s", file, mode, interaction)
					open := func() (string, reply) {
						n++
						id := fmt.Sprintf("s%d", n)
						d.load(id, string(p), string(mode), fmt.Sprintf(`,"interaction":%q`, interaction))
						d.turn(id)
						return id, d.as(server.AdapterScope, "POST", "/v1/sessions/"+id+"/requests", native)
					}
					_, got := open()
					if got.status == 422 {
						continue // the adapter refuses it
					}
					r := into[pending](t, got)
					if got.status != 201 {
						t.Errorf("%s: %d %s", name, got.status, got.body)
						continue
					}
					if r.State != "pending" {
						answered++
						if r.DecidedBy != "modegate:mode" || r.Reason == "" {
							t.Errorf("%s: answered by %q: %q", name, r.DecidedBy, r.Reason)
						}
						if len(r.Operations) == 0 {
							t.Errorf("%s: answered, and the adapter is told nothing", name)
						}
						continue
					}
					asked++
					if mode == evaluator.FullAccess || interaction == evaluator.Plan {
						continue // answered as without
					}
					if r.Shape == "question" {
						_, got := open()
						d.answerAnything(name, into[full](t, got))
						continue
					}
					for _, o := range r.Offered {
						id, got := open()
						r := into[pending](t, got)
						if got := d.decide(r.ID, o.Decision); got.status != 202 {
							t.Errorf("%s: %s is offered and refused: %d %s", name, o.Decision, got.status, got.body)
							continue
						}
						d.steps(name+": "+o.Decision, id)
						if got := d.resolve(r.ID, "delivered"); got.status != 200 {
							t.Errorf("%s: %d %s", name, got.status, got.body)
						}
					}
				}
			}
		}
	}
	t.Logf("%d openings: %d asked, %d answered at once", n, asked, answered)
	if asked < 60 || answered < 30 {
		t.Error("hardly anything was carried")
	}
}

type full struct {
	ID, Session string
	Questions   []broker.Question
}

// answerAnything answers a question with what it offers, or a text.
func (d *desk) answerAnything(name string, r full) {
	d.t.Helper()
	answers := map[string]any{}
	for _, q := range r.Questions {
		text := "a text"
		if len(q.Options) > 0 {
			text = q.Options[0].Value
		}
		if answers[q.ID] = text; q.Multiple {
			answers[q.ID] = []string{text}
		}
	}
	body, err := json.Marshal(map[string]any{"answers": answers})
	if err != nil {
		d.t.Fatal(err)
	}
	if got := d.as(server.ApproveScope, "POST", "/v1/requests/"+r.ID+"/answers", string(body)); got.status != 202 {
		d.t.Errorf("%s: %d %s", name, got.status, got.body)
		return
	}
	d.steps(name, r.Session)
}

// steps holds the last response's steps: there are some, and none is ours.
func (d *desk) steps(name, session string) []broker.Operation {
	d.t.Helper()
	var last []broker.Operation
	for _, e := range d.history(session) {
		if strings.HasSuffix(e.Type, ".response-requested") {
			last = e.Operations
		}
	}
	if len(last) == 0 {
		d.t.Errorf("%s: the adapter is told nothing", name)
	}
	for _, op := range last {
		if op.Call == broker.KeepGrants || op.Call == broker.ProposePlan || op.Call == broker.SyncRules || !jsontext.Value(op.Arguments).IsValid() {
			d.t.Errorf("%s: the adapter is told %s", name, op.Call)
		}
	}
	return last
}

package server_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
)

// newGuardedDesk is a desk under guardrails.
func newGuardedDesk(t testing.TB, g *guards, change ...func(*server.Config)) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), clock: newClock()}
	d.startWith(func(cfg *server.Config) {
		under(g)(cfg)
		for _, c := range change {
			c(cfg)
		}
	})
	t.Cleanup(func() { d.stop() })
	return d
}

type gated struct {
	pending
	Guardrails []struct {
		Name, Effect, Reason string
		Enforced             bool
	}
}

// asks opens a request of the plain provider, whose callback allows in full
// access.
func (d *desk) asks(id string, n int, more ...string) gated {
	d.t.Helper()
	body := fmt.Sprintf(`{"id":"r%d","session":"ses_1","kind":"command"%s}`, n, strings.Join(more, ""))
	return into[gated](d.t, d.must(201, server.AdapterScope, "POST", "/v1/sessions/"+id+"/requests", body))
}

func offers(p pending) string {
	var words []string
	for _, o := range p.Offered {
		words = append(words, o.Decision)
	}
	return strings.Join(words, " ")
}

// TestGateTightens: where the mode answers by itself, a guardrail has a person
// asked, or declines with its reason.
func TestGateTightens(t *testing.T) {
	d := newGuardedDesk(t, always("ask"))
	d.load("s", "claude", "full-access")
	r := d.asks("s", 1)
	if r.State != "pending" || len(r.Operations) != 0 || len(r.Guardrails) != 1 || r.Guardrails[0].Effect != "ask" || !r.Guardrails[0].Enforced {
		t.Errorf("ask: %+v", r)
	}
	if got := d.decide(r.ID, "accept"); got.status != 202 {
		t.Errorf("a person accepts what was to be asked: %d %s", got.status, got.body)
	}

	d = newGuardedDesk(t, always("deny"))
	d.load("s", "claude", "full-access")
	r = d.asks("s", 1)
	if r.State != "resolved" || r.Decision != "decline" || r.DecidedBy != "modegate:guardrail" || r.Reason != "guardrail g: because" || len(r.Operations) != 1 || !strings.Contains(string(r.Operations[0].Arguments), "decline") {
		t.Errorf("deny: %+v", r)
	}
	if h := d.history("s"); h[len(h)-1].By != "modegate:guardrail" || h[len(h)-1].Request.Reason != "guardrail g: because" {
		t.Errorf("the record doesn't say it: %+v", h[len(h)-1])
	}
	d.load("t", "opencode", "approval-required")
	if r := d.ask("t", "git push", "git push *"); r.State != "resolved" || r.Decision != "decline" || r.DecidedBy != "modegate:guardrail" {
		t.Errorf("what a person would decide: %+v", r)
	}

	d = newGuardedDesk(t, always("allow"))
	d.load("s", "claude", "full-access")
	if r := d.asks("s", 1); r.State != "resolved" || r.DecidedBy != "modegate:mode" || len(r.Guardrails) != 0 {
		t.Errorf("allow: %+v", r)
	}
	d.load("t", "opencode", "approval-required")
	if r := d.ask("t", "ls"); r.State != "pending" {
		t.Errorf("an allow opens nothing: %+v", r)
	}
}

// TestQuestionsUnderGuardrails: a question that a guardrail denies is dismissed.
func TestQuestionsUnderGuardrails(t *testing.T) {
	d := newGuardedDesk(t, always("deny"))
	d.load("s", "opencode", "approval-required")
	if r := d.open("s", questionOf("que_1", "ses_s")); r.State != "cancelled" || r.Decision != "cancel" || r.DecidedBy != "modegate:guardrail" || len(r.Operations) != 1 || r.Operations[0].Call != "question.reject" {
		t.Errorf("%+v", r)
	}
	d = newGuardedDesk(t, always("ask"))
	d.load("s", "opencode", "approval-required")
	if r := d.open("s", questionOf("que_1", "ses_s")); r.State != "pending" {
		t.Errorf("%+v", r)
	}
}

// TestGateSees holds what guardrails see at the gate.
func TestGateSees(t *testing.T) {
	var seen []evaluator.GuardrailInput
	g := always("allow")
	g.asked = func(_ context.Context, in evaluator.GuardrailInput) { seen = append(seen, in) }
	d := newGuardedDesk(t, g)
	d.load("s", "opencode", "approval-required")
	turn := d.turn("s")
	d.ask("s", "npm test && git push")
	var got []string
	for _, in := range seen {
		got = append(got, fmt.Sprintf("%s %s %s %s %s %s %s %s %s", in.Provider.Name, in.Mode, in.Interaction, in.Effect, in.Decider, in.Native.Effect, in.Session.ID, in.Session.Workspace, in.Action.Command))
		if in.Session.Turn != turn || len(in.Parts) != 1 || !strings.Contains(string(in.Parts[0].Request), `"permission":"bash"`) || in.Policy == "" || in.Provider.Version == "" {
			t.Errorf("%+v", in)
		}
	}
	slices.Sort(got)
	const about = "opencode approval-required default ask person ask s /w "
	if want := about + "git push," + about + "npm test," + about + "npm test && git push"; strings.Join(got, ",") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestGateFails is EN-03 at the gate: without an answer of the guardrails nothing
// is opened and nothing answered, or a person is asked, as configured.
func TestGateFails(t *testing.T) {
	d := newGuardedDesk(t, always(""))
	d.load("s", "claude", "full-access")
	before := len(d.history("s"))
	got := d.as(server.AdapterScope, "POST", "/v1/sessions/s/requests", `{"id":"r1","session":"ses_1","kind":"command"}`)
	if p := into[problem](t, got); got.status != 503 || p.Type != "urn:modegate:problem:unavailable" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if len(d.history("s")) != before || len(d.inbox("")) != 0 {
		t.Error("something was opened all the same")
	}
	d = newGuardedDesk(t, always(""), func(cfg *server.Config) { cfg.Guardrails.Ask = true })
	d.load("s", "claude", "full-access")
	if r := d.asks("s", 1); r.State != "pending" || len(r.Guardrails) != 1 || r.Guardrails[0].Effect != "ask" {
		t.Errorf("%+v", r)
	}
}

// TestGrantsUnderGuardrails: what was allowed for the session stays at the gate,
// so that guardrails see every later request, and only what the provider can't
// keep for itself is offered.
func TestGrantsUnderGuardrails(t *testing.T) {
	d := newGuardedDesk(t, onCommand("git push --force", "deny"))
	d.load("s", "opencode", "approval-required")
	before := d.ruleset("s")
	r := d.ask("s", "git push", "git push *")
	if offers(r) != "accept acceptForSession decline cancel" {
		t.Errorf("%s", offers(r))
	}
	if got := d.decide(r.ID, "acceptForSession"); got.status != 202 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if d.ruleset("s") != before {
		t.Errorf("the grant is in the provider's rules, which decide without asking: %s", d.ruleset("s"))
	}
	if r := d.ask("s", "git push origin", "git push *"); r.State != "resolved" || r.Decision != "accept" || r.DecidedBy != "modegate:grant" {
		t.Errorf("the grant doesn't answer: %+v", r)
	}
	if r := d.ask("s", "git push --force", "git push *"); r.State != "resolved" || r.Decision != "decline" || r.DecidedBy != "modegate:guardrail" {
		t.Errorf("the grant beats the guardrail: %+v", r)
	}

	d = newGuardedDesk(t, always("ask"))
	d.load("s", "opencode", "approval-required")
	if r := d.ask("s", "git push", "git push *"); offers(r) != "accept decline cancel" {
		t.Errorf("what is to be asked each time is offered for the session: %s", offers(r))
	}
	d = newGuardedDesk(t, always("allow"))
	d.load("s", "claude", "approval-required")
	kept := d.asks("s", 1, `,"offers":[{"decision":"accept","label":"l","scope":"s"},{"decision":"acceptForSession","label":"l","scope":"s"},{"decision":"decline","label":"l","scope":"s"}]`)
	if offers(kept.pending) != "accept decline" {
		t.Errorf("what the provider itself would keep is offered: %s", offers(kept.pending))
	}
	if got := d.decide(kept.ID, "acceptForSession"); got.status != 400 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestOpenRequestsAndANewGrant: a grant answers the open requests that it covers,
// but for those that a guardrail has something against.
func TestOpenRequestsAndANewGrant(t *testing.T) {
	g := always("allow")
	d := newGuardedDesk(t, g)
	d.load("s", "opencode", "approval-required")
	first, second, third := d.ask("s", "git log", "git log *"), d.ask("s", "git log -1", "git log *"), d.ask("s", "git log -9", "git log *")
	g.say = onCommand("git log -9", "ask").say // only now
	d.decide(first.ID, "acceptForSession")
	if r := d.request(second.ID); r.State != "responding" || r.DecidedBy != "modegate:grant" {
		t.Errorf("%+v", r)
	}
	if r := d.request(third.ID); r.State != "pending" {
		t.Errorf("%+v", r)
	}
}

// TestDecisionsUnderGuardrails: a person can't accept what a guardrail denies by
// now, and can decline it.
func TestDecisionsUnderGuardrails(t *testing.T) {
	g := always("allow")
	d := newGuardedDesk(t, g)
	d.load("s", "opencode", "approval-required")
	r := d.ask("s", "git push", "git push *")
	g.say["g"] = func(evaluator.GuardrailInput) (string, string) { return "ask", "each time" }
	if got := d.decide(r.ID, "acceptForSession"); got.status != 409 || !strings.Contains(got.body, "guardrail g: each time; a person decides each time") {
		t.Errorf("%d %s", got.status, got.body)
	}
	g.say["g"] = func(evaluator.GuardrailInput) (string, string) { return "", "" }
	if got := d.decide(r.ID, "accept"); got.status != 503 {
		t.Errorf("%d %s", got.status, got.body)
	}
	g.say["g"] = func(evaluator.GuardrailInput) (string, string) { return "deny", "no more" }
	got := d.decide(r.ID, "accept")
	if p := into[problem](t, got); got.status != 409 || p.Type != "urn:modegate:problem:guardrail" || !strings.Contains(p.Detail, "guardrail g: no more; decline it") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := d.decide(r.ID, "decline"); got.status != 202 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestTurnsModesAreSeen: while a turn runs that started in another mode,
// guardrails are asked about both.
func TestTurnsModesAreSeen(t *testing.T) {
	g := always("allow")
	g.say["g"] = func(in evaluator.GuardrailInput) (string, string) {
		if in.Mode == evaluator.FullAccess {
			return "deny", "no full access"
		}
		return "allow", ""
	}
	d := newGuardedDesk(t, g)
	d.load("s", "claude", "full-access")
	d.turn("s")
	d.load("s", "claude", "approval-required")
	if r := d.asks("s", 1); r.Decision != "decline" {
		t.Errorf("%+v", r)
	}
}

// TestDeskIsFreeMeanwhile: while a guardrail thinks, others are served.
func TestDeskIsFreeMeanwhile(t *testing.T) {
	g := always("allow")
	started, goOn := make(chan struct{}), make(chan struct{})
	g.asked = func(context.Context, evaluator.GuardrailInput) {
		close(started)
		<-goOn
	}
	d := newGuardedDesk(t, g, func(cfg *server.Config) { cfg.Guardrails.Timeout = 1 << 40 })
	d.load("s", "claude", "full-access")
	done := make(chan pending)
	go func() { done <- d.asks("s", 1).pending }()
	<-started
	d.load("other", "claude", "auto")
	d.must(200, server.AdapterScope, "GET", "/v1/sessions/s", "")
	close(goOn)
	if r := <-done; r.State != "resolved" {
		t.Errorf("%+v", r)
	}
}

// TestGateNeverLoosens: whatever guardrails say, a request is never answered more
// loosely than without them.
func TestGateNeverLoosens(t *testing.T) {
	var word string
	g := always("allow")
	g.say["g"] = func(evaluator.GuardrailInput) (string, string) { return word, "because" }
	held := newGuardedDesk(t, g, func(cfg *server.Config) { cfg.Guardrails.Ask = true })
	free := newDesk(t)
	n := 0
	rank := map[string]int{"accept": 0, "": 1, "decline": 2, "cancel": 2}
	rapid.Check(t, func(rt *rapid.T) {
		n++
		id := fmt.Sprintf("s%d", n)
		mode := rapid.SampledFrom(evaluator.Modes()).Draw(rt, "mode")
		provider := rapid.SampledFrom([]string{"claude", "opencode"}).Draw(rt, "provider")
		word = rapid.SampledFrom([]string{"allow", "ask", "deny", "", "review", "unknown", "nonsense"}).Draw(rt, "word")
		var results [2]pending
		for i, d := range []*desk{held, free} {
			d.load(id, provider, string(mode))
			if provider == "claude" {
				results[i] = d.asks(id, n).pending
				continue
			}
			results[i] = d.open(id, bash(fmt.Sprintf("per_%d", n), "ses_"+id, "git push", "git push *"))
		}
		if rank[results[0].Decision] < rank[results[1].Decision] {
			rt.Fatalf("%s, %s, %q: %+v, without guardrails %+v", provider, mode, word, results[0], results[1])
		}
		want := map[string]int{"allow": 0, "ask": 1, "deny": 2, "": 1, "review": 1, "unknown": 1, "nonsense": 1}[word]
		if rank[results[0].Decision] < want {
			rt.Fatalf("%s, %s, %q: %+v", provider, mode, word, results[0])
		}
	})
}

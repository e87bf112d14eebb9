package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// gate is what guardrails have said in the course of one call. They are never
// asked while the desk is held: a plan that needs an answer which isn't there is
// dropped, the guardrails are asked, and the change is planned anew.
type gate struct {
	s      *Server
	set    *guardrails
	known  map[[sha256.Size]byte]heard // by the input, encoded
	wanted []evaluator.GuardrailInput
}

// heard is what all guardrails said about one input, or that no answer may be
// given.
type heard struct {
	said []evaluator.Said
	err  error
}

// newGate is nil where there are no guardrails.
func (s *Server) newGate() *gate {
	if !s.guarded() {
		return nil
	}
	return &gate{s: s, set: s.guards.Load(), known: map[[sha256.Size]byte]heard{}}
}

// hear returns what is known about an input, and notes one that isn't.
func (g *gate) hear(in evaluator.GuardrailInput) (h heard, ok bool) {
	key, err := keyOf(in)
	if err != nil {
		return heard{err: err}, true
	}
	if h, ok = g.known[key]; !ok {
		g.wanted = append(g.wanted, in)
	}
	return h, ok
}

func keyOf(in evaluator.GuardrailInput) (key [sha256.Size]byte, err error) {
	text, err := strictjson.Encode(in)
	return sha256.Sum256(text), err
}

// waits reports whether something was wanted that isn't known.
func (g *gate) waits() bool { return g != nil && len(g.wanted) > 0 }

// ask asks about everything that was wanted; false when nothing was.
func (g *gate) ask(ctx context.Context) bool {
	if !g.waits() {
		return false
	}
	ctx, end := context.WithTimeout(ctx, g.s.Guardrails.Timeout)
	defer end()
	ask := g.s.askGuardrails(ctx, g.set)
	for _, in := range g.wanted {
		key, err := keyOf(in)
		if _, twice := g.known[key]; twice || err != nil {
			continue
		}
		var h heard
		h.said, h.err = ask(in)
		g.known[key] = h
	}
	g.wanted = nil
	return true
}

// byGuardrail is who declines what a guardrail denies.
const byGuardrail = "modegate:guardrail"

// guardedBy is what guardrails want of a request that is at the gate.
type guardedBy struct {
	effect  evaluator.Effect // allow: nothing
	answers []evaluator.GuardrailAnswer
}

// why names the guardrails that want the effect, and their reasons.
func (g guardedBy) why() string {
	out := ""
	for _, a := range g.answers {
		if a.Effect != g.effect {
			continue
		}
		if out != "" {
			out += "; "
		}
		out += fmt.Sprintf("guardrail %s: %s", a.Name, a.Reason)
	}
	return out
}

// atGate asks the guardrails about a request that the provider makes of us, where
// the end would be this effect: our own allow, or a person's decision. The modes
// are those of the session, and those that the running turn started with.
func (ch *change) atGate(owner *agentSession, e *entry, effect evaluator.Effect, reason string) (out guardedBy, p *problem) {
	out.effect = evaluator.Allow
	if ch.gate == nil {
		return out, nil
	}
	cells := []evaluator.Cell{owner.cell()}
	running, err := ch.turn(e.runs.session, e.runs.turn)
	if err != nil {
		return out, ch.unreadable(err)
	}
	if running != nil {
		if cell := (evaluator.Cell{Provider: owner.Provider, Mode: running.Mode, Interaction: running.Interaction}); cell != cells[0] {
			cells = append(cells, cell)
		}
	}
	for _, cell := range cells {
		for _, in := range ch.gateInputs(owner, e, cell, effect, reason) {
			h, ok := ch.gate.hear(in)
			if !ok {
				continue
			}
			if h.err != nil {
				return out, unavailable(h.err)
			}
			for _, s := range h.said {
				if out.answers = compiler.Spoke(out.answers, s); compiler.Stricter(s.Effect, out.effect) {
					out.effect = s.Effect
				}
			}
		}
	}
	for i := range out.answers {
		out.answers[i].Enforced = true
	}
	return out, nil
}

// gateInputs are what guardrails see of a request: the Verdict that this gate is
// about to give, and each Action that it is about.
func (ch *change) gateInputs(owner *agentSession, e *entry, cell evaluator.Cell, effect evaluator.Effect, reason string) []evaluator.GuardrailInput {
	v := evaluator.Verdict{
		Effect: effect, Decider: evaluator.ByAdapter, Enforcer: evaluator.EnforcedByAdapter, Native: evaluator.NativeAnswer{Effect: evaluator.Ask},
		Reason: reason, Parts: []evaluator.Part{{Request: e.asked.Native, Effect: evaluator.Ask}}, Mode: cell.Mode, Interaction: cell.Interaction,
		Provider: evaluator.ProviderVersion{Name: cell.Provider}, Policy: ch.snap.policy.Digest,
	}
	if c := ch.snap.cells[cell]; c != nil {
		v.Provider.Version = c.dialect.Versions()[0]
	}
	if effect == evaluator.Ask {
		v.Decider = evaluator.ByPerson
	}
	session := evaluator.GuardrailSession{ID: owner.ID, Workspace: owner.Workspace, Parent: owner.Parent, Turn: e.runs.turn}
	var out []evaluator.GuardrailInput
	for _, a := range broker.ActionsOf(ch.translators[owner.Provider], e.asked) {
		out = append(out, compiler.Subjects(evaluator.GuardrailInput{Verdict: v, Action: a, Session: session})...)
	}
	return out
}

// tightened asks about a request that is being opened, which our side would
// answer at once or a person is to decide, and keeps what they want with it.
func (ch *change) tightened(owner *agentSession, e *entry, atOnce bool, why string) (guardedBy, *problem) {
	effect := evaluator.Allow
	if !atOnce {
		effect, why = evaluator.Ask, e.public.Title
	}
	g, p := ch.atGate(owner, e, effect, why)
	if p == nil && ch.gate != nil {
		e.asked.Offered = holdable(e.asked.Offered, g)
		e.public.Offered, e.public.Guardrails = e.asked.Offered, g.answers
	}
	return g, p
}

// holdable drops the offers that guardrails couldn't hold: whatever the provider
// itself would keep, so that it doesn't come to the gate again, and for the
// session what a guardrail has something against.
func holdable(offered []broker.Offer, g guardedBy) []broker.Offer {
	return slices.DeleteFunc(slices.Clone(offered), func(o broker.Offer) bool {
		lasts := o.Decision == broker.AcceptForSession || o.Decision == broker.AcceptAlways
		return lasts && (len(o.Grants) == 0 || len(g.answers) > 0)
	})
}

// refusalOf is how a request is declined, with the run going on where it can.
func refusalOf(r broker.Request) (broker.Answer, bool) {
	for _, d := range []broker.Decision{broker.Decline, broker.Cancel} {
		if _, ok := r.Offers(d); ok {
			return broker.Answer{Decision: d}, true
		}
	}
	return broker.Answer{}, false
}

// mayAccept asks the guardrails once more before a person's acceptance goes out:
// others may be in force than when the request was opened.
func (ch *change) mayAccept(e *entry, a broker.Answer) *problem {
	owner := ch.session(e.holder.session)
	if ch.gate == nil || owner == nil || !accepting(a) || e.life.State != broker.StatePending {
		return nil
	}
	g, p := ch.atGate(owner, e, evaluator.Ask, e.public.Title)
	lasts := a.Decision == broker.AcceptForSession || a.Decision == broker.AcceptAlways
	switch {
	case p != nil:
		return p
	case g.effect == evaluator.Deny:
		return guardrailSays(e, g.why()+"; decline it")
	case g.effect == evaluator.Ask && lasts:
		return guardrailSays(e, g.why()+"; a person decides each time")
	}
	return nil
}

func guardrailSays(e *entry, detail string) *problem {
	p := newProblem(http.StatusConflict, "guardrail", detail)
	p.State = string(e.public.State)
	return p
}

// maxPlans is how often a change is planned anew after guardrails were asked: once
// for each of what follows on one another, and when others' changes come between.
const maxPlans = 20

var errUnsettled = errNoGuardrail{errors.New("what guardrails are asked about went on changing: try again")}

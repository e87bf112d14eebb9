package server

import (
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// answerAtOnce opens and answers a request that nobody needs to be asked about:
// the session's modes answer it, or a grant covers it. It returns nil when
// somebody has to be asked. What the adapter does is in the answer to its
// request, not in an event. Guardrails may have somebody asked all the same, or
// decline.
func (ch *change) answerAtOnce(t broker.Translator, owner *agentSession, e *entry) (*entry, *problem) {
	t, answer, by, why, ok := ch.automatic(t, owner, e)
	if !ok {
		answer, by, why, ok = ch.covered(owner, e)
	}
	if !ok || accepting(answer) {
		g, p := ch.tightened(owner, e, ok, why)
		switch {
		case p != nil:
			return nil, p
		case g.effect == evaluator.Deny:
			answer, ok = refusalOf(e.asked)
			by, why = byGuardrail, g.why()
		case g.effect == evaluator.Ask:
			ok = false
		}
	}
	if !ok {
		return nil, nil
	}
	steps, err := t.Operations(e.asked, answer)
	if err != nil {
		return nil, nil
	}
	life, _, err := e.life.Respond(answer, by, why)
	if err == nil {
		life, err = life.Deliver(e.public.Shape)
	}
	if err != nil {
		return nil, nil
	}
	opened, _, done := types(e.public.Shape)
	native, plan, err := ch.nativeSteps(e, steps)
	if err != nil {
		return nil, nil
	}
	e.handed = native
	ch.log(opened, e, ch.by, nil)
	ch.propose(e, plan)
	out := e.lives(life, ch.at)
	ch.log(done, out, by, nil)
	return out, nil
}

// automatic is the answer that the modes give: those of the session, and those
// that the running turn started with. Where they differ, somebody is asked. as is
// the Translator that knows why.
func (ch *change) automatic(t broker.Translator, owner *agentSession, e *entry) (as broker.Translator, a broker.Answer, by, why string, ok bool) {
	cells := ch.cells(owner, e)
	if as, a, why, ok = ch.byCell(t, owner, cells[0], e.asked); !ok {
		return t, a, "", "", false
	}
	for _, cell := range cells[1:] {
		if _, before, _, too := ch.byCell(t, owner, cell, e.asked); !too || !reflect.DeepEqual(a, before) {
			return t, a, "", "", false
		}
	}
	return as, a, byMode, why, true
}

// byCell is the answer that one cell gives: as the native settings of its RuleSet
// say, where they speak of it.
func (ch *change) byCell(t broker.Translator, owner *agentSession, cell evaluator.Cell, r broker.Request) (as broker.Translator, a broker.Answer, why string, ok bool) {
	if f, ok := t.(broker.Follower); ok {
		at := *owner
		at.Mode, at.Interaction = cell.Mode, cell.Interaction
		compiled, err := ch.compile(&at)
		if err == nil {
			t, err = f.Follow(compiled.RuleSet.Native, at.Env)
		}
		if err != nil {
			return t, broker.Answer{}, "", false
		}
	}
	a, why, ok = t.Automatic(cell, r)
	return t, a, why, ok
}

// covered is the answer that the holder's grants give: a request is covered when
// everything that it offers to grant is granted already. Grants aren't applied
// in full access, and none lets a session that plans change files.
func (ch *change) covered(owner *agentSession, e *entry) (a broker.Answer, by, why string, ok bool) {
	offer, offered := e.asked.Offers(broker.AcceptForSession)
	_, once := e.asked.Offers(broker.Accept)
	if !offered || !once || len(offer.Grants) == 0 || e.public.Shape != broker.Approval || owner.Mode == evaluator.FullAccess {
		return a, "", "", false
	}
	if owner.Interaction == evaluator.Plan && e.asked.Kind == evaluator.FileChange || ch.declinedByMode(owner, e) {
		return a, "", "", false
	}
	held := ch.held(e.holder)
	var names []string
	for _, g := range offer.Grants {
		if !slices.Contains(held, g) {
			return a, "", "", false
		}
		names = append(names, g.Action+" "+g.Resource)
	}
	return broker.Answer{Decision: broker.Accept}, byGrant, "allowed this session: " + strings.Join(names, ", "), true
}

// declinedByMode reports whether the session's modes, or those that the running turn
// started with, decline a request: no grant opens what a mode denies.
func (ch *change) declinedByMode(owner *agentSession, e *entry) bool {
	t := ch.translators[e.public.Provider]
	if t == nil {
		return false
	}
	for _, cell := range ch.cells(owner, e) {
		if _, a, _, ok := ch.byCell(t, owner, cell, e.asked); ok && !accepting(a) {
			return true
		}
	}
	return false
}

// cells are the session's and, where they differ, that of the turn which asks.
func (ch *change) cells(owner *agentSession, e *entry) []evaluator.Cell {
	out := []evaluator.Cell{owner.cell()}
	if running, err := ch.turn(e.runs.session, e.runs.turn); err == nil && running != nil {
		if cell := (evaluator.Cell{Provider: owner.Provider, Mode: running.Mode, Interaction: running.Interaction}); cell != out[0] {
			out = append(out, cell)
		}
	}
	return out
}

// coverOthers answers the open requests that a new grant covers, as it will
// answer later ones.
func (ch *change) coverOthers(h holder) {
	owner := ch.session(h.session)
	for _, e := range ch.inOrder() {
		if e.holder != h || e.life.State != broker.StatePending || e.public.Policy != ch.snap.policy.Digest {
			continue
		}
		a, by, why, ok := ch.covered(owner, e)
		if !ok {
			continue
		}
		if g, p := ch.atGate(owner, e, evaluator.Allow, why); p == nil && g.effect == evaluator.Allow {
			_ = ch.respond(e, a, by, why) // what can't be delivered goes on waiting
		}
	}
}

// nativeSteps are the steps that the adapter performs, and the plan that is
// proposed beside them. Grants are kept here, and the rules that they come to
// are written out where the provider takes rules while it waits.
func (ch *change) nativeSteps(e *entry, steps []broker.Operation) (native []broker.Operation, plan *broker.Plan, err error) {
	for _, s := range steps {
		switch s.Call {
		case broker.KeepGrants:
		case broker.ProposePlan:
			var p broker.Plan
			if json.Unmarshal(s.Arguments, &p) == nil && strings.TrimSpace(p.Markdown) != "" {
				plan = &p
			}
		case broker.SyncRules:
			rules, err := ch.writeRules(e)
			if err != nil {
				return nil, nil, err
			}
			native = append(native, rules...)
		default:
			native = append(native, s)
		}
	}
	return native, plan, nil
}

// writeRules are the steps that bring the rules of whoever asks up to date.
func (ch *change) writeRules(e *entry) ([]broker.Operation, error) {
	w, ok := ch.translators[e.public.Provider].(broker.RuleWriter)
	if !ok {
		return broker.Steps(broker.Step{Call: broker.SyncRules, Arguments: struct{}{}})
	}
	compiled, err := ch.compileFor(ch.session(e.holder.session), e.holder)
	if err != nil {
		return nil, err
	}
	return w.WriteRules(e.asked.Session, compiled.RuleSet.Native)
}

func (ch *change) propose(e *entry, plan *broker.Plan) {
	if plan == nil {
		return
	}
	out := event{Type: evPlan, Session: e.public.Session, Plan: plan}
	if e.public.Turn != nil {
		out.Turn = *e.public.Turn
	}
	ch.emit(out)
}

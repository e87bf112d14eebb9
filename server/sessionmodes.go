package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// replace puts a session in the place of an old one, which is nil for a new one.
func (ch *change) replace(old *agentSession, a agentSession) *problem {
	if ch.snap.cells[a.cell()] == nil {
		pointer := "/provider"
		return invalid(place{Pointer: &pointer, Message: fmt.Sprintf("this build has no dialect for %s", a.Provider)})
	}
	if old != nil && old.Provider != a.Provider {
		return newProblem(http.StatusConflict, "conflict", fmt.Sprintf("session %s runs on %s: unload it before it starts on another provider", a.ID, old.Provider))
	}
	if p := ch.checkParent(&a); p != nil {
		return p
	}
	a.ModeChange = ch.modeChange(a.Provider)
	ch.put(a)
	switch {
	case old == nil:
		ch.emit(event{Type: evSession, Session: a.ID, State: sessionLoaded, Mode: a.Mode, Interaction: a.Interaction})
	case old.Mode != a.Mode:
		ch.emit(event{Type: evModeSet, Session: a.ID, Turn: a.Turn, Mode: a.Mode, Interaction: a.Interaction, Applies: ch.applies(&a, true)})
	}
	if old != nil && !sameBesideMode(old, &a) {
		ch.emit(event{Type: evSession, Session: a.ID, Turn: a.Turn, State: sessionLoaded, Mode: a.Mode, Interaction: a.Interaction, Applies: ch.applies(&a, false)})
	}
	if err := ch.recompile(a.ID, old != nil && old.Mode != a.Mode, "the session was changed"); err != nil {
		return uncompilable(err)
	}
	return ch.tighten(a.ID)
}

func sameBesideMode(a, b *agentSession) bool {
	x, err1 := envKeyOf(a.cell(), a.Env, a.Native)
	cell := b.cell()
	cell.Mode = a.Mode
	y, err2 := envKeyOf(cell, b.Env, b.Native)
	return err1 == nil && err2 == nil && x == y
}

func (ch *change) checkParent(a *agentSession) *problem {
	if a.Parent == "" {
		return nil
	}
	parent := ch.session(a.Parent)
	if parent == nil {
		pointer := "/parent"
		return invalid(place{Pointer: &pointer, Message: fmt.Sprintf("no session %q is loaded", a.Parent)})
	}
	for up := parent; up != nil; up = ch.session(up.Parent) {
		if up.ID == a.ID {
			pointer := "/parent"
			return invalid(place{Pointer: &pointer, Message: "the session would descend from itself"})
		}
	}
	if why := looser(parent, a); why != "" {
		return newProblem(http.StatusUnprocessableEntity, "looser-child", "a child is never held less than its parent: "+why)
	}
	return nil
}

// tighten holds the children of a session to its modes.
func (ch *change) tighten(id string) *problem {
	parent := ch.session(id)
	for _, childID := range sortedKeys(ch.each()) {
		child := ch.session(childID)
		if child.Parent != id || looser(parent, child) == "" {
			continue
		}
		next := *child
		if order := evaluator.Modes(); slices.Index(order, next.Mode) > slices.Index(order, parent.Mode) {
			next.Mode = parent.Mode
		}
		if parent.Interaction == evaluator.Plan {
			next.Interaction = evaluator.Plan
		}
		if p := ch.replace(child, next); p != nil {
			return p
		}
	}
	return nil
}

func (ch *change) modeChange(p evaluator.Provider) string { return modeChangeOf(ch.s.Dialects, p) }

// modeChangeOf says how a mode change reaches a provider while a turn runs.
func modeChangeOf(dialects []compiler.Dialect, p evaluator.Provider) string {
	for _, d := range dialects {
		if able, ok := d.(compiler.Capable); ok && d.Provider() == p && able.Capabilities().SupportsRuntimeModeSwitchInSession {
			return appliesInSession
		}
	}
	return appliesByRestart
}

// applies says when a change of a session reaches the provider.
func (ch *change) applies(a *agentSession, mode bool) string {
	switch {
	case a.Turn == "":
		return appliesNextTurn
	case a.ModeChange == appliesInSession:
		return appliesInSession
	case mode:
		return appliesByRestart
	}
	return appliesNextTurn
}

// compile makes the RuleSet of a session.
func (ch *change) compile(a *agentSession) (*compiler.Compiled, error) {
	return ch.compileFor(a, holder{session: a.ID})
}

// compileFor makes the RuleSet of a session with a holder's grants, which aren't
// applied in full access. Under guardrails they aren't either: the provider goes
// on asking, and the gate answers by them what no guardrail has anything against.
func (ch *change) compileFor(a *agentSession, h holder) (*compiler.Compiled, error) {
	env := a.Env
	if env.Grants = nil; a.Mode != evaluator.FullAccess && !ch.s.guarded() {
		env.Grants = ch.held(h)
	}
	return ch.s.inEnv(ch.snap, a.cell(), env, "")
}

// recompile brings a session's digest up to date, and says when it is another.
func (ch *change) recompile(id string, mode bool, reason string) error {
	a := ch.session(id)
	compiled, err := ch.compile(a)
	if err != nil {
		return err
	}
	if compiled.RuleSet.Digest == a.Ruleset {
		return nil
	}
	next := *a
	next.Ruleset = compiled.RuleSet.Digest
	next.Revision++
	ch.put(next)
	ch.emit(event{
		Type: evRuleset, Session: id, Turn: a.Turn, Mode: a.Mode, Interaction: a.Interaction,
		Ruleset: next.Ruleset, Revision: next.Revision, Applies: ch.applies(a, mode), Reason: reason,
	})
	return nil
}

// unload takes a session and its children away.
func (ch *change) unload(id string) {
	for _, child := range sortedKeys(ch.each()) {
		if a := ch.session(child); a != nil && a.Parent == id {
			ch.unload(child)
		}
	}
	a := ch.session(id)
	if a.Turn != "" {
		ch.endTurn(a, "unloaded")
		a = ch.session(id)
	}
	for _, e := range ch.inOrder() {
		if e.public.Session == id {
			ch.close(e, broker.StateCancelled, "modegate:unload", "its session was unloaded")
		}
	}
	for h := range ch.desk.grants {
		if h.session == id {
			ch.grants[h] = nil
		}
	}
	last := *a
	last.Updated = ch.at
	ch.sessions[id], ch.unloaded[id] = nil, &last
	ch.emit(event{Type: evSession, Session: id, State: sessionUnloaded, Mode: a.Mode, Interaction: a.Interaction})
}

// policyIsNew brings every session's digest up to date after another policy has
// come into force.
func (d *desk) policyIsNew(ctx context.Context) {
	ch, end := d.begin(ctx, "modegate:reload")
	defer end()
	for _, id := range sortedKeys(d.sessions) {
		if err := ch.recompile(id, false, "the policy was changed"); err != nil {
			ch.emit(event{Type: evRuleset, Session: id, Reason: "the session's rules can't be compiled under this policy: " + err.Error()})
		}
	}
	if p := ch.commit(); p != nil {
		d.s.Log.Error("sessions aren't told about the policy", "detail", p.Detail)
	}
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

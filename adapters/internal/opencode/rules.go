package opencode

import (
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/evaluator"
)

// The layers of rules, in the order in which they are judged.
const (
	AgentLayer   = "agent"   // the provider's own agent
	SessionLayer = "session" // the native settings
	SavedLayer   = "saved"   // what people allowed before: saved grants on 2, approvals in memory on 1.x
)

// Rules are layers of rules, ready to judge requests. They don't change.
type Rules struct {
	all        []lastmatch.Rule
	agent      int // how many are the agent's
	configured int // how many are the agent's or the session's
	index      *lastmatch.Index
	own        *lastmatch.Index // of the agent's and the session's rules alone
	final      bool             // what those deny stays denied
}

// NewRules joins the layers. Where denies are final, what the agent's and the
// session's rules deny stays denied whatever is saved (measured on the native
// evaluator of 1.18.33); else the last match over all layers decides.
func NewRules(agent, session []lastmatch.Rule, saved []evaluator.Grant, denyIsFinal bool) *Rules {
	r := &Rules{agent: len(agent), configured: len(agent) + len(session)}
	r.all = append(append(r.all, agent...), session...)
	r.own, r.final = lastmatch.NewIndex(r.all), denyIsFinal && len(saved) > 0
	if len(saved) == 0 {
		r.index = r.own
		return r
	}
	for _, g := range saved {
		r.all = append(r.all, lastmatch.Rule{Action: g.Action, Resource: g.Resource, Effect: evaluator.Allow})
	}
	r.index = lastmatch.NewIndex(r.all)
	return r
}

// Decide returns the effect for one text and the position of the deciding rule,
// -1 when none matches and OpenCode's default, ask, stands. It allocates nothing.
func (r *Rules) Decide(action, resource string) (evaluator.Effect, int) {
	if r.final {
		if e, i := r.Configured(action, resource); e == evaluator.Deny {
			return e, i
		}
	}
	return r.effect(r.index.Decide(action, resource))
}

// Configured is Decide for the agent's and the session's rules alone.
func (r *Rules) Configured(action, resource string) (evaluator.Effect, int) {
	return r.effect(r.own.Decide(action, resource))
}

func (r *Rules) effect(position int) (evaluator.Effect, int) {
	if position < 0 {
		return evaluator.Ask, -1
	}
	return r.all[position].Effect, position
}

// Effect judges several texts of one request as both generations do: any deny
// denies, else any ask asks, else it is allowed. No text at all is allowed, as
// the real evaluators have it: edges must refuse an empty list.
func (r *Rules) Effect(action string, resources []string) evaluator.Effect {
	out := evaluator.Allow
	for _, text := range resources {
		e, _ := r.Decide(action, text)
		out = evaluator.Strictest(out, e)
	}
	return out
}

// possible is what a request may come to.
func (r *Rules) possible(q Request) outcomes {
	out := one(evaluator.Allow)
	for _, res := range q.Resources {
		out = out.with(r.either(q.Action, res))
	}
	if q.Doubt != "" {
		out = out.with(r.reachable(q.Action))
	}
	if q.Maybe {
		out |= one(evaluator.Allow)
	}
	return out
}

func (r *Rules) either(action string, res Resource) outcomes {
	e, _ := r.Decide(action, res.Text)
	out := one(e)
	if res.Or != "" {
		e, _ = r.Decide(action, res.Or)
		out |= one(e)
	}
	return out
}

// reachable is what any text at all may come to: at most the effects of the
// rules for the action after the last one that matches every text, and its own.
func (r *Rules) reachable(action string) outcomes {
	var out outcomes
	for i := len(r.all) - 1; i >= 0; i-- {
		if !wildcard.Compile(r.all[i].Action).Match(action) {
			continue
		}
		out |= one(r.all[i].Effect)
		if wildcard.Compile(r.all[i].Resource).Everything() {
			if !r.final || i < r.configured {
				return out
			}
		}
	}
	return out | one(evaluator.Ask)
}

// layer names the layer of a position and the place in it.
func (r *Rules) layer(position int) (name string, index int) {
	switch {
	case position < r.agent:
		return AgentLayer, position
	case position < r.configured:
		return SessionLayer, position - r.agent
	}
	return SavedLayer, position - r.configured
}

// Hidden reports the rule that takes a tool away from the model on 1.x: the last
// rule for its permission, whatever its pattern, is a deny on exactly "*".
// Approvals don't count (measured on 1.18.33).
func (r *Rules) Hidden(action string) (position int, hidden bool) {
	for i := r.configured - 1; i >= 0; i-- {
		if wildcard.Compile(r.all[i].Action).Match(action) {
			return i, r.all[i].Effect == evaluator.Deny && r.all[i].Resource == "*"
		}
	}
	return -1, false
}

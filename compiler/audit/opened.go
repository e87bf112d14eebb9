package audit

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/modegate/modegate/evaluator"
)

func sameEnv(a, b evaluator.Env) bool { return reflect.DeepEqual(a, b) }

// opening is something outside of a policy that may go past a ban: a session
// without it and one with it.
type opening struct {
	id, what     string
	without, add func(evaluator.Env) evaluator.Env
}

// openings are what users and sessions add to a policy.
var openings = []opening{
	{"agent-rule", "a user's own agent rule, edit src/* allow,", func(e evaluator.Env) evaluator.Env { return withAgents(e) }, func(e evaluator.Env) evaluator.Env {
		return withAgents(e, evaluator.AgentRule{Action: "edit", Resource: "src/*", Effect: evaluator.Allow})
	}},
	{"saved-grant", "a grant of everything that the provider has kept", nil, func(e evaluator.Env) evaluator.Env {
		e.Saved = []evaluator.Grant{{Action: "*", Resource: "*"}}
		return e
	}},
	{"session-grant", "a grant of everything for the session", nil, func(e evaluator.Env) evaluator.Env {
		e.Grants = []evaluator.Grant{{Action: "*", Resource: "*"}}
		return e
	}},
}

// withAgents gives a session the agents that OpenCode has by itself, and both of
// them the user's own rules.
func withAgents(e evaluator.Env, own ...evaluator.AgentRule) evaluator.Env {
	build := []evaluator.AgentRule{{Action: "*", Resource: "*", Effect: evaluator.Allow}}
	plan := append(slices.Clone(build), evaluator.AgentRule{Action: "edit", Resource: "*", Effect: evaluator.Deny})
	e.Agents = []evaluator.Agent{{ID: "build", Permissions: append(build, own...)}, {ID: "plan", Permissions: append(plan, own...)}}
	return e
}

// opened finds the bans of the policy that hold in a plain session and not where
// something is added to it.
func (b *builder) opened(ctx context.Context) error {
	for _, o := range openings {
		if o.without != nil && len(b.Env.Agents) > 0 {
			continue // the agents are given: what they open is a gap
		}
		var found groups
		for _, c := range b.cells {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.openedIn(c, o, &found); err != nil {
				return err
			}
		}
		for _, g := range found.list {
			worst := g.worst()
			f := b.finding(kindOpened, fmt.Sprintf("%s/%s.%s", kindOpened, o.id, g.key),
				fmt.Sprintf("%s on %s: the policy says deny, and %s makes it %s", worst.Witness.Kind, worst.Provider, o.what, worst.outcomeText()))
			f.Gaps, f.Acknowledged = []string{g.key}, acceptance(accepted(b.policy, g.key))
			b.add(f.fill(g))
		}
	}
	return nil
}

func (b *builder) openedIn(c *audited, o opening, found *groups) error {
	env := o.add(b.Env)
	with, err := b.compile(c.dialect, c.Cell, env)
	if err != nil {
		return nil // the provider has no such thing, or not in this form
	}
	plain := c
	if o.without != nil {
		if plain, err = b.compile(c.dialect, c.Cell, o.without(b.Env)); err != nil {
			return nil
		}
	}
	for _, s := range b.report.Samples {
		w := c.intent.Want(s.Action, with.env)
		if w.Rule == nil || w.Effect != evaluator.Deny {
			continue
		}
		before, err := plain.show(s.Action, nil)
		if err != nil {
			return err
		}
		after, err := with.show(s.Action, &env)
		if err != nil {
			return err
		}
		if after.looseness() > before.looseness() {
			found.add(c.gapOf(s.Action), c, after)
		}
	}
	return nil
}

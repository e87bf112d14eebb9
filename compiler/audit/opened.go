package audit

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

func sameEnv(a, b evaluator.Env) bool { return reflect.DeepEqual(a, b) }

// opening is something outside of a policy that may go past a ban.
type opening struct {
	id, what string
	add      func(*evaluator.Env)
}

// everything is a grant of all there is.
var everything = []evaluator.Grant{{Action: "*", Resource: "*"}}

// openings are what users and sessions add to a policy.
var openings = []opening{
	{"agent-rule", "a user's own agent rule, edit src/* allow,", func(e *evaluator.Env) {
		for i := range e.Agents {
			own := evaluator.AgentRule{Action: "edit", Resource: "src/*", Effect: evaluator.Allow}
			e.Agents[i].Permissions = append(e.Agents[i].Permissions, own)
		}
	}},
	{"saved-grant", "a grant of everything that the provider has kept", func(e *evaluator.Env) { e.Saved = everything }},
	{"session-grant", "a grant of everything for the session", func(e *evaluator.Env) { e.Grants = everything }},
}

// usual is the session that something is added to: where its agents aren't given,
// one with the agents that OpenCode has by itself, which open the plan folder alone.
func (b *builder) usual(c *audited) evaluator.Env {
	env := b.Env
	if len(env.Agents) > 0 {
		for i := range env.Agents {
			env.Agents[i].Permissions = slices.Clip(env.Agents[i].Permissions)
		}
		env.Agents = slices.Clone(env.Agents)
		return env
	}
	build := []evaluator.AgentRule{{Action: "*", Resource: "*", Effect: evaluator.Allow}}
	plan := append(slices.Clone(build), evaluator.AgentRule{Action: "edit", Resource: "*", Effect: evaluator.Deny})
	for _, glob := range c.intent.PlanFiles {
		plan = append(plan, evaluator.AgentRule{Action: "edit", Resource: paths.Home(env.Home, glob), Effect: evaluator.Allow})
	}
	env.Agents = []evaluator.Agent{{ID: "build", Permissions: build}, {ID: "plan", Permissions: plan}}
	return env
}

// opened finds the bans of the policy that something goes past which isn't the
// policy's.
func (b *builder) opened(ctx context.Context) error {
	for _, o := range openings {
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
			f := b.finding(kindOpened, fmt.Sprintf("%s.%s.%s", kindOpened, o.id, g.key),
				fmt.Sprintf("%s on %s: the policy says deny, and %s makes it %s", worst.Witness.Kind, worst.Provider, o.what, worst.outcomeText()))
			f.Gaps, f.Acknowledged = []string{g.key}, acceptance(accepted(b.policy, g.key))
			b.add(f.fill(g))
		}
	}
	return nil
}

// openedIn looks at the samples that a cell's policy denies.
func (b *builder) openedIn(c *audited, o opening, found *groups) error {
	env := b.usual(c)
	o.add(&env)
	denies := func(e evaluator.Effect) bool { return e == evaluator.Deny }
	return b.loosened(c, b.usual(c), env, denies, func(a evaluator.Action, s *Shown) { found.add(c.gapOf(a), c, s) })
}

// loosened looks at the samples of which a cell's policy says something, and finds
// those that come to more in one session than in another. Only a cell that has one
// is compiled anew.
func (b *builder) loosened(c *audited, usual, with evaluator.Env, about func(evaluator.Effect) bool, found func(evaluator.Action, *Shown)) error {
	var actions []evaluator.Action
	for _, s := range b.report.Samples {
		if w := c.intent.Want(s.Action, c.env); w.Rule != nil && about(w.Effect) {
			actions = append(actions, s.Action)
		}
	}
	if actions == nil {
		return nil
	}
	plain, err := c.meaning(usual)
	if err != nil {
		return nil // the provider takes no such session
	}
	loose, err := c.meaning(with)
	if err != nil {
		return nil
	}
	var compiled *audited
	for _, a := range actions {
		before, err := evaluator.Evaluate(plain, a, false)
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		after, err := evaluator.Evaluate(loose, a, false)
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		if outcome(after).looseness() <= outcome(before).looseness() {
			continue
		}
		if compiled == nil {
			if compiled, err = b.compile(c.dialect, c.Cell, with); err != nil {
				return err
			}
		}
		shown, err := compiled.show(a, &with)
		if err != nil {
			return err
		}
		found(a, shown)
	}
	return nil
}

// meaning is what a cell's settings, written for another session, mean there.
func (c *audited) meaning(env evaluator.Env) (evaluator.Meaning, error) {
	env = c.dialect.Env(c.Interaction, env)
	in := c.intent
	in.PlanFiles = c.dialect.PlanFiles(env)
	w, err := c.dialect.Write(in, env)
	if err != nil {
		return nil, err
	}
	return c.dialect.Read(w.Native, compiler.Setting{Version: c.version, Env: env})
}

package audit

import (
	"context"
	"fmt"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// users finds where a user's own settings let happen what the policy asks about, has
// reviewed or denies: one finding for each kind of settings.
func (b *builder) users(ctx context.Context) error {
	found := map[string]*groups{}
	var order []string
	what := map[string]string{}
	for _, c := range b.cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, ok := c.dialect.(compiler.Opener)
		if !ok {
			continue
		}
		for _, o := range d.Openings(c.env) {
			id := fmt.Sprintf("%s.%s.%s", kindUsers, c.Provider, o.ID)
			if found[id] == nil {
				found[id], what[id], order = &groups{}, o.What, append(order, id)
			}
			restricts := func(e evaluator.Effect) bool { return e != evaluator.Allow }
			if err := b.loosened(c, b.Env, o.Env, restricts, func(_ evaluator.Action, s *Shown) { found[id].add(id, c, s) }); err != nil {
				return err
			}
		}
	}
	for _, id := range order {
		for _, g := range found[id].list {
			worst := g.worst()
			f := b.finding(kindUsers, id, fmt.Sprintf("%s on %s: the policy says %s, and %s makes it %s",
				worst.Witness.Kind, worst.Provider, worst.Policy.Effect, what[id], worst.outcomeText()))
			f = f.fill(g)
			if err := b.compiles(worst); err != nil {
				f.Reason = fmt.Sprintf("%s: %s. Told of these settings by an Env with the facts %s, compile and eval refuse the policy",
					compiler.Describe(worst.Witness), worst.Reason, worst.Env.Facts)
				f.Shown = nil // nothing evaluates it again
			}
			b.add(f)
		}
	}
	return nil
}

// compiles reports why the policy doesn't compile in the session of a witness.
func (b *builder) compiles(s *Shown) error {
	for _, d := range b.Dialects {
		if d.Provider() == s.Provider {
			at := evaluator.Cell{Provider: s.Provider, Mode: s.Mode, Interaction: s.Interaction}
			_, err := compiler.Compile(b.policy, d, at, compiler.Options{Env: *s.Env, Version: s.Version})
			return err
		}
	}
	return nil
}

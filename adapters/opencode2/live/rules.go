package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/compiler"
)

// Apply gives the rules to the session: a new one gets them when it is made,
// before its first prompt; one that has others gets the whole list, which
// replaces them. Equal ones aren't sent. What the server then says is in force is
// read back.
func (d *Driver) Apply(ctx context.Context, set compiler.RuleSet) error {
	var rules []Rule
	if err := json.Unmarshal(set.Native, &rules); err != nil {
		return fmt.Errorf("rules of OpenCode 2: %w", err)
	}
	d.mu.Lock()
	follow, err := broker.Following(d.o.Translator, set.Native, d.env)
	if err == nil {
		d.rules, d.answers = rules, follow
	}
	id := d.id
	d.mu.Unlock()
	if err != nil {
		return fmt.Errorf("rules of OpenCode 2: %w", err)
	}
	d.box.Post(func() {
		if d.run != nil {
			d.run.ruled()
		}
	})
	if id == "" {
		s, err := d.c.Create(ctx, rules, d.o.Model)
		if err != nil {
			return err
		}
		id = s.ID
		if err := d.made(ctx, id); err != nil {
			return err
		}
	} else {
		s, err := d.c.Session(ctx, id)
		if err != nil || slices.Equal(s.Permissions, rules) {
			return err
		}
		if err := d.c.Update(ctx, id, rules); err != nil {
			return err
		}
	}
	s, err := d.c.Session(ctx, id)
	if err != nil {
		return err
	}
	return enforced(s, rules)
}

// enforced says when a session doesn't have the rules that were sent.
func enforced(s Session, rules []Rule) error {
	if slices.Equal(s.Permissions, rules) {
		return nil
	}
	return &broker.NotEnforced{Session: s.ID, Reason: difference(rules, s.Permissions)}
}

// rulesChanged takes the event that the session has other rules, which what it asks
// from then on is compared with. Where it weren't we who gave them, the run ends:
// it doesn't run under its cell any more.
func (r *run) rulesChanged() {
	if r.outcome != nil || !r.prompted {
		return // the next Sync sees it
	}
	d := r.d
	r.async(func(ctx context.Context) func() {
		d.syncing.Lock()
		defer d.syncing.Unlock()
		s, err := d.c.Session(ctx, d.ID())
		if err != nil {
			return nil // the stream breaks, too
		}
		d.mu.Lock()
		err = enforced(s, d.rules)
		d.mu.Unlock()
		if err == nil {
			return nil
		}
		return func() { r.end(broker.Failed, "another client changed the session's rules: "+err.Error()) }
	})
}

// made takes the session that was made, in the loop, too.
func (d *Driver) made(ctx context.Context, id string) error {
	if id == "" {
		return fmt.Errorf("opencode 2: the session that was created has no id")
	}
	d.mu.Lock()
	d.id = id
	d.mu.Unlock()
	taken := make(chan struct{})
	d.box.Post(func() {
		d.family[id] = true
		close(taken)
	})
	select {
	case <-taken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.ctx.Done():
		return d.ctx.Err()
	}
}

// difference says how the rules in force aren't those that were sent.
func difference(sent, got []Rule) string {
	missing := without(sent, got)
	foreign := without(got, sent)
	text := fmt.Sprintf("%d rules were sent and the session has %d", len(sent), len(got))
	if len(missing) > 0 {
		text += "; it lacks " + strings.Join(missing, ", ")
	}
	if len(foreign) > 0 {
		text += "; it has besides " + strings.Join(foreign, ", ")
	}
	if len(missing) == 0 && len(foreign) == 0 {
		text += ", in another order or number"
	}
	return text
}

func without(list, others []Rule) []string {
	var out []string
	for _, r := range list {
		if !slices.Contains(others, r) {
			out = append(out, fmt.Sprintf("%s %s %s", r.Action, r.Resource, r.Effect))
		}
	}
	return out
}

package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
)

// Apply gives the rules to the session: a new one gets them when it is made,
// before its first prompt. One that is continued gets the whole list, unless its
// list ends with it already: PATCH only appends, and rules are never removed
// (measured on 1.18.33, 2026-11-30).
func (d *Driver) Apply(ctx context.Context, set compiler.RuleSet) error {
	var rules []Rule
	if err := json.Unmarshal(set.Native, &rules); err != nil {
		return fmt.Errorf("opencode rules: %w", err)
	}
	id := d.ID()
	if id == "" {
		s, err := d.c.CreateSession(ctx, NewSession{Permission: rules})
		if err != nil {
			return err
		}
		id = s.ID
	} else if s, err := d.c.Session(ctx, id); err != nil {
		return err
	} else if shadow(s.Permission, rules) != "" {
		if _, err := d.c.AddRules(ctx, id, rules); err != nil {
			return err
		}
	}
	d.mu.Lock()
	d.id = id
	if set.Agent != "" {
		d.agent = set.Agent
	}
	d.mu.Unlock()
	return d.readBack(ctx, id, rules)
}

// readBack asks the server what is in force.
func (d *Driver) readBack(ctx context.Context, id string, rules []Rule) error {
	s, err := d.c.Session(ctx, id)
	if err != nil {
		return err
	}
	if why := shadow(s.Permission, rules); why != "" {
		return &broker.NotEnforced{Session: id, Reason: why}
	}
	old := s.Permission[:len(s.Permission)-len(rules)]
	if slices.ContainsFunc(old, func(r Rule) bool { return r.Action == ActionDeny }) {
		d.notes = append(d.notes, fmt.Sprintf("the session keeps %d earlier rules below these; its subagents still inherit what those deny", len(old)))
	}
	return nil
}

// shadow says why a session's list doesn't come to exactly these rules, or
// nothing when it does: it ends with them, and what comes before can't show
// through, because they start with a rule for everything.
func shadow(list, rules []Rule) string {
	before := len(list) - len(rules)
	switch {
	case before < 0 || !slices.Equal(list[before:], rules):
		return fmt.Sprintf("the session has %d rules, which don't end with the %d that were sent", len(list), len(rules))
	case before == 0:
		return ""
	case len(rules) == 0 || !everything(rules[0]):
		return fmt.Sprintf("%d earlier rules of the session show through, as the rules that were sent don't start with one for everything", before)
	}
	return ""
}

func everything(r Rule) bool {
	return wildcard.Compile(r.Permission).Everything() && wildcard.Compile(r.Pattern).Everything()
}

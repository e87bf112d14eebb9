package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
)

// Apply gives the rules to the session: a new one gets them when it is made,
// before its first prompt. One that is continued gets the whole list, unless it
// has it already: PATCH only appends (measured on 1.18.33, 2026-11-30). What its
// subagents would inherit of the rules below is taken away first.
func (d *Driver) Apply(ctx context.Context, set compiler.RuleSet) error {
	d.applying.Lock()
	defer d.applying.Unlock()
	var rules []Rule
	if err := json.Unmarshal(set.Native, &rules); err != nil {
		return fmt.Errorf("opencode rules: %w", err)
	}
	follow, err := broker.Following(d.o.Translator, set.Native, d.known())
	if err != nil {
		return fmt.Errorf("opencode rules: %w", err)
	}
	d.mu.Lock()
	id := d.id
	if set.Agent != "" {
		d.agent = set.Agent
	}
	d.mu.Unlock()
	if id == "" {
		s, err := d.c.CreateSession(ctx, NewSession{Permission: rules})
		if err != nil {
			return err
		}
		id = s.ID
	} else if err := d.change(ctx, id, rules); err != nil {
		return err
	}
	d.mu.Lock()
	d.id, d.rules, d.follow = id, rules, follow
	r := d.run // what it waits for is answered by them from now on
	d.mu.Unlock()
	if r != nil {
		r.Post(r.ruled)
	}
	s, err := d.c.Session(ctx, id)
	if err != nil {
		return err
	}
	if why := differs(s.Permission, rules); why != "" {
		return &broker.NotEnforced{Session: id, Reason: why}
	}
	return d.warn(set)
}

// change brings a session's list to these rules.
func (d *Driver) change(ctx context.Context, id string, rules []Rule) error {
	s, err := d.c.Session(ctx, id)
	if err != nil {
		return err
	}
	old := lingering(s.Permission, rules)
	if len(old) == 0 {
		if shadow(s.Permission, rules) == "" {
			return nil
		}
		_, err := d.c.AddRules(ctx, id, rules)
		return err
	}
	p := d.prompt("")
	if err := d.c.ResetRules(ctx, id, p); err != nil {
		return err
	}
	// Until the rules are there the agent's alone hold. Nothing of ours runs
	// meanwhile; a prompt of somebody else's is stopped.
	if _, err = d.c.AddRules(ctx, id, rules); err != nil {
		_, err = d.c.AddRules(ctx, id, rules)
	}
	if err != nil {
		return fmt.Errorf("session %s has its agent's rules alone now, the mode's couldn't be sent: %w", id, err)
	}
	status, err := d.c.Statuses(ctx)
	if err != nil {
		return err
	}
	if is := status[id].Type; is != "" && is != StatusIdle {
		return errors.Join(fmt.Errorf("session %s was prompted while its rules were changed; that run was stopped: %w", id, ErrBusy), d.abortOther(ctx, id))
	}
	return nil
}

// abortOther ends a run that isn't ours, what waits of it first.
func (d *Driver) abortOther(ctx context.Context, id string) error {
	r := &run{d: d, root: id}
	left, err := r.waiting(ctx)
	for _, q := range left {
		err = errors.Join(err, r.reject(ctx, q).err)
	}
	return errors.Join(err, d.c.Abort(ctx, id))
}

// warn keeps for the next run what the rules can't hold.
func (d *Driver) warn(set compiler.RuleSet) error {
	d.notes = nil
	if l, ok := d.o.Translator.(broker.Limiter); ok {
		d.mu.Lock()
		env := d.env
		env.Agent = d.agent
		d.mu.Unlock()
		limits, err := l.Limits(set.Native, env)
		if err != nil {
			return err
		}
		d.notes = limits
	}
	if d.o.Gone == nil {
		d.notes = append(d.notes, "others can use this OpenCode server, too: who prompts this session with tools of their own replaces these rules (this run is then stopped), and who answers always allows it in every session of the folder, whatever these rules deny")
	}
	return nil
}

// differs says why a session's list doesn't come to exactly these rules, for
// itself and for its subagents; nothing when it does.
func differs(list, rules []Rule) string {
	if why := shadow(list, rules); why != "" {
		return why
	}
	if old := lingering(list, rules); len(old) > 0 {
		return fmt.Sprintf("its subagents inherit %d earlier rules of the session", len(old))
	}
	return ""
}

// lingering are the rules of a list, below those that are sent, which subagents
// would inherit though the session has others now. They inherit denies, and rules
// that are for external_directory by name (measured on 1.18.33, 2026-11-30).
func lingering(list, rules []Rule) []Rule {
	if n := len(list) - len(rules); n >= 0 && slices.Equal(list[n:], rules) {
		list = list[:n]
	}
	var out []Rule
	for _, old := range list {
		covered := slices.ContainsFunc(rules, func(r Rule) bool {
			over := (r.Permission == old.Permission || r.Permission == "*") && wildcard.Compile(r.Pattern).Everything()
			return r == old || inherited(r) && over
		})
		if inherited(old) && !covered {
			out = append(out, old)
		}
	}
	return out
}

func inherited(r Rule) bool { return r.Action == ActionDeny || r.Permission == "external_directory" }

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

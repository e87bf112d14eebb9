package opencode

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// drafter makes a policy of configuration files: rules of the agents become rules
// of the session, which come after what the agents start with, too.
type drafter struct {
	words  oc.Drafting
	all    []oc.PlacedRule // every agent's
	build  []oc.PlacedRule // the session's own agent's
	plan   []oc.PlacedRule // the plan agent's
	last   *policies.Rule  // what OpenCode puts behind all of them, where that matters
	end    lastmatch.Rule  // the same in its own words
	own    []bool          // which of rules() stay as they are, in the latest draft
	losses []compiler.Loss
}

func newDrafter(c oc.Config1, env evaluator.Env, p place, agent string) *drafter {
	d := &drafter{words: oc.Drafting{Names: names, Env: env, Servers: c.Servers}, all: c.Rules}
	for _, a := range c.Agents {
		switch a.ID {
		case agent:
			d.build = a.Rules
		case "plan":
			d.plan = a.Rules
		default:
			d.lose(a.Source, "agent "+a.ID+": a policy's rules hold for a session, whatever its agent", nil)
		}
		if a.Disabled {
			d.lose(a.Source, "agent "+a.ID+" is switched off, and no policy says that", nil)
		}
	}
	if agent != "build" && c.Default != nil {
		d.lose(c.Default.Source, "default_agent "+agent+": the session's agent isn't a policy's affair, and what it starts with may be less", anything)
	}
	if c.Plugins != nil {
		d.lose(c.Plugins.Source, "plugins: a policy has none", anything)
	}
	for _, list := range []*[]oc.PlacedRule{&d.all, &d.build, &d.plan} {
		kept, losses := oc.Sayable(*list)
		*list, d.losses = kept, append(d.losses, losses...)
	}
	d.end = ends(p)
	for _, r := range slices.Concat(d.all, d.build, d.plan) {
		if r.Effect != evaluator.Allow && (r.Action == "*" || r.Action == d.end.Action) {
			if rule, ok := d.words.Rule(d.end); ok {
				d.last = &rule
			}
		}
		if r.Action == "doom_loop" || r.Action == "*" && r.Effect != evaluator.Ask {
			d.lose(r.Source, "doom_loop, the ask about a call that is repeated: it is judged by the agent's own rules alone", doomLoop)
		}
	}
	if len(d.all)+len(d.build) > 0 {
		d.lose(evaluator.Source{}, "the configuration holds for subagents, too; a session's rules don't, but for what they deny", nil)
	}
	return d
}

func (d *drafter) lose(at evaluator.Source, message string, covers func(evaluator.Action) bool) {
	same := func(l compiler.Loss) bool { return l.Message == message }
	if !slices.ContainsFunc(d.losses, same) {
		d.losses = append(d.losses, compiler.Loss{Source: at, Message: message, Covers: covers})
	}
}

func anything(evaluator.Action) bool { return true }

func doomLoop(a evaluator.Action) bool {
	if a.Kind != evaluator.Native {
		return false
	}
	q, err := decodeRequest(a.Request)
	return err == nil && q.Action == "doom_loop"
}

// rules are those of the session in the default interaction mode.
func (d *drafter) rules() []oc.PlacedRule { return slices.Concat(d.all, d.build) }

// Rules is how many rules the files have, the plan agent's behind the others.
func (d *drafter) Rules() int { return len(d.rules()) + len(d.plan) }

// Draft says the rules in a policy's words, but for those that must stay as they
// are, or before such a rule: they stand in the profile's list, before all others.
func (d *drafter) Draft(verbatim map[int]bool, modes []evaluator.Mode) (policies.Draft, []compiler.Loss) {
	out := policies.Draft{Profiles: map[evaluator.Provider][]string{}, Interactions: map[evaluator.Interaction][]policies.DraftRule{}}
	losses := slices.Clone(d.losses)
	rules := d.rules()
	d.own = oc.Apart(rules, func(i int) bool {
		_, ok := d.words.Rule(rules[i].Rule)
		return !ok || verbatim[i]
	}, true)
	var list []string
	for i, r := range rules {
		switch {
		case d.own[i]:
			list = append(list, "    # "+policies.Visible(oc.DraftComment(r)), fmt.Sprintf("    - {permission: %s, pattern: %s, action: %s}", policies.Quote(r.Action), policies.Quote(r.Resource), r.Effect))
			if d.parted() && i >= len(d.all) {
				losses = append(losses, compiler.Loss{Source: r.Source, Message: "a rule of agent build alone holds in plan, too", Covers: anything, Only: evaluator.Plan})
			}
		case d.parted() && i >= len(d.all):
			out.Interactions[evaluator.Default] = append(out.Interactions[evaluator.Default], d.rule(i, r, modes))
		default:
			out.Rules = append(out.Rules, d.rule(i, r, modes))
		}
	}
	if list != nil {
		lines := append([]string{"lists: # in OpenCode's own words, which other providers don't see", "  imported:"}, list...)
		lines = append(lines, "modes:")
		for _, m := range modes {
			lines = append(lines, fmt.Sprintf("  %s: {list: imported}", m))
		}
		out.Profiles[evaluator.OpenCode] = lines
	}
	out.Profiles[evaluator.OpenCode] = append(out.Profiles[evaluator.OpenCode], oc.DraftCallback)
	for i, r := range d.plan {
		at := len(rules) + i
		if _, ok := d.words.Rule(r.Rule); !ok || verbatim[at] {
			losses = append(losses, compiler.Loss{Source: r.Source, Message: "a rule of agent plan that no policy has words for", Covers: anything, Only: evaluator.Plan})
			continue
		}
		out.Interactions[evaluator.Plan] = append(out.Interactions[evaluator.Plan], d.rule(at, r, modes))
	}
	if d.last != nil {
		end := policies.DraftRule{Rule: policies.Rule{ID: "tool-output", Kind: d.last.Kind, Match: d.last.Match, Effect: d.last.Effect}, Comment: "OpenCode has this behind all rules"}
		if len(modes) < len(evaluator.Modes()) {
			end.Modes = modes
		}
		if d.parted() {
			for _, i := range evaluator.Interactions() {
				out.Interactions[i] = append(out.Interactions[i], end)
			}
		} else {
			out.Rules = append(out.Rules, end)
		}
	}
	return out, losses
}

// parted reports whether the session's own agent and the plan agent have rules
// apart.
func (d *drafter) parted() bool { return len(d.plan) > 0 || len(d.build) > 0 }

func (d *drafter) rule(i int, r oc.PlacedRule, modes []evaluator.Mode) policies.DraftRule {
	rule, _ := d.words.Rule(r.Rule)
	rule.ID = compiler.DraftID(i)
	if len(modes) < len(evaluator.Modes()) {
		rule.Modes = modes
	}
	return policies.DraftRule{Rule: rule, Comment: oc.DraftComment(r)}
}

// Lost returns the first rule that the written settings don't have in its place.
func (d *drafter) Lost(w compiler.Written) []int {
	written, err := decode(w.Native)
	if err != nil {
		return nil
	}
	rules := d.rules()
	numbers := make([]int, len(rules))
	for i := range numbers {
		numbers[i] = i
	}
	own := d.own
	if w.Agent != "" && d.parted() { // plan: the list, every agent's, and the plan agent's
		keep := func(i int) bool { return i < len(d.all) || d.own[i] }
		var there []oc.PlacedRule
		var theirs []bool
		numbers = nil
		for i, r := range rules {
			if keep(i) {
				there, theirs, numbers = append(there, r), append(theirs, d.own[i]), append(numbers, i)
			}
		}
		for i, r := range d.plan {
			if _, ok := d.words.Rule(r.Rule); ok {
				there, theirs, numbers = append(there, r), append(theirs, false), append(numbers, len(rules)+i)
			}
		}
		rules, own = there, theirs
	}
	wanted, from := oc.Sorted(rules, own, true)
	if d.last != nil {
		wanted, from = append(wanted, d.end), append(from, len(numbers))
		numbers = append(numbers, len(rules)-1) // nothing but its place can be wrong
	}
	if first, ok := oc.Follows(written, wanted); !ok && first >= 0 {
		return []int{numbers[from[first]]}
	}
	return nil
}

// Probes lists requests inside and just outside of each rule.
func (d *drafter) Probes() []evaluator.Action {
	return oc.DraftProbes(slices.Concat(d.rules(), d.plan), names, func(action, resource string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.Native, Request: encodeRequest(action, []string{resource})}
	})
}

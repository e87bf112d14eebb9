package opencode2

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// drafter makes a policy of configuration files: rules of the session's agent
// become rules of the session, which come after the agent's, too.
type drafter struct {
	words  opencode.Drafting
	rules  []opencode.PlacedRule
	own    []bool // which of them stay as they are, in the latest draft
	losses []compiler.Loss
}

func newDrafter(c opencode.Config2, env evaluator.Env, own []opencode.PlacedRule) *drafter {
	d := &drafter{words: opencode.Drafting{Names: names, Env: env, Servers: c.Servers}, rules: own}
	d.rules, d.losses = opencode.Sayable(own)
	own = d.rules
	lose := func(at evaluator.Source, message string, covers func(evaluator.Action) bool) {
		d.losses = append(d.losses, compiler.Loss{Source: at, Message: message, Covers: covers})
	}
	for _, a := range c.Agents {
		if a.ID != agentOf(env) {
			lose(a.Source, "agent "+a.ID+": a policy's rules hold for a session, whatever its agent", nil)
		}
	}
	for _, r := range own {
		if !slices.Equal(soften(r.Rule), []lastmatch.Rule{r.Rule}) {
			lose(r.Source, fmt.Sprintf("%s %s is denied: OpenCode 2 refuses sessions with such a rule, so that it is asked about", r.Action, r.Text), asksFor(r.Action))
		}
	}
	if c.Migrated != nil {
		lose(c.Migrated.Source, "a file of OpenCode 1.x: what OpenCode 2 makes of its names isn't known, they stay as they are", anything)
	}
	if c.Plugins != nil {
		lose(c.Plugins.Source, "plugins: a policy has none", anything)
	}
	return d
}

func anything(evaluator.Action) bool { return true }

// asksFor covers what may be asked about under an action: shell, read, or any.
func asksFor(action string) func(evaluator.Action) bool {
	return func(a evaluator.Action) bool {
		switch action {
		case "shell":
			return a.Kind == evaluator.Command || a.Kind == evaluator.Native
		case "read":
			return a.Kind == evaluator.FileRead || a.Kind == evaluator.Native
		}
		return true
	}
}

// Rules is how many rules the files have.
func (d *drafter) Rules() int { return len(d.rules) }

// Draft says the rules in a policy's words, but for those that must stay as they
// are, or behind such a rule: they stand in the profile, behind all others.
func (d *drafter) Draft(verbatim map[int]bool, modes []evaluator.Mode) (policies.Draft, []compiler.Loss) {
	out := policies.Draft{Profiles: map[evaluator.Provider][]string{}}
	d.own = opencode.Apart(d.rules, func(i int) bool {
		_, ok := d.words.Rule(d.rules[i].Rule)
		return !ok || verbatim[i]
	}, false)
	var lines []string
	for i, r := range d.rules {
		comment := opencode.DraftComment(r)
		if d.own[i] {
			lines = append(lines, "  # "+policies.Visible(comment))
			for _, rule := range soften(r.Rule) {
				lines = append(lines, fmt.Sprintf("  - {action: %s, resource: %s, effect: %s}", policies.Quote(rule.Action), policies.Quote(rule.Resource), rule.Effect))
			}
			continue
		}
		rule, _ := d.words.Rule(r.Rule)
		rule.ID = compiler.DraftID(i)
		if len(modes) < len(evaluator.Modes()) {
			rule.Modes = modes
		}
		out.Rules = append(out.Rules, policies.DraftRule{Rule: rule, Comment: comment})
	}
	if lines != nil {
		lines = append([]string{"last: # in OpenCode 2's own words, which other providers don't see"}, lines...)
	}
	out.Profiles[evaluator.OpenCode2] = append(lines, opencode.DraftCallback)
	return out, slices.Clone(d.losses)
}

// Lost returns the first rule that the written settings don't have in its place.
func (d *drafter) Lost(w compiler.Written) []int {
	written, err := decode(w.Native)
	if err != nil {
		return nil
	}
	sorted, order := opencode.Sorted(d.rules, d.own, false)
	var wanted []lastmatch.Rule
	var from []int
	for i, r := range sorted {
		for _, soft := range soften(r) {
			wanted, from = append(wanted, soft), append(from, order[i])
		}
	}
	if first, ok := opencode.Follows(written, wanted); !ok && first >= 0 {
		return []int{from[first]}
	}
	return nil
}

// Probes lists requests inside and just outside of each rule.
func (d *drafter) Probes() []evaluator.Action {
	return opencode.DraftProbes(d.rules, names, func(action, resource string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.Native, Request: encodeRequest(action, []string{resource})}
	})
}

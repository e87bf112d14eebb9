package opencode2

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// newer judges as newer source of 2.x does (read 2026-11-30): for read and edit, a
// rule with an absolute resource is compared with the absolute form of a relative
// text, and a configured deny is final.
type newer struct {
	workspace string
	rules     []newerRule
	saved     []newerRule
	without   *opencode.Rules // the same without the absolute forms
}

type newerRule struct {
	action, resource wildcard.Pattern
	absolute         bool
	effect           evaluator.Effect
}

// newNewer returns nil where no absolute rule makes newer versions part.
func newNewer(agent, session []lastmatch.Rule, env evaluator.Env) *newer {
	rules := slices.Concat(agent, session)
	// A rule of a configuration file has the home folder in it; one that was sent by
	// API keeps its shortcut.
	full := func(r lastmatch.Rule) string {
		return wildcard.Normalise(opencode.ExpandHome(r.Action, r.Resource, env.Home))
	}
	absolute := func(r lastmatch.Rule) bool { return strings.HasPrefix(full(r), "/") }
	if env.Workspace == "" || !slices.ContainsFunc(rules, absolute) {
		return nil
	}
	n := &newer{workspace: env.Workspace, without: opencode.NewRules(agent, session, env.Saved, true)}
	for _, r := range rules {
		one := newerRule{wildcard.Compile(r.Action), wildcard.Compile(r.Resource), absolute(r), r.Effect}
		if one.absolute {
			one.resource = wildcard.Compile(full(r))
		}
		n.rules = append(n.rules, one)
	}
	for _, g := range env.Saved {
		n.saved = append(n.saved, newerRule{wildcard.Compile(g.Action), wildcard.Compile(g.Resource), false, evaluator.Allow})
	}
	return n
}

// effect is what requests come to. ok is false where no rule makes a difference to
// what the older rules say.
func (n *newer) effect(list []opencode.Request, older *opencode.Rules) (effect evaluator.Effect, ok bool) {
	if n == nil {
		return evaluator.Unknown, false
	}
	total := evaluator.Allow
	for _, q := range list {
		if q.Doubt != "" {
			return evaluator.Unknown, false
		}
		for _, res := range q.Resources {
			if q.Action != "read" && q.Action != "edit" || paths.Rooted(res.Text) {
				plain, _ := older.Decide(q.Action, res.Text)
				total = evaluator.Strictest(total, plain)
				continue
			}
			e := n.decide(q.Action, res.Text)
			without, _ := n.without.Decide(q.Action, res.Text)
			ok = ok || e != without
			total = evaluator.Strictest(total, e)
		}
	}
	return total, ok
}

// decide judges one relative text for read or edit.
func (n *newer) decide(action, text string) evaluator.Effect {
	absolute := paths.Abs(n.workspace, strings.ReplaceAll(text, `\`, "/"))
	effect := evaluator.Ask
	for _, r := range n.rules {
		subject := text
		if r.absolute {
			subject = absolute
		}
		if r.action.Match(action) && r.resource.Match(subject) {
			effect = r.effect
		}
	}
	for _, r := range n.saved {
		if effect != evaluator.Deny && r.action.Match(action) && r.resource.Match(text) {
			effect = r.effect
		}
	}
	return effect
}

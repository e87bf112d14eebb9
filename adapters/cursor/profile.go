package cursor

import (
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// profile is a policy's own values for Cursor, each with its place.
//
//	argv: [acp]
//	aliases: {plan: [plan, architect], approval: [ask], implement: [code, agent]}
//	modes:
//	  approval-required: {prefer: [approval, implement], permission: ask}
//	  full-access: {prefer: [implement, approval], permission: allow, argv: [--force, acp]}
//	plan: {permission: ask}
//
// The argv of a mode stands instead of the one for all modes, what plan sets
// instead of the mode's.
type profile struct {
	argv    list
	aliases map[string]list
	modes   map[evaluator.Mode]settings
	plan    settings
}

type settings struct {
	argv       list
	prefer     list
	permission Permission
	answer     evaluator.Source // of the permission
}

// list is a list of texts with its place; nil texts weren't given.
type list struct {
	texts  []string
	source evaluator.Source
}

// The groups of aliases: what a session mode is wanted for.
const (
	planGroup      = "plan"
	approvalGroup  = "approval"
	implementGroup = "implement"
)

func readProfile(r *policies.Reader, n *policies.Node) profile {
	p := profile{aliases: map[string]list{}, modes: map[evaluator.Mode]settings{}}
	groups := map[string]func(*policies.Node){}
	for _, g := range []string{planGroup, approvalGroup, implementGroup} {
		groups[g] = func(n *policies.Node) { p.aliases[g] = readList(r, n, "aliases."+g, nil) }
	}
	modes := map[string]func(*policies.Node){}
	for _, m := range evaluator.Modes() {
		modes[string(m)] = func(n *policies.Node) { p.modes[m] = readMode(r, n, string(m)) }
	}
	r.Map(n, "the cursor profile", map[string]func(*policies.Node){
		"argv":    func(n *policies.Node) { p.argv = readList(r, n, "argv", nil) },
		"aliases": func(n *policies.Node) { r.Map(n, "aliases", groups) },
		"modes":   func(n *policies.Node) { r.Map(n, "modes", modes) },
		"plan":    func(n *policies.Node) { p.plan = readInPlan(r, n) },
	})
	for _, m := range evaluator.Modes() {
		s := p.modes[m]
		for _, g := range s.prefer.texts {
			if _, ok := p.aliases[g]; !ok && g != "" {
				r.Refuse(s.prefer.source, "%s prefers %q, which has no aliases: add aliases.%s", m, g, g)
			}
		}
	}
	return p
}

func readMode(r *policies.Reader, n *policies.Node, mode string) settings {
	var s settings
	fields := s.fields(r)
	fields["prefer"] = func(n *policies.Node) { s.prefer = readList(r, n, "prefer", []string{approvalGroup, implementGroup}) }
	r.Map(n, "the cursor profile of "+mode, fields)
	return s
}

// readInPlan reads what plan sets. Its aliases are a group of their own.
func readInPlan(r *policies.Reader, n *policies.Node) settings {
	var s settings
	r.Map(n, "the cursor profile of plan", s.fields(r))
	return s
}

// fields are what a mode and plan may both set.
func (s *settings) fields(r *policies.Reader) map[string]func(*policies.Node) {
	return map[string]func(*policies.Node){
		"argv": func(n *policies.Node) { s.argv = readList(r, n, "argv", nil) },
		"permission": func(n *policies.Node) {
			s.permission = Permission(r.Word(n, "permission", string(AskPermission), string(AllowPermission)))
			s.answer = n.Source
		},
	}
}

// of is what a cell sets, and where: the argv for all modes, the mode's, plan's.
func (p profile) of(c evaluator.Cell) settings {
	out := settings{argv: p.argv}
	layers := []settings{p.modes[c.Mode]}
	if c.Interaction == evaluator.Plan {
		layers = append(layers, p.plan)
	}
	for _, s := range layers {
		if s.argv.texts != nil {
			out.argv = s.argv
		}
		if s.permission != "" {
			out.permission, out.answer = s.permission, s.answer
		}
	}
	return out
}

// readList reads a list of texts, or of some words.
func readList(r *policies.Reader, n *policies.Node, what string, words []string) list {
	out := list{texts: []string{}, source: n.Source}
	if n.Kind == policies.Sequence && len(n.Items) == 0 {
		r.Refuse(n.Source, "%s is an empty list: fill it, or leave it out", what)
	}
	r.Each(n, what, func(item *policies.Node) {
		if words != nil {
			out.texts = append(out.texts, r.Word(item, what, words...))
			return
		}
		out.texts = append(out.texts, r.Text(item, "an item of "+what))
	})
	return out
}

// wanted lists the aliases of one cell, best first, and where they come from.
// In plan they are the plan aliases alone.
func (p profile) wanted(c evaluator.Cell) list {
	if c.Interaction == evaluator.Plan {
		return p.aliases[planGroup]
	}
	prefer := p.modes[c.Mode].prefer
	if prefer.texts == nil {
		return list{}
	}
	out := list{texts: []string{}, source: prefer.source}
	for _, group := range prefer.texts {
		out.texts = append(out.texts, p.aliases[group].texts...)
	}
	return out
}

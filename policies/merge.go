package policies

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// add lays one more layer over the policy. See the package's comment.
func (p *Policy) add(l *layer) {
	if l.policy.Name != "" {
		p.Name = l.policy.Name
	}
	for m, over := range l.policy.Modes {
		mode := p.Modes[m]
		if over.Label != "" {
			mode.Label = over.Label
		}
		mode.Rules = mergeRules(mode.Rules, over.Rules)
		mode.Source = over.Source
		p.Modes[m] = mode
	}
	p.Rules = mergeRules(p.Rules, l.policy.Rules)
	for i, over := range l.policy.Interactions {
		p.Interactions[i] = mergeRules(p.Interactions[i], over)
	}
	for provider, over := range l.policy.Profiles {
		p.Profiles[provider] = mergeNodes(p.Profiles[provider], over)
	}
	p.Acknowledge = append(p.Acknowledge, l.policy.Acknowledge...)
}

func mergeRules(base, over []Rule) []Rule {
	at := make(map[string]int, len(base))
	for i, rule := range base {
		if rule.ID != "" {
			at[rule.ID] = i
		}
	}
	for _, rule := range over {
		if i, ok := at[rule.ID]; ok {
			rule.Replaces = true
			base[i] = rule
			continue
		}
		base = append(base, rule)
	}
	return base
}

// mergeNodes merges mappings key by key; anything else replaces what was there.
// It changes neither node.
func mergeNodes(base, over *Node) *Node {
	if base == nil || base.Kind != Mapping || over.Kind != Mapping {
		return over
	}
	out := *over
	out.Fields = slices.Clone(base.Fields)
	at := make(map[string]int, len(out.Fields))
	for i, f := range out.Fields {
		at[f.Name] = i
	}
	for _, f := range over.Fields {
		if i, ok := at[f.Name]; ok {
			f.Value = mergeNodes(out.Fields[i].Value, f.Value)
			out.Fields[i] = f
			continue
		}
		out.Fields = append(out.Fields, f)
	}
	return &out
}

// nameRules gives the rules without an id one: the list's name and the rule's
// number. An author's id that is the same would make two rules one.
func (p *Policy) nameRules() diag.List {
	var r Reader
	for _, m := range evaluator.Modes() {
		nameRules(&r, string(m), p.Modes[m].Rules)
	}
	nameRules(&r, "rules", p.Rules)
	for _, i := range evaluator.Interactions() {
		nameRules(&r, string(i), p.Interactions[i])
	}
	return r.Problems
}

func nameRules(r *Reader, list string, rules []Rule) {
	authored := map[string]evaluator.Source{}
	for _, rule := range rules {
		if rule.ID != "" {
			authored[rule.ID] = rule.Source
		}
	}
	for i := range rules {
		if rules[i].ID != "" {
			continue
		}
		id := fmt.Sprintf("%s-%d", list, i+1)
		if at, ok := authored[id]; ok {
			r.Refuse(rules[i].Source, "this rule has no id and would be called %s, which is the id of the rule on line %d of %s: give it an id", id, at.Line, at.File)
		}
		rules[i].ID, rules[i].Source.ID = id, id
	}
}

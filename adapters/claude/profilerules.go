package claude

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// ownRule is a rule of a policy's profile, in Claude's own words: what no rule of
// the policy language says.
type ownRule struct {
	effect evaluator.Effect
	text   string
	source evaluator.Source
}

// readOwnRules reads the profile's rules: {allow: [RULE…], ask: […], deny: […]}.
// They hold in every mode.
func readOwnRules(r *policies.Reader, n *policies.Node) []ownRule {
	var out []ownRule
	lists := map[string]func(*policies.Node){}
	for _, effect := range []evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Deny} {
		lists[effect.String()] = func(n *policies.Node) {
			r.Each(n, "rules."+effect.String(), func(n *policies.Node) {
				text := r.Text(n, "a rule of Claude's")
				if _, ok := parseRule(text, effect == evaluator.Allow, V332); text != "" && !ok {
					r.Refuse(n.Source, "%q isn't a rule of Claude's: it would do nothing; write Tool or Tool(content)", text)
				}
				out = append(out, ownRule{effect, text, n.Source})
			})
		}
	}
	r.Map(n, "rules of the Claude profile", lists)
	return out
}

// add puts the profile's rules behind those of the policy.
func (p *Permissions) add(own []ownRule) []compiler.SourceRef {
	var refs []compiler.SourceRef
	for _, o := range own {
		into := &p.Deny
		switch o.effect {
		case evaluator.Allow:
			into = &p.Allow
		case evaluator.Ask:
			into = &p.Ask
		}
		refs = append(refs, compiler.SourceRef{Pointer: "/permissions/" + o.effect.String() + "/" + itoa(len(*into)), Source: o.source})
		*into = append(*into, o.text)
	}
	return refs
}

package codex

import (
	"errors"
	"strings"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/policies"
)

// readOwnRules reads the profile's rules: calls of a rule file, in every mode, for
// what no rule of the policy says.
func readOwnRules(r *policies.Reader, n *policies.Node) []*policies.Node {
	var out []*policies.Node
	r.Each(n, "providers.codex.rules", func(n *policies.Node) {
		text := r.Text(n, "a call of Codex's rules")
		var broken *execpolicy.Error
		if _, err := execpolicy.Parse(execpolicy.File{Name: "rules", Text: text}); errors.As(err, &broken) {
			r.Refuse(n.Source, "Codex refuses %q: %s", text, broken.Message)
		}
		out = append(out, n)
	})
	return out
}

// withOwnRules puts the profile's calls behind the rules of the policy. calls is
// how many prefix_rule calls those are.
func withOwnRules(text string, calls int, own []*policies.Node) (string, []compiler.SourceRef, error) {
	var refs []compiler.SourceRef
	for _, n := range own {
		text += strings.TrimRight(n.Text, "\n") + "\n"
		p, err := execpolicy.Parse(execpolicy.File{Name: "rules", Text: n.Text})
		if err != nil {
			return "", nil, err
		}
		for range p.Calls {
			refs = append(refs, compiler.SourceRef{Pointer: (&ruleCall{layer: sessionLayer, index: calls}).pointer(), Source: n.Source})
			calls++
		}
	}
	return text, refs, nil
}

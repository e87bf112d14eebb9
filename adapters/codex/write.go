package codex

import (
	"fmt"
	"path"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// Write says one cell in Codex's settings: the profile's values, in plan with the
// plan collaboration mode, and the policy's command rules as execpolicy text.
func (dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	v, err := chosen(in)
	if err != nil {
		return compiler.Written{}, err
	}
	w := compiler.Written{Sources: v.sources()}
	s := settings{Approval: v.approval, Sandbox: v.sandbox, Reviewer: v.reviewer, Collaboration: collaborationMode{defaultMode}}
	if in.Cell.Interaction == evaluator.Plan {
		s.Collaboration.Mode = planMode
	}
	s.SandboxPolicy = sandboxPolicy{
		Type:                sandboxTypes[v.sandbox],
		NetworkAccess:       isTrue(v.networkAccess),
		ExcludeSlashTmp:     isTrue(v.excludeSlashTmp),
		ExcludeTmpdirEnvVar: isTrue(v.excludeTmpdirEnvVar),
	}
	for _, root := range v.writableRoots {
		if strings.HasPrefix(root, "~/") && env.Home == "" {
			w.Assumed = []string{"the home folder isn't known: " + paths.UnknownHome + " stands for it"}
		}
		s.SandboxPolicy.WritableRoots = append(s.SandboxPolicy.WritableRoots, path.Clean(paths.Home(env.Home, root)))
	}
	rules := commandRules(in)
	if s.Rules, err = rulesText(rules); err != nil {
		return w, err
	}
	for i, r := range rules {
		w.Sources = append(w.Sources, compiler.SourceRef{Pointer: (&ruleCall{layer: sessionLayer, index: i}).pointer(), Source: r.from.Source})
	}
	if own := in.Profile.Get("rules"); own != nil {
		var refs []compiler.SourceRef
		if s.Rules, refs, err = withOwnRules(s.Rules, len(rules), readOwnRules(&policies.Reader{}, own)); err != nil {
			return w, err
		}
		w.Sources = append(w.Sources, refs...)
	}
	w.Gaps = func() []evaluator.Gap { return declare(in, env, s, rules) }
	w.Native, err = strictjson.Encode(s)
	return w, err
}

// chosen picks the profile's values for the cell.
func chosen(in compiler.Intent) (values, error) {
	var r policies.Reader
	if in.Profile == nil {
		return values{}, fmt.Errorf("%s: the policy has no providers.codex: add it, or extend builtin/t3code", in.Cell)
	}
	p := readProfile(&r, in.Profile)
	if err := r.Problems.Err(); err != nil {
		return values{}, err
	}
	v, ok := p.Modes[in.Cell.Mode]
	if !ok {
		r.Refuse(in.Profile.Source, "providers.codex.modes has no %s: add it, or extend builtin/t3code", in.Cell.Mode)
		return values{}, r.Problems.Err()
	}
	if in.Cell.Interaction == evaluator.Plan {
		v = p.Plan.over(v)
		v.checkSandbox(&r, v.sandbox)
	}
	return v, r.Problems.Err()
}

func (v values) sources() []compiler.SourceRef {
	return []compiler.SourceRef{
		{Pointer: "/approvalPolicy", Source: v.approvalNode.Source},
		{Pointer: "/sandbox", Source: v.sandboxNode.Source},
		{Pointer: "/sandboxPolicy", Source: v.sandboxNode.Source},
		{Pointer: "/approvalsReviewer", Source: v.reviewerNode.Source},
	}
}

func isTrue(b *bool) bool { return b != nil && *b }

package codex

import (
	"path"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// profile is a policy's own values for Codex.
//
//	codex:
//	  modes:
//	    auto: {approvalPolicy: on-request, sandbox: workspace-write, approvalsReviewer: auto_review}
//	  plan: {sandbox: read-only}   # these instead of the mode's, in plan
//	  rules: ['prefix_rule(pattern=["x"])']   # in every mode
type profile struct {
	Modes map[evaluator.Mode]values
	Plan  values
}

// values are the fields of one mode, each with its place; a nil Node is not set.
type values struct {
	at evaluator.Source

	approvalNode, sandboxNode, reviewerNode *policies.Node

	approval approvalPolicy
	sandbox  string
	reviewer string

	networkAccess, excludeSlashTmp, excludeTmpdirEnvVar *bool
	writableRoots                                       []string // absolute, or ~/
}

func readProfile(r *policies.Reader, n *policies.Node) profile {
	p := profile{Modes: map[evaluator.Mode]values{}}
	r.Map(n, "providers.codex", map[string]func(*policies.Node){
		"modes": func(n *policies.Node) {
			readers := map[string]func(*policies.Node){}
			for _, m := range evaluator.Modes() {
				readers[string(m)] = func(n *policies.Node) {
					v := readValues(r, n, "providers.codex.modes."+string(m))
					r.Require(n, "providers.codex.modes."+string(m), "approvalPolicy", "sandbox", "approvalsReviewer")
					v.checkSandbox(r, v.sandbox)
					p.Modes[m] = v
				}
			}
			r.Map(n, "providers.codex.modes", readers)
		},
		"plan":  func(n *policies.Node) { p.Plan = readValues(r, n, "providers.codex.plan") },
		"rules": func(n *policies.Node) { readOwnRules(r, n) },
	})
	if p.Plan.sandbox != "" {
		p.Plan.checkSandbox(r, p.Plan.sandbox)
	}
	return p
}

func readValues(r *policies.Reader, n *policies.Node, what string) values {
	var v values
	if n != nil {
		v.at = n.Source
	}
	flag := func(name string, dst **bool) func(*policies.Node) {
		return func(n *policies.Node) {
			b := r.Bool(n, what+"."+name)
			*dst = &b
		}
	}
	r.Map(n, what, map[string]func(*policies.Node){
		"approvalPolicy": func(n *policies.Node) {
			v.approvalNode, v.approval = n, readApproval(r, n, what+".approvalPolicy")
		},
		"sandbox": func(n *policies.Node) {
			v.sandboxNode, v.sandbox = n, r.Word(n, what+".sandbox", "read-only", "workspace-write", "danger-full-access")
		},
		"approvalsReviewer": func(n *policies.Node) {
			v.reviewerNode, v.reviewer = n, r.Word(n, what+".approvalsReviewer", byUser, byAutoReview)
		},
		"networkAccess":       flag("networkAccess", &v.networkAccess),
		"excludeSlashTmp":     flag("excludeSlashTmp", &v.excludeSlashTmp),
		"excludeTmpdirEnvVar": flag("excludeTmpdirEnvVar", &v.excludeTmpdirEnvVar),
		"writableRoots": func(n *policies.Node) {
			r.Each(n, what+".writableRoots", func(n *policies.Node) {
				root := r.Text(n, "a writable root")
				if root != "" && !path.IsAbs(root) && !strings.HasPrefix(root, "~/") {
					r.Refuse(n.Source, "the writable root %q must begin with / or ~/: Codex refuses relative ones", root)
				}
				v.writableRoots = append(v.writableRoots, root)
			})
		},
	})
	return v
}

// checkSandbox refuses fields that the sandbox doesn't have.
func (v values) checkSandbox(r *policies.Reader, sandbox string) {
	if sandbox == "danger-full-access" && v.networkAccess != nil {
		r.Refuse(v.at, "networkAccess means nothing under danger-full-access: remove it")
	}
	if sandbox != "workspace-write" && (v.writableRoots != nil || v.excludeSlashTmp != nil || v.excludeTmpdirEnvVar != nil) {
		r.Refuse(v.at, "writableRoots, excludeSlashTmp and excludeTmpdirEnvVar need sandbox: workspace-write")
	}
}

func readApproval(r *policies.Reader, n *policies.Node, what string) approvalPolicy {
	if n == nil || n.Kind != policies.Mapping {
		return approvalPolicy{Word: r.Word(n, what, approvalWords...)}
	}
	p := approvalPolicy{Word: granular}
	r.Map(n, what, map[string]func(*policies.Node){
		granular: func(n *policies.Node) {
			what += "." + granular
			flag := func(name string, dst *bool) func(*policies.Node) {
				return func(n *policies.Node) { *dst = r.Bool(n, what+"."+name) }
			}
			r.Map(n, what, map[string]func(*policies.Node){
				"sandbox_approval":    flag("sandbox_approval", &p.Granular.SandboxApproval),
				"rules":               flag("rules", &p.Granular.Rules),
				"mcp_elicitations":    flag("mcp_elicitations", &p.Granular.MCPElicitations),
				"request_permissions": flag("request_permissions", &p.Granular.RequestPermissions),
				"skill_approval":      flag("skill_approval", &p.Granular.SkillApproval),
			})
			r.Require(n, what, "sandbox_approval", "rules", "mcp_elicitations")
		},
	})
	r.Require(n, what, granular)
	return p
}

// over gives v's values, and base's where v sets none. A sandbox of v's own takes
// none of base's sandbox fields.
func (v values) over(base values) values {
	out := base
	if v.approvalNode != nil {
		out.approvalNode, out.approval = v.approvalNode, v.approval
	}
	if v.reviewerNode != nil {
		out.reviewerNode, out.reviewer = v.reviewerNode, v.reviewer
	}
	if v.sandboxNode != nil {
		out.sandboxNode, out.sandbox = v.sandboxNode, v.sandbox
		out.networkAccess, out.writableRoots, out.excludeSlashTmp, out.excludeTmpdirEnvVar = nil, nil, nil, nil
	}
	if v.networkAccess != nil {
		out.networkAccess = v.networkAccess
	}
	if v.writableRoots != nil {
		out.writableRoots = v.writableRoots
	}
	if v.excludeSlashTmp != nil {
		out.excludeSlashTmp = v.excludeSlashTmp
	}
	if v.excludeTmpdirEnvVar != nil {
		out.excludeTmpdirEnvVar = v.excludeTmpdirEnvVar
	}
	return out
}

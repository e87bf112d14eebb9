package codex

import (
	"fmt"
	"path"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// config judges what a config.toml says of approvals.
func (l *linter) config() ([]lint.Finding, error) {
	root, err := filetree.TOML(l.in.File, l.in.Text)
	if err != nil {
		return nil, err
	}
	var out []lint.Finding
	add := func(id string, at evaluator.Source, message, instead string) {
		out = append(out, lint.New(id, at, message, instead))
	}
	approval, reviewer := root.Get("approval_policy"), root.Get("approvals_reviewer")
	if approval != nil && approval.Kind == policies.Scalar {
		switch approval.Text {
		case onRequest, never:
		case untrusted:
			add("invalid", approval.Source, "Codex doesn't start with approval_policy untrusted: only the app-server still takes it", "write on-request")
		case "on-failure":
			add("inert-setting", approval.Source, "approval_policy on-failure is read as on-request, without a word", "write on-request")
		default:
			add("invalid", approval.Source, fmt.Sprintf("unknown approval_policy %q", approval.Text), "write on-request or never")
		}
		if approval.Text == never && reviewer != nil && reviewer.Text != byUser {
			add("inert-setting", reviewer.Source, fmt.Sprintf("approvals_reviewer %s never acts: under approval_policy never nothing is put before a reviewer", reviewer.Text), "write approval_policy on-request, or approvals_reviewer user")
		}
	}
	if servers := root.Get("mcp_servers"); servers != nil {
		for _, s := range servers.Fields {
			out = append(out, approvals(s.Name, s.Value)...)
		}
	}
	return append(out, ignoredKeys(root)...), nil
}

// approvals finds tools of an MCP server that are never asked about: they run
// outside of the sandbox, under every approval policy.
func approvals(server string, n *policies.Node) []lint.Finding {
	var out []lint.Finding
	judge := func(what string, mode *policies.Node) {
		if mode != nil && mode.Text == "approve" {
			out = append(out, lint.New("wide-grant", mode.Source,
				fmt.Sprintf("%s runs unasked and outside of the sandbox, under approval_policy never and in a read-only sandbox, too", what), "write auto, writes or prompt"))
		}
	}
	judge("every tool of "+server, n.Get("default_tools_approval_mode"))
	if tools := n.Get("tools"); tools != nil {
		for _, t := range tools.Fields {
			judge(server+"/"+t.Name, t.Value.Get("approval_mode"))
		}
	}
	return out
}

// isConfig tells a config.toml from a file of rules.
func isConfig(name string) bool { return path.Ext(name) == ".toml" }

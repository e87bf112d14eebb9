package codex

import (
	"path"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/policies"
)

func placeOf(s evaluator.Source) string {
	return diag.Problem{File: s.File, Line: s.Line, Column: s.Column}.Place()
}

func (r *configReader) assume(what string) { r.assumed = append(r.assumed, what) }

func (r *configReader) lose(at evaluator.Source, message string, covers func(evaluator.Action) bool) {
	r.losses = append(r.losses, compiler.Loss{Source: at, Message: message, Covers: covers})
}

// values reads the merged configuration.
func (r *configReader) values(root *policies.Node) config {
	c := config{approval: root.Get("approval_policy"), reviewer: root.Get("approvals_reviewer"), sandbox: root.Get("sandbox_mode")}
	level := r.projects(root)
	c.settings.Approval = approvalPolicy{Word: onRequest}
	c.settings.Reviewer = byUser
	c.settings.Sandbox = "read-only"
	if level != "" {
		c.settings.Sandbox = "workspace-write"
	}
	if level == untrusted {
		c.settings.Approval.Word = untrusted
	}
	if c.approval != nil {
		c.settings.Approval = r.approvalPolicy(c.approval)
	}
	if c.reviewer != nil {
		if word, ok := r.Word(c.reviewer, "approvals_reviewer", byUser, byAutoReview, byGuardian); ok {
			c.settings.Reviewer = word
		}
	}
	if c.sandbox != nil {
		if word, ok := r.Word(c.sandbox, "sandbox_mode", "read-only", "workspace-write", "danger-full-access"); ok {
			c.settings.Sandbox = word
		}
	}
	write := root.Get("sandbox_workspace_write")
	if n := root.Get("default_permissions"); n != nil {
		c.sandbox, write = n, nil
		c.settings.Sandbox = r.permissionProfile(n)
	}
	c.settings.SandboxPolicy = sandboxPolicy{Type: sandboxTypes[c.settings.Sandbox]}
	if write != nil {
		r.workspaceWrite(write, &c.settings.SandboxPolicy)
	}
	r.chosen = c.sandbox != nil
	for _, f := range root.Fields {
		r.other(f)
	}
	return c
}

// projects checks the projects table and returns the workspace's level: "" for a
// project that isn't known, trusted, or untrusted.
func (r *configReader) projects(root *policies.Node) string {
	if table := root.Get("projects"); table != nil {
		for _, p := range r.Fields(table, "projects") {
			if n := p.Value.Get("trust_level"); n != nil {
				r.Word(n, "trust_level", "trusted", untrusted)
			}
		}
	}
	level, around := r.project(root)
	if level == "" && r.trusted && r.startTrusts == "" {
		return "trusted" // as a fact says, or as nobody denies
	}
	if _, given := r.raw["trustedProject"]; given {
		if r.trusted {
			return "trusted"
		}
		return strings.TrimPrefix(level, "trusted")
	}
	switch {
	case around != nil:
		r.assume("the workspace lies in the repository " + around.Name + ", which " + placeOf(around.Source) + " calls " + level)
	case level == "" && root.Get("sandbox_mode") == nil && root.Get("default_permissions") == nil:
		r.assume("the project " + r.workspace() + " isn't known to Codex, as no file speaks of it: its sandbox is read-only")
	}
	return level
}

// approvalPolicy reads a word or the granular table.
func (r *configReader) approvalPolicy(n *policies.Node) approvalPolicy {
	out := approvalPolicy{Word: onRequest}
	if n.Kind != policies.Mapping {
		word, _ := r.Word(n, "approval_policy", onRequest, never, "on-failure", untrusted)
		switch word {
		case untrusted:
			r.Refuse(n.Source, `approval_policy "untrusted" is no longer supported: Codex `+Version+" doesn't start with it, remove it")
		case "on-failure":
			r.assume("on-failure at " + placeOf(n.Source) + " is read as on-request, as Codex " + Version + " does")
		case never:
			out.Word = never
		}
		return out
	}
	g := n.Get(granular)
	if g == nil {
		r.Refuse(n.Source, "approval_policy must be on-request, never, or a table granular")
		return out
	}
	out.Word = granular
	flags := map[string]*bool{
		"sandbox_approval": &out.Granular.SandboxApproval, "rules": &out.Granular.Rules, "mcp_elicitations": &out.Granular.MCPElicitations,
		"request_permissions": &out.Granular.RequestPermissions, "skill_approval": &out.Granular.SkillApproval,
	}
	for _, f := range r.Fields(g, "approval_policy.granular") {
		if flag, ok := flags[f.Name]; ok {
			*flag, _ = r.Bool(f.Value, "approval_policy.granular."+f.Name)
			delete(flags, f.Name)
		} else {
			r.assume(f.Name + " at " + placeOf(f.Source) + " isn't known: Codex ignores it")
		}
	}
	for _, name := range []string{"sandbox_approval", "rules", "mcp_elicitations"} {
		if flags[name] != nil {
			r.Refuse(g.Source, "approval_policy.granular has no %s: Codex doesn't load it without", name)
		}
	}
	return out
}

// permissionProfile reads default_permissions, which comes before sandbox_mode and
// before sandbox_workspace_write (measured). Only the built-in profiles are known.
func (r *configReader) permissionProfile(n *policies.Node) string {
	name, _ := r.AnyText(n, "default_permissions")
	if word := permissionProfiles[name]; word != "" {
		return word
	}
	r.doubts = append(r.doubts, compiler.Doubt{Reason: "the permission profile " + name + " at " + placeOf(n.Source) + " says what may be read and written, and that isn't read here",
		About: func(a evaluator.Action, _ evaluator.Verdict) bool { return a.Kind != evaluator.Question }})
	r.lose(n.Source, "the permission profile "+name+": no policy says it", anything)
	return "read-only"
}

func anything(evaluator.Action) bool { return true }

func (r *configReader) workspaceWrite(n *policies.Node, p *sandboxPolicy) {
	for _, f := range r.Fields(n, "sandbox_workspace_write") {
		what := "sandbox_workspace_write." + f.Name
		var roots []string
		var network, tmp, tmpdir bool
		switch f.Name {
		case "writable_roots":
			roots = r.Texts(f.Value, what)
		case "network_access":
			network, _ = r.Bool(f.Value, what)
		case "exclude_slash_tmp":
			tmp, _ = r.Bool(f.Value, what)
		case "exclude_tmpdir_env_var":
			tmpdir, _ = r.Bool(f.Value, what)
		default:
			r.assume(f.Name + " at " + placeOf(f.Source) + " isn't known: Codex ignores it")
		}
		if p.Type != workspaceWrite {
			continue // checked, and without effect under another sandbox
		}
		for _, root := range roots {
			if !path.IsAbs(root) && !paths.Rooted(root) {
				r.Refuse(f.Value.Source, "the writable root %q can't be placed: give the file's path, or make it absolute", root)
			}
		}
		p.WritableRoots = append(p.WritableRoots, roots...)
		p.NetworkAccess = p.NetworkAccess || network
		p.ExcludeSlashTmp = p.ExcludeSlashTmp || tmp
		p.ExcludeTmpdirEnvVar = p.ExcludeTmpdirEnvVar || tmpdir
	}
}

package codex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// topKeys bear on permissions at the top of a config.toml, and nowhere else.
var topKeys = []string{"approval_policy", "approvals_reviewer", "sandbox_mode", "sandbox_workspace_write", "default_permissions"}

// bearingTables are the other keys at the top that bear on permissions.
var bearingTables = []string{"projects", "mcp_servers", "permissions", "features", "hooks", "web_search"}

// boxKeys are the keys of sandbox_workspace_write.
var boxKeys = []string{"network_access", "writable_roots", "exclude_slash_tmp", "exclude_tmpdir_env_var"}

// granularKeys are the keys of approval_policy.granular.
var granularKeys = []string{"sandbox_approval", "rules", "mcp_elicitations", "request_permissions", "skill_approval"}

// elsewhere are other keys that people write at the top, and where Codex reads what
// is meant.
var elsewhere = map[string]string{
	"sandbox": "sandbox_mode, or the table [sandbox_workspace_write]", "approval_mode": "approval_policy", "ask_for_approval": "approval_policy",
	"full_auto": "approval_policy and sandbox_mode", "trust_level": `trust_level under [projects."/the/project"]`,
	"default_tools_approval_mode": "default_tools_approval_mode under [mcp_servers.NAME]",
	"sandbox_approval":            "sandbox_approval in approval_policy.granular", "mcp_elicitations": "mcp_elicitations in approval_policy.granular",
	"request_permissions": "request_permissions in approval_policy.granular", "skill_approval": "skill_approval in approval_policy.granular",
}

// free are tables whose keys are people's own: variables, headers, whatever a
// program wants. Profiles of permissions have keys of their own.
var free = keys("env set http_headers env_http_headers query_params headers desktop permissions apps plugins")

// ignoredKeys finds keys that were to bear on permissions and that Codex 0.171.0
// passes over. It says so in a warning at the start, of three keys at the most, and
// not a word of those under tui, hooks, agents, profiles and approval_policy.granular
// (measured: TestLiveIgnoredKeys).
func ignoredKeys(root *policies.Node) []lint.Finding {
	k := &keyJudge{}
	for _, f := range root.AllFields() {
		switch {
		case slices.Contains(topKeys, f.Name), slices.Contains(bearingTables, f.Name), configKeys[f.Name]:
		case slices.Contains(boxKeys, f.Name):
			k.add(f.Source, f.Name, "at the top", f.Name+" under [sandbox_workspace_write]")
		case elsewhere[f.Name] != "":
			k.add(f.Source, f.Name, "at the top", elsewhere[f.Name])
		default:
			k.near(f, "at the top", append(slices.Clone(topKeys), bearingTables...))
		}
		k.table(f.Name, f.Value)
	}
	k.each("approval_policy.granular", root.Get("approval_policy").Get(granular), granularKeys)
	k.each("sandbox_workspace_write", root.Get("sandbox_workspace_write"), boxKeys)
	for _, p := range root.Get("projects").AllFields() {
		k.each("a project", p.Value, []string{"trust_level"})
	}
	for _, s := range root.Get("mcp_servers").AllFields() {
		k.each("an MCP server", s.Value, []string{"default_tools_approval_mode", "enabled_tools", "disabled_tools"})
		for _, t := range s.Value.Get("tools").AllFields() {
			k.each("a tool of an MCP server", t.Value, []string{"approval_mode"})
		}
	}
	k.each("hooks", root.Get("hooks"), []string{"PreToolUse", "PermissionRequest"})
	k.each("features", root.Get("features"), []string{"request_permissions_tool", "default_mode_request_user_input"})
	return k.found
}

// keyJudge collects what is ignored.
type keyJudge struct{ found []lint.Finding }

func (k *keyJudge) add(at evaluator.Source, name, where, instead string) {
	k.found = append(k.found, lint.New("ignored-key", at,
		fmt.Sprintf("Codex doesn't read %q %s: what it says is never in force", name, where), "write "+instead))
}

// near judges a key by the names that it may have been meant for.
func (k *keyJudge) near(f policies.Field, where string, known []string) {
	if meant := lint.Near(f.Name, known...); meant != "" {
		k.add(f.Source, f.Name, where, meant)
	}
}

// each judges the keys of a table that has these.
func (k *keyJudge) each(what string, table *policies.Node, known []string) {
	for _, f := range table.AllFields() {
		if !slices.Contains(known, f.Name) {
			k.near(f, "in "+what, known)
		}
	}
}

// table finds keys of the top, and of sandbox_workspace_write, in another table: as
// a rule one whose header stands above the key by mistake.
func (k *keyJudge) table(name string, n *policies.Node) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if free[last] || n == nil {
		return
	}
	for _, f := range n.AllFields() {
		switch where := "in the table " + name; {
		case name == "profiles":
			k.profile(f)
			continue
		case name == "features" && f.Value.Quoted: // Codex refuses the whole file
		case slices.Contains(topKeys, f.Name):
			k.add(f.Source, f.Name, where, f.Name+" above the first table")
			continue
		case slices.Contains(boxKeys, f.Name) && name != "sandbox_workspace_write":
			k.add(f.Source, f.Name, where, f.Name+" under [sandbox_workspace_write]")
		}
		k.table(name+"."+f.Name, f.Value)
	}
	for _, item := range n.Items {
		k.table(name, item)
	}
}

// profile speaks of a profile that bears on permissions: Codex reads none here.
func (k *keyJudge) profile(p policies.Field) {
	for _, f := range p.Value.AllFields() {
		if slices.Contains(topKeys, f.Name) {
			k.add(f.Source, f.Name, "in the table profiles."+p.Name+", as profiles aren't read here", "it at the top of "+p.Name+".config.toml, and start with --profile "+p.Name)
		}
	}
}

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

// other reads the keys that aren't approval, sandbox or reviewer.
func (r *configReader) other(f policies.Field) {
	switch f.Name {
	case "approval_policy", "approvals_reviewer", "sandbox_mode", "sandbox_workspace_write", "default_permissions", "projects":
	case "profile":
		r.Refuse(f.Source, "profile is no longer supported: Codex %s doesn't load the file; use --profile with a file NAME.config.toml", Version)
	case "profiles":
		r.assume("profiles at " + placeOf(f.Source) + " aren't read: Codex " + Version + " takes a profile from NAME.config.toml")
	case "mcp_servers":
		r.servers(f.Value)
	case "web_search":
		r.webSearch(f)
	case "features":
		r.features(f.Value)
	case "hooks":
		r.hooks(f)
	case "plugins", "apps":
		r.assume(f.Name + " at " + placeOf(f.Source) + " bring no hook")
	default:
		if !configKeys[f.Name] {
			r.assume(f.Name + " at " + placeOf(f.Source) + " isn't known: Codex ignores it")
		}
	}
}

func (r *configReader) webSearch(f policies.Field) {
	word, ok := r.Word(f.Value, "web_search", "disabled", "cached", "indexed", "live")
	if word == "indexed" {
		word = "cached" // without access to the web, both
	}
	if _, given := r.raw["webSearch"]; ok && !given {
		r.set("webSearch", word)
	}
	r.lose(f.Source, "web_search: no policy of Codex's says it", func(a evaluator.Action) bool { return a.Kind == evaluator.WebSearch })
}

// features are Codex's switches; two of them bear on what is asked.
func (r *configReader) features(n *policies.Node) {
	for _, f := range r.Fields(n, "features") {
		fact := map[string]string{"default_mode_request_user_input": "defaultModeRequestUserInput", "request_permissions_tool": "requestPermissions"}[f.Name]
		if fact == "" {
			continue
		}
		on, _ := r.Bool(f.Value, "features."+f.Name)
		if _, given := r.raw[fact]; !given {
			r.set(fact, on)
		}
		r.lose(f.Source, "features."+f.Name+": no policy says it", func(a evaluator.Action) bool {
			return a.Kind == evaluator.Question || a.Kind == evaluator.Native
		})
	}
}

// hooks are programs whose answers aren't in the file.
func (r *configReader) hooks(f policies.Field) {
	for _, event := range r.Fields(f.Value, "hooks") {
		switch event.Name {
		case "PermissionRequest":
			r.set("permissionHook", true)
		case "PreToolUse":
			r.doubts = append(r.doubts, compiler.Doubt{Reason: "the PreToolUse hook at " + placeOf(event.Source) + " may stop it, and what it says isn't known",
				About: func(_ evaluator.Action, v evaluator.Verdict) bool { return v.Effect != evaluator.Deny }})
		}
	}
	r.lose(f.Source, "hooks: a policy has none", anything)
}

// servers reads what MCP servers' tools need approval for.
func (r *configReader) servers(n *policies.Node) {
	approval := map[string]string{}
	for name, mode := range r.facts.MCPApproval {
		approval[name] = mode
	}
	given := len(approval) > 0
	for _, s := range r.Fields(n, "mcp_servers") {
		mode := func(name string, n *policies.Node) {
			word, ok := r.Word(n, "approval mode of "+name, mcpModes...)
			if ok && !given {
				approval[name] = word
			}
			r.lose(n.Source, "the approval mode of "+name+": no policy of Codex's says it", ofServer(s.Name))
		}
		if n := s.Value.Get("default_tools_approval_mode"); n != nil {
			mode(s.Name, n)
		}
		for _, t := range s.Value.Get("tools").AllFields() {
			if n := t.Value.Get("approval_mode"); n != nil {
				mode(s.Name+"/"+t.Name, n)
			}
		}
		for _, name := range []string{"enabled", "enabled_tools", "disabled_tools"} {
			n := s.Value.Get(name)
			if n == nil || name == "enabled" && n.Text == "true" {
				continue
			}
			covers := ofServer(s.Name)
			r.doubts = append(r.doubts, compiler.Doubt{Reason: name + " at " + placeOf(n.Source) + " takes tools of the server away, and which isn't looked at",
				About: func(a evaluator.Action, v evaluator.Verdict) bool { return v.Effect != evaluator.Deny && covers(a) }})
			r.lose(n.Source, name+" of the server "+s.Name+": no policy says it", covers)
		}
	}
	r.set("mcpApproval", approval)
}

func ofServer(name string) func(evaluator.Action) bool {
	return func(a evaluator.Action) bool {
		return a.Kind == evaluator.MCPTool && a.Server == name || a.Kind == evaluator.Native
	}
}

// configKeys are keys of config.toml that change no decision (the names that
// 0.171.0 carries, source read 2026-11-30).
var configKeys = keys(`agents allow_login_shell allow_symlinked_codex_home analytics apps_mcp_product_sku audio auto_review
	background_terminal_max_timeout browser_use check_for_update_on_startup chatgpt_base_url cli_auth_credentials_store cloud
	code_mode compact_prompt computer_use desktop developer_instructions disable_paste_burst
	experimental_compact_prompt_file experimental_use_unified_exec_tool feedback file_opener forced_chatgpt_workspace_id
	forced_login_method ghost_snapshot goals hide_agent_reasoning history include_apps_instructions
	include_collaboration_mode_instructions include_environment_context include_permissions_instructions instructions
	js_repl_node_module_dirs js_repl_node_path log_dir mcp_enterprise_managed_auth mcp_oauth_callback_port
	mcp_oauth_callback_url mcp_oauth_credentials_store mcp_optional_startup_grace_ms memories model model_auto_compact_token_limit
	model_auto_compact_token_limit_scope model_catalog_json model_context_window model_instructions_file
	model_post_turn_compact_threshold_percent model_provider model_providers model_reasoning_effort
	model_reasoning_summary model_supports_reasoning_summaries model_verbosity notice notify openai_base_url orchestrator oss_provider otel permissions
	personality plan_mode_reasoning_effort project_doc_fallback_filenames project_doc_max_bytes project_root_markers
	responses responses_api_metadata review_model rollout_trace service_tier shell_environment_policy
	show_raw_agent_reasoning skills sqlite_home suppress_unstable_features_warning thread_unload_delay_secs
	tool_output_token_limit tool_suggest tools tui windows`)

func keys(names string) map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		out[name] = true
	}
	return out
}

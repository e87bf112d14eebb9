package codex

import (
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

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
	case "plugins":
		r.plugins(f)
	case "permissions":
		r.profiles(f.Value)
	case "apps":
		r.assume("apps at " + placeOf(f.Source) + " bring no hook")
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

// measuredFeatures are switches that bear on decisions, as they were when those were
// measured: as 0.171.0 has them when nobody sets them.
var measuredFeatures = map[string]string{
	"code_mode": "false", "code_mode_only": "false", "exec_permission_approvals": "false", "guardianv2": "false", "guardianv3": "false",
	"network_proxy": "false", "use_legacy_landlock": "false", "web_search_cached": "false", "web_search_request": "false",
	"guardian_approval": "true", "shell_tool": "true", "unified_exec": "true", "write_stdin_approval": "true",
}

// features are Codex's switches. Two that bear on what is asked were measured both
// ways.
func (r *configReader) features(n *policies.Node) {
	for _, f := range r.Fields(n, "features") {
		if f.Value.Quoted {
			r.Refuse(f.Value.Source, "features.%s must be true or false, without quotes: Codex doesn't load the file", f.Name)
			continue
		}
		fact := map[string]string{"default_mode_request_user_input": "defaultModeRequestUserInput", "request_permissions_tool": "requestPermissions"}[f.Name]
		if fact == "" {
			r.otherFeature(f)
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

func (r *configReader) otherFeature(f policies.Field) {
	measured, bears := measuredFeatures[f.Name]
	switch n := f.Value; {
	case !bears:
		r.assume("features." + f.Name + " at " + placeOf(f.Source) + " changes no decision")
	case n.Quoted || n.Text != measured:
		r.doubts = append(r.doubts, compiler.Doubt{Reason: "features." + f.Name + " at " + placeOf(f.Source) + " changes what was measured, and how isn't known",
			About: func(a evaluator.Action, _ evaluator.Verdict) bool { return a.Kind != evaluator.Question }})
		r.lose(f.Source, "features."+f.Name+": no policy says it", anything)
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

// profiles checks the tables of permission profiles, whose content isn't read here:
// default_permissions chooses one, and without it, and without sandbox_mode, Codex
// starts no thread (measured).
func (r *configReader) profiles(n *policies.Node) {
	all := r.Fields(n, "permissions")
	for _, p := range all {
		if p.Value.Kind != policies.Mapping {
			r.Refuse(p.Value.Source, "permissions.%s must be a table, a profile of permissions: Codex doesn't load the file", p.Name)
		}
	}
	if len(all) > 0 && !r.chosen {
		r.Refuse(n.Source, "permissions defines profiles, and nothing sets default_permissions or sandbox_mode: Codex doesn't load the file")
	}
}

// plugins may bring hooks, which aren't in the file.
func (r *configReader) plugins(f policies.Field) {
	for _, p := range r.Fields(f.Value, "plugins") {
		if on := p.Value.Get("enabled"); on != nil && !on.Quoted && on.Text == "false" {
			continue
		}
		r.doubts = append(r.doubts, compiler.Doubt{Reason: "a hook of the plugin at " + placeOf(p.Source) + " may stop or allow it, and what it says isn't known",
			About: func(_ evaluator.Action, v evaluator.Verdict) bool { return v.Effect != evaluator.Deny }})
		r.lose(p.Source, "plugins: a policy has none", anything)
	}
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

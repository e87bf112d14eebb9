package codex_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/internal/livebin"
)

// ignored are files with keys that were to bear on permissions, by what is to be
// written instead. The real app-server starts a thread in all of them as if the keys
// weren't there.
var ignored = map[string]string{
	`aproval_policy = "never"`:                                          "approval_policy",
	`approval-policy = "never"`:                                         "approval_policy",
	`Approval_Policy = "never"`:                                         "approval_policy",
	`approval_mode = "never"`:                                           "approval_policy",
	`ask_for_approval = "never"`:                                        "approval_policy",
	`sandbox = "danger-full-access"`:                                    "sandbox_mode, or the table [sandbox_workspace_write]",
	`default_permission = ":danger-full-access"`:                        "default_permissions",
	`network_access = true`:                                             "network_access under [sandbox_workspace_write]",
	`writable_roots = ["/opt"]`:                                         "writable_roots under [sandbox_workspace_write]",
	`trust_level = "untrusted"`:                                         `trust_level under [projects."/the/project"]`,
	"[sandbox_workspace_writ]\nnetwork_access = true":                   "network_access under [sandbox_workspace_write]; sandbox_workspace_write",
	"[sandbox_workspace_write]\nnetwork_acces = true":                   "network_access",
	"[sandbox_workspace_write]\napproval_policy = \"never\"":            "approval_policy above the first table",
	"[history]\npersistence = \"none\"\napproval_policy = \"never\"":    "approval_policy above the first table",
	"[tui]\napproval_policy = \"never\"":                                "approval_policy above the first table",
	"[tools]\nnetwork_access = true":                                    "network_access under [sandbox_workspace_write]",
	"[shell_environment_policy]\nsandbox_mode = \"danger-full-access\"": "sandbox_mode above the first table",
	"[mcp_servers.x]\ncommand = \"true\"\nenabled = false\napproval_policy = \"never\"\n[mcp_servers.x.sandbox_workspace_write]\nnetwork_access = true": "approval_policy above the first table; sandbox_workspace_write above the first table",
	"[mcp_servers.x]\ncommand = \"true\"\nenabled = false\ndefault_tool_approval_mode = \"prompt\"\n[mcp_servers.x.tools.y]\naproval_mode = \"prompt\"": "default_tools_approval_mode; approval_mode",
	"[model_providers.x]\nname = \"x\"\nbase_url = \"http://127.0.0.1:1\"\napproval_policy = \"never\"":                                                 "approval_policy above the first table",
	"[agents.worker]\ndescription = \"d\"\napproval_policy = \"never\"":                                                                                 "approval_policy above the first table",
	"[profiles.fast]\napproval_policy = \"never\"":                                                                                                      "it at the top of fast.config.toml, and start with --profile fast",
	"[projects.\"${BASE}/else\"]\ntrust_leve = \"untrusted\"":                                                                                           "trust_level",
	"[features]\nrequest_permission_tool = true":                                                                                                        "request_permissions_tool",
	"[features]\nnetwork_access = true":                                                                                                                 "network_access under [sandbox_workspace_write]",
	"[hooks]\n[[hooks.PreToolUs]]\nmatcher = \"x\"":                                                                                                     "PreToolUse",
	"[hook]\n[[hook.PreToolUse]]\nmatcher = \"x\"":                                                                                                      "hooks",
}

func findings(t *testing.T, text string) string {
	t.Helper()
	l, ok := codex.New().(lint.Linter)
	if !ok {
		t.Fatal("the dialect finds nothing")
	}
	var out []string
	for _, f := range lint.File(l, "config.toml", []byte(text), compiler.Setting{}) {
		if f.Line == 0 || f.Column == 0 {
			t.Errorf("%s: %+v has no place", text, f)
		}
		if f.Rule != "ignored-key" || f.Severity != lint.Error {
			t.Errorf("%s: %s %s: %s", text, f.Severity, f.Rule, f.Message)
		}
		out = append(out, strings.TrimPrefix(f.Instead, "write "))
	}
	return strings.Join(out, "; ")
}

func TestIgnoredKeys(t *testing.T) {
	for text, want := range ignored {
		if got := findings(t, text); !sameSet(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	granular := `approval_policy = {granular = {sandbox_approval = true, rules = true, mcp_elicitations = true, skill_aproval = true}}`
	if got := findings(t, granular); got != "skill_approval" {
		t.Error(got)
	}
}

func sameSet(got, want string) bool {
	a, b := strings.Split(got, "; "), strings.Split(want, "; ")
	for _, s := range b {
		if !strings.Contains(got, s) {
			return false
		}
	}
	return len(a) == len(b)
}

// fullConfig is a file with much in it, and nothing that is ignored of what bears on
// permissions.
const fullConfig = `model = "gpt-5"
model_reasoning_effort = "high"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
notify = ["notify-send"]
file_opener = "vscode"
hide_agent_reasoning = true
theme = "dark"
approved = 1
project_doc_max_bytes = 100
web_search = "cached"
[sandbox_workspace_write]
network_access = true
writable_roots = ["/opt"]
[history]
persistence = "none"
[tui]
notifications = true
theme = "x"
[features]
unified_exec = true
[shell_environment_policy]
inherit = "core"
[shell_environment_policy.set]
approval_policy = "x"
network_access = "1"
[mcp_servers.docs]
command = "docs"
args = ["--sandbox"]
startup_timeout_sec = 3
enabled_tools = ["a"]
enabled = false
[mcp_servers.docs.env]
sandbox_mode = "x"
[mcp_servers.docs.tools.search]
approval_mode = "prompt"
[model_providers.x]
name = "x"
base_url = "http://127.0.0.1:1"
[model_providers.x.http_headers]
default_permissions = "x"
[projects."/srv/app"]
trust_level = "trusted"
[otel]
environment = "dev"
[notice]
hide_full_access_warning = true
[windows]
sandbox = "elevated"
[agents.worker]
description = "d"
[hooks]
[[hooks.PostToolUse]]
matcher = "x"
[desktop]
sandbox_mode = "x"
`

func TestUnrelatedKeys(t *testing.T) {
	if got := findings(t, fullConfig); got != "" {
		t.Error(got)
	}
}

// TestLiveIgnoredKeys starts the real app-server on each of the files.
func TestLiveIgnoredKeys(t *testing.T) {
	bin := livebin.Need(t, livebin.Codex)
	const first = "sandbox_mode = \"workspace-write\"\n"
	start := func(text string) string {
		a := &agent{t: t, base: newBase(t, "")}
		write(t, filepath.Join(a.base, "home", ".codex", "config.toml"), strings.ReplaceAll(text, "${BASE}", a.base))
		result, refused := threadStart(t, bin, a, filepath.Join(a.base, "ws"))
		if refused != "" {
			return refused
		}
		var s started
		if err := json.Unmarshal(result, &s); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(out), a.base, "${BASE}")
	}
	want := start(first)
	for text := range ignored {
		if diff := cmp.Diff(want, start(first+text)); diff != "" {
			t.Errorf("%s isn't ignored: %s", text, diff)
		}
	}
	if start(first+`approval_policy = "never"`) == want {
		t.Error("what isn't ignored makes no difference")
	}
	if got := start(fullConfig); !strings.HasPrefix(got, "{") {
		t.Error(got)
	}
	for text, why := range map[string]string{
		"[features]\napproval_policy = \"never\"":    "expected a boolean",
		"[permissions]\napproval_policy = \"never\"": "expected struct PermissionProfileToml",
		"[permissions.x.network]\nenabled = true":    "does not set `default_permissions`",
	} {
		if got := start(text); !strings.Contains(got, why) {
			t.Errorf("%s: %s", text, got)
		}
		c := settingsCase{Files: map[string]string{"home/.codex/config.toml": text}}
		if _, err := c.read(t, "/base"); err == nil || !strings.Contains(err.Error(), "Codex doesn't load the file") {
			t.Errorf("%s: we say %v", text, err)
		}
	}
}

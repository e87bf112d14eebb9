package codex

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/modegate/modegate/internal/strictjson"
)

// facts are what Codex knows and the settings don't say: Env.Facts.
type facts struct {
	// Rule files that are there already, beside ours; a project's count when the
	// project is trusted.
	UserRules    []ruleFile `json:"userRules"`
	ProjectRules []ruleFile `json:"projectRules"`
	Trusted      bool       `json:"trustedProject"`
	// Shell is the user's shell, /bin/bash when empty.
	Shell string `json:"shell"`
	// AgentFolder is where the app-server was started. A relative program path is
	// looked up from there among a host_executable's paths, not from where the
	// command runs.
	AgentFolder string `json:"agentFolder"`
	// TmpDir is the agent's $TMPDIR, which is writable like /tmp.
	TmpDir string `json:"tmpDir"`
	// WritableRoots are further folders that a turn may write, those that the
	// user's configuration adds, for example.
	WritableRoots []string `json:"writableRoots"`
	// MCPApproval gives the approval_mode of the configuration, by "server" or
	// "server/tool"; auto when there is none.
	MCPApproval map[string]string `json:"mcpApproval"`
	// WebSearch is the configuration's web_search: disabled, cached or live (Codex's
	// documentation; only its absence was measured).
	WebSearch string `json:"webSearch"`
	// Features that are off unless the configuration turns them on.
	RequestPermissions   bool `json:"requestPermissions"`
	DefaultModeUserInput bool `json:"defaultModeRequestUserInput"`
	// PermissionHook says that a PermissionRequest hook is installed: it answers
	// before the reviewer and the person (source; not measured).
	PermissionHook bool `json:"permissionHook"`
}

// ruleFile is one file of a rules folder.
type ruleFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// defaultShell is the shell of the machine that was measured.
const defaultShell = "/bin/bash"

func readFacts(data []byte) (facts, error) {
	var f facts
	if len(data) > 0 {
		if err := strictjson.Decode(data, &f); err != nil {
			return f, fmt.Errorf("facts: %w", err)
		}
	}
	for name, mode := range f.MCPApproval {
		if !slices.Contains(mcpModes, mode) {
			return f, fmt.Errorf("facts: unknown approval mode %q of %s: use auto, prompt, writes or approve", mode, name)
		}
	}
	if !slices.Contains([]string{"", "disabled", "cached", "live"}, f.WebSearch) {
		return f, fmt.Errorf("facts: unknown webSearch %q: use disabled, cached or live", f.WebSearch)
	}
	for _, root := range append(slices.Clone(f.WritableRoots), cmp.Or(f.TmpDir, "/"), cmp.Or(f.Shell, "/"), cmp.Or(f.AgentFolder, "/")) {
		if !path.IsAbs(root) {
			return f, fmt.Errorf("facts: %q isn't an absolute path", root)
		}
	}
	return f, nil
}

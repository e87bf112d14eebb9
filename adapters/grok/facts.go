package grok

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// facts are the surroundings that only Grok's dialect understands.
type facts struct {
	// PermissionMode is [ui] permission_mode of ~/.grok/config.toml. Only ask,
	// auto and always-approve have an effect.
	PermissionMode string `json:"permissionMode"`
	// ClaudeMode is permissions.defaultMode of ~/.claude/settings.json, which
	// Grok reads as its own.
	ClaudeMode string `json:"claudeDefaultMode"`
	// ProjectClaudeMode is the same of the project's .claude/settings.json. It
	// counts in a trusted folder only.
	ProjectClaudeMode string `json:"projectClaudeDefaultMode"`
	// AlwaysLocked says that a requirements.toml has
	// disable_bypass_permissions_mode: always-approve then isn't switched on.
	AlwaysLocked bool `json:"alwaysApproveLocked"`
	// Trusted says whether the folder is trusted. Rules of an untrusted project
	// are skipped without a word.
	Trusted *bool `json:"trusted"`
	// Rules are the permission rules of the user and the project.
	Rules []fileRule `json:"rules"`
	// PlanMode says that the session is in Grok's own plan mode: after
	// session/set_mode plan, or after the model called enter_plan_mode.
	PlanMode bool `json:"planMode"`
}

// fileRule is one rule of a settings file, in the text form of Grok and Claude.
type fileRule struct {
	Layer  string           `json:"layer"`
	Effect evaluator.Effect `json:"effect"`
	Rule   string           `json:"rule"` // Bash(git *), Read(src/**), Edit, …
}

// The layers of rules. Those of the project count in a trusted folder only.
const (
	userLayer          = "user"           // ~/.grok/config.toml
	claudeUserLayer    = "claude-user"    // ~/.claude/settings.json
	projectLayer       = "project"        // .grok/config.toml
	claudeProjectLayer = "claude-project" // .claude/settings.json
	argvLayer          = "argv"           // --deny, which isn't applied
)

var layers = []string{userLayer, claudeUserLayer, projectLayer, claudeProjectLayer}

// readFacts decodes the facts strictly. An unknown key, mode or layer is an error.
func readFacts(raw jsontext.Value) (facts, error) {
	var f facts
	if len(raw) == 0 {
		return f, nil
	}
	if err := strictjson.Decode(raw, &f); err != nil {
		return f, fmt.Errorf("facts: %w", err)
	}
	known := []string{"", "default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan"}
	for _, mode := range []string{f.ClaudeMode, f.ProjectClaudeMode} {
		if !slices.Contains(known, mode) {
			return f, fmt.Errorf("facts: unknown defaultMode %q: use %s", mode, strings.Join(known[1:], ", "))
		}
	}
	for i, r := range f.Rules {
		if !slices.Contains(layers, r.Layer) {
			return f, fmt.Errorf("facts: rules.%d: unknown layer %q: use %s", i, r.Layer, strings.Join(layers, ", "))
		}
		if r.Effect != evaluator.Allow && r.Effect != evaluator.Ask && r.Effect != evaluator.Deny {
			return f, fmt.Errorf("facts: rules.%d: a rule of Grok can't have effect %q: use allow, ask, deny", i, r.Effect)
		}
		if r.Rule == "" {
			return f, errors.New("facts: a rule has no text")
		}
	}
	return f, nil
}

// assumed lists what is taken instead of facts that are missing.
func assumed(raw jsontext.Value, f facts) []string {
	if len(raw) == 0 {
		return []string{"the user's Grok and Claude settings have no permission mode and no rules", "the folder is trusted"}
	}
	if f.Trusted == nil {
		return []string{"the folder is trusted"}
	}
	return nil
}

func (f facts) projectClaudeMode() string {
	if f.trusted() {
		return f.ProjectClaudeMode
	}
	return ""
}

func (f facts) trusted() bool { return f.Trusted == nil || *f.Trusted }

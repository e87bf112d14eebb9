package live

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// facts are the facts that can be written into the settings files of a home.
type facts struct {
	PermissionMode string `json:"permissionMode"`
	ClaudeMode     string `json:"claudeDefaultMode"`
	PlanMode       bool   `json:"planMode"`
	Rules          []struct {
		Layer  string `json:"layer"`
		Effect string `json:"effect"`
		Rule   string `json:"rule"`
	} `json:"rules"`
	Trusted *bool  `json:"trusted"`
	Locked  bool   `json:"alwaysApproveLocked"`
	Project string `json:"projectClaudeDefaultMode"`
}

// write puts the facts into the files that Grok reads them from.
func (f facts) write(p place) error {
	grokRules, claudeRules := map[string]map[string][]string{}, map[string]map[string][]string{}
	for _, r := range f.Rules {
		to, folder := grokRules, p.home
		if strings.HasPrefix(r.Layer, "claude") {
			to = claudeRules
		}
		if strings.Contains(r.Layer, "project") {
			folder = p.project
		}
		if to[folder] == nil {
			to[folder] = map[string][]string{}
		}
		to[folder][r.Effect] = append(to[folder][r.Effect], r.Rule)
	}
	for _, folder := range []string{p.home, p.project} {
		var toml strings.Builder
		if folder == p.home && f.PermissionMode != "" {
			toml.WriteString("[ui]\npermission_mode = \"" + f.PermissionMode + "\"\n")
		}
		if folder == p.home && f.Trusted != nil && *f.Trusted {
			toml.WriteString("[folder_trust]\nenabled = false\n")
		}
		if rules := grokRules[folder]; rules != nil {
			toml.WriteString("[permission]\n")
			for effect, list := range rules {
				b, err := json.Marshal(list)
				if err != nil {
					return err
				}
				toml.WriteString(effect + " = " + string(b) + "\n")
			}
		}
		if toml.Len() > 0 {
			if err := write(filepath.Join(folder, ".grok/config.toml"), toml.String()); err != nil {
				return err
			}
		}
		permissions := map[string]any{}
		for effect, list := range claudeRules[folder] {
			permissions[effect] = list
		}
		mode := f.ClaudeMode
		if folder == p.project {
			mode = f.Project
		}
		if mode != "" {
			permissions["defaultMode"] = mode
		}
		if len(permissions) > 0 {
			b, err := json.Marshal(map[string]any{"permissions": permissions})
			if err != nil {
				return err
			}
			if err := write(filepath.Join(folder, ".claude/settings.json"), string(b)); err != nil {
				return err
			}
		}
	}
	if f.Locked {
		if err := write(filepath.Join(p.home, ".grok/requirements.toml"), "[ui]\ndisable_bypass_permissions_mode = true\n"); err != nil {
			return err
		}
	}
	return nil
}

package claude

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/strictjson"
)

// Facts are what this dialect reads from an Env's facts: what a Claude session
// stands on besides the settings that it is given. Every one may be missing.
type Facts struct {
	Model                 string                          `json:"model"`
	Trusted               *bool                           `json:"trusted"`               // the project's trust dialog was accepted
	ConfigDir             string                          `json:"configDir"`             // CLAUDE_CONFIG_DIR; ~/.claude when empty
	Root                  bool                            `json:"root"`                  // the process runs as root
	PlanFile              string                          `json:"planFile"`              // this session's own plan file
	AdditionalDirectories []string                        `json:"additionalDirectories"` // of the inline settings
	Args                  []string                        `json:"args"`                  // further command line
	SettingSources        *string                         `json:"settingSources"`        // --setting-sources
	Managed               *Settings                       `json:"managed"`               // managed settings
	Sources               []SettingsSource                `json:"sources"`               // settings of other layers
	Files                 map[string]jsontext.Value       `json:"files"`                 // settings, trust and skill files by absolute path: text, or JSON
	Folders               []string                        `json:"folders"`               // paths that are folders, where it matters
	Hooks                 []HookResult                    `json:"hooks"`                 // what each hook answered
	MCP                   map[string]map[string]ToolFacts `json:"mcp"`                   // what servers say of their tools
	Env                   map[string]string               `json:"env"`                   // environment of the process: IS_SANDBOX counts
}

// SettingsSource is the settings of one layer.
type SettingsSource struct {
	Layer    Layer    `json:"layer"`
	Folder   string   `json:"folder"` // what a pattern with one leading slash is relative to
	Settings Settings `json:"settings"`
}

// Settings is the part of a settings file that permissions depend on.
type Settings struct {
	Permissions                     SettingsPermissions `json:"permissions"`
	AllowManagedPermissionRulesOnly bool                `json:"allowManagedPermissionRulesOnly"`
	DisableAutoMode                 string              `json:"disableAutoMode"` // as in permissions
}

// SettingsPermissions is the permissions key of a settings file.
type SettingsPermissions struct {
	Permissions                  `json:",inline"`
	DefaultMode                  *SettingsMode `json:"defaultMode"`
	AdditionalDirectories        []string      `json:"additionalDirectories"`
	DisableBypassPermissionsMode string        `json:"disableBypassPermissionsMode"`
	DisableAutoMode              string        `json:"disableAutoMode"`
	DenyInsteadOfPrompting       bool          `json:"denyInsteadOfPrompting"` // not in 2.1.197
}

// ToolFacts is what an MCP server says of a tool.
type ToolFacts struct {
	ReadOnlyHint bool            `json:"readOnlyHint"`
	Meta         map[string]bool `json:"_meta"`
}

const needsUser = "anthropic/requiresUserInteraction"

// HookResult is what one hook answered.
type HookResult struct {
	Event   string     `json:"event"`
	Matcher string     `json:"matcher"`
	Exit    int        `json:"exit"`
	Output  HookOutput `json:"output"`
}

// HookOutput is the JSON that a hook printed.
type HookOutput struct {
	Decision string                    `json:"decision"` // the older form: approve or block
	Specific map[string]jsontext.Value `json:"hookSpecificOutput"`
}

func decodeFacts(raw jsontext.Value) (Facts, error) {
	var f Facts
	if len(raw) == 0 {
		return f, nil
	}
	if err := strictjson.Decode(raw, &f); err != nil {
		return f, fmt.Errorf("facts: %w", err)
	}
	for _, s := range f.Sources {
		if !slices.Contains([]Layer{ManagedLayer, UserLayer, ProjectLayer, LocalLayer, FlagLayer, ArgLayer, SessionLayer}, s.Layer) {
			return f, fmt.Errorf("facts: unknown layer %q", s.Layer)
		}
	}
	return f, nil
}

// file returns the text of a file that the facts give.
func (f Facts) file(path string) ([]byte, bool) {
	raw, ok := f.Files[path]
	if !ok {
		return nil, false
	}
	if raw.Kind() == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		return []byte(text), true
	}
	return raw, true
}

// settings reads a settings file. Other keys than those of permissions are other
// people's business; a file that isn't JSON is an error, for Claude doesn't
// start with it as it would without it.
func (f Facts) settings(path string) (*Settings, error) {
	data, ok := f.file(path)
	if !ok {
		return nil, nil
	}
	var s Settings
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("facts: %s: %w", path, err)
	}
	return &s, nil
}

// flags are the options of the command line that change permissions.
type flags struct {
	settings   string
	allowed    []string
	disallowed []string
	dirs       []string
	bypass     bool // --allow-dangerously-skip-permissions
	mode       *Mode
	noPrompts  bool // --permission-prompts none
}

// readFlags reads a command line. An option that isn't known may change what is
// said here, so that it is an error.
func readFlags(args []string) (flags, error) {
	var f flags
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		next := func() string {
			if !joined && i+1 < len(args) {
				i++
				value = args[i]
			}
			return value
		}
		list := func() []string {
			if joined {
				return splitRules(value)
			}
			var out []string
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
				i++
				out = append(out, splitRules(args[i])...)
			}
			return out
		}
		switch name {
		case "--settings":
			f.settings = next()
		case "--allowedTools", "--allowed-tools":
			f.allowed = append(f.allowed, list()...)
		case "--disallowedTools", "--disallowed-tools":
			f.disallowed = append(f.disallowed, list()...)
		case "--add-dir":
			f.dirs = append(f.dirs, list()...)
		case "--allow-dangerously-skip-permissions":
			f.bypass = true
		case "--permission-mode":
			m := new(Mode)
			if err := m.UnmarshalText([]byte(next())); err != nil {
				return f, err
			}
			f.mode = m
		case "--dangerously-skip-permissions":
			m := Bypass
			f.mode = &m
		case "--permission-prompts":
			f.noPrompts = next() == "none"
		case "--mcp-config", "--model":
			next()
		case "--strict-mcp-config":
		default:
			return f, errors.New("facts: the effect of the option " + name + " isn't known")
		}
	}
	return f, nil
}

// splitRules splits a list of rules at commas and blanks outside brackets.
func splitRules(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && (r == ',' || r == ' ')
	})
}

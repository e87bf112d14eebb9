package claude

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/internal/strictjson"
)

// Native is what an adapter gives to one Claude session: the options of its
// query, the permission mode that each turn sets, the rules of its inline
// settings, and how its canUseTool callback answers.
type Native struct {
	PermissionMode                  *Mode       `json:"permissionMode"` // nil: left out, so that the settings' defaultMode counts
	AllowDangerouslySkipPermissions bool        `json:"allowDangerouslySkipPermissions"`
	TurnPermissionMode              *Mode       `json:"turnPermissionMode"` // nil: no turn sets a mode
	Permissions                     Permissions `json:"permissions"`
	Callback                        Callback    `json:"callback"`
}

// Permissions are rules, in the settings' own form.
type Permissions struct {
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	Deny  []string `json:"deny"`
}

// Callback says what canUseTool answers when Claude asks: a question and the end
// of planning have their own answers, other tools what the rules say, or else the
// default.
type Callback struct {
	AskUserQuestion string          `json:"AskUserQuestion"`
	ExitPlanMode    string          `json:"ExitPlanMode"`
	Default         string          `json:"default"`
	Rules           []callback.Rule `json:"rules,omitempty"`
}

// The answers of a callback.
const (
	answerQuestion = "question"               // shown as structured input
	answerPlan     = "capture-plan-then-deny" // the plan is kept, the exit is refused
	answerAsk      = "ask"                    // a person decides
	answerAllow    = "allow"                  // allowed at once, input unchanged
	blankMode      = "blank"                  // the policy's word for a permission mode that is left out
	personAnswers  = "person"                 // its word for answerAsk without rules: a person decides whatever they say
)

// Mode is one of Claude's permission modes.
type Mode string

// The permission modes that set_permission_mode accepts; "manual" is another
// name for default.
const (
	Default     Mode = "default"
	AcceptEdits Mode = "acceptEdits"
	Auto        Mode = "auto"
	Bypass      Mode = "bypassPermissions"
	Plan        Mode = "plan"
	DontAsk     Mode = "dontAsk"
)

func modes() []Mode { return []Mode{Default, AcceptEdits, Auto, Bypass, Plan, DontAsk} }

// UnmarshalText accepts the known modes only.
func (m *Mode) UnmarshalText(b []byte) error {
	if string(b) == "manual" {
		*m = Default
		return nil
	}
	if !slices.Contains(modes(), Mode(b)) {
		return fmt.Errorf("unknown permission mode %q: use one of %v", b, modes())
	}
	*m = Mode(b)
	return nil
}

// SettingsMode is a mode as a settings file has it: one of Claude's, or "manual".
type SettingsMode string

const manual SettingsMode = "manual"

// UnmarshalText accepts the known modes only.
func (m *SettingsMode) UnmarshalText(b []byte) error {
	var mode Mode
	if err := mode.UnmarshalText(b); err != nil {
		return err
	}
	*m = SettingsMode(b)
	return nil
}

// Mode is the mode that a settings file means.
func (m SettingsMode) Mode() Mode {
	if m == manual {
		return Default
	}
	return Mode(m)
}

// decodeNative reads native settings. An omitted field would keep its old value
// on a live session, so that every field must be there.
func decodeNative(data []byte) (Native, error) {
	var there map[string]jsontext.Value
	if err := strictjson.Decode(data, &there); err != nil {
		return Native{}, err
	}
	for _, name := range []string{"permissionMode", "allowDangerouslySkipPermissions", "turnPermissionMode", "permissions", "callback"} {
		if _, ok := there[name]; !ok {
			return Native{}, fmt.Errorf("%q is missing: a session keeps the old value of what it isn't sent", name)
		}
	}
	var n Native
	if err := strictjson.Decode(data, &n); err != nil {
		return Native{}, err
	}
	if n.Permissions.Allow == nil || n.Permissions.Ask == nil || n.Permissions.Deny == nil {
		return Native{}, errors.New(`/permissions needs the lists "allow", "ask" and "deny", empty ones too`)
	}
	return n, n.Callback.check()
}

func (c Callback) check() error {
	for _, f := range []struct {
		name, got string
		words     []string
	}{
		{"AskUserQuestion", c.AskUserQuestion, []string{answerQuestion}},
		{"ExitPlanMode", c.ExitPlanMode, []string{answerPlan}},
		{"default", c.Default, []string{answerAsk, answerAllow}},
	} {
		if !slices.Contains(f.words, f.got) {
			return fmt.Errorf("/callback/%s is %q: use one of %q", f.name, f.got, f.words)
		}
	}
	if err := callback.Check(c.Rules); err != nil {
		return fmt.Errorf("/callback/rules%w", err)
	}
	return nil
}

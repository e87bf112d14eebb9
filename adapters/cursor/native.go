package cursor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/internal/strictjson"
)

// Native is the settings of one cell, as an adapter applies them: it starts
// cursor-agent with Argv, sets the session mode that the first alias with a match
// among the advertised modes names, and answers what Cursor asks as Callback says.
type Native struct {
	Argv        []string `json:"argv"`        // what follows the program's name
	ModeAliases []string `json:"modeAliases"` // in order of preference; empty: the mode is left as it is
	Callback    Callback `json:"callback"`
}

// Callback is what the adapter answers to session/request_permission: what the
// rules say of a request that it can read, else the permission.
type Callback struct {
	Permission Permission      `json:"permission"`
	Rules      []callback.Rule `json:"rules,omitempty"`
}

// Permission is one answer of the callback.
type Permission string

// The answers. AllowPermission takes the option of kind allow_once, and leaves
// the request to a person when there is none.
const (
	AskPermission   Permission = "ask"
	AllowPermission Permission = "allow"
)

// UnmarshalText accepts the two words only.
func (p *Permission) UnmarshalText(b []byte) error {
	known := []Permission{AskPermission, AllowPermission}
	if !slices.Contains(known, Permission(b)) {
		return fmt.Errorf("unknown permission %q: use ask, allow", b)
	}
	*p = Permission(b)
	return nil
}

// encode writes the settings as an adapter gets them: compact, every field.
func (n Native) encode() ([]byte, error) {
	if n.Argv == nil {
		n.Argv = []string{}
	}
	if n.ModeAliases == nil {
		n.ModeAliases = []string{}
	}
	return strictjson.Encode(n)
}

// decode reads settings strictly: no field is missing, none is unknown.
func decode(b []byte) (Native, error) {
	var in struct {
		Argv        *[]string `json:"argv"`
		ModeAliases *[]string `json:"modeAliases"`
		Callback    *struct {
			Permission *Permission     `json:"permission"`
			Rules      []callback.Rule `json:"rules"`
		} `json:"callback"`
	}
	if err := strictjson.Decode(b, &in); err != nil {
		return Native{}, err
	}
	switch {
	case in.Argv == nil || *in.Argv == nil:
		return Native{}, errors.New(`"argv" is missing: add the arguments, as in ["acp"]`)
	case in.ModeAliases == nil || *in.ModeAliases == nil:
		return Native{}, errors.New(`"modeAliases" is missing: add it, [] when the mode is left as it is`)
	case in.Callback == nil || in.Callback.Permission == nil:
		return Native{}, errors.New(`"callback" has no "permission": add ask or allow`)
	}
	if err := callback.Check(in.Callback.Rules); err != nil {
		return Native{}, fmt.Errorf("/callback/rules%w", err)
	}
	return Native{*in.Argv, *in.ModeAliases, Callback{*in.Callback.Permission, in.Callback.Rules}}, nil
}

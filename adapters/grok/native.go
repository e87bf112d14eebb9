package grok

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/internal/strictjson"
)

// Native is the settings of one cell, as an adapter applies them: it starts
// grok with Argv, opens the session with SessionMeta as _meta, and answers what
// Grok asks as Callback says.
type Native struct {
	Argv        []string    `json:"argv"` // what follows the program's name
	SessionMeta SessionMeta `json:"sessionMeta"`
	Callback    Callback    `json:"callback"`
}

// SessionMeta is the part of session/new's _meta that decides about permissions.
// A nil switch isn't sent.
type SessionMeta struct {
	YoloMode *bool `json:"yoloMode,omitempty"` // true: always-approve; false: not, whatever the user's config.toml says
	AutoMode *bool `json:"autoMode,omitempty"` // true: auto
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
	return strictjson.Encode(n)
}

// decode reads settings strictly: no field is missing, none is unknown.
func decode(b []byte) (Native, error) {
	var in struct {
		Argv        *[]string    `json:"argv"`
		SessionMeta *SessionMeta `json:"sessionMeta"`
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
		return Native{}, errors.New(`"argv" is missing: add the arguments, as in ["agent","stdio"]`)
	case in.SessionMeta == nil:
		return Native{}, errors.New(`"sessionMeta" is missing: add it, {} when nothing is sent`)
	case in.Callback == nil || in.Callback.Permission == nil:
		return Native{}, errors.New(`"callback" has no "permission": add ask or allow`)
	}
	if err := callback.Check(in.Callback.Rules); err != nil {
		return Native{}, fmt.Errorf("/callback/rules%w", err)
	}
	return Native{*in.Argv, *in.SessionMeta, Callback{*in.Callback.Permission, in.Callback.Rules}}, nil
}

package codex

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
)

// settings is what an adapter sends: approvalPolicy, approvalsReviewer and
// sandbox with thread/start and thread/resume; approvalPolicy, approvalsReviewer,
// sandboxPolicy and collaborationMode with every turn/start, because what a turn
// leaves out keeps its old value; rules as one file in the rules folder before
// the thread starts. The adapter adds collaborationMode.settings, which is no
// policy (the model).
type settings struct {
	Approval      approvalPolicy    `json:"approvalPolicy"`
	Sandbox       string            `json:"sandbox"`
	SandboxPolicy sandboxPolicy     `json:"sandboxPolicy"`
	Reviewer      string            `json:"approvalsReviewer"`
	Collaboration collaborationMode `json:"collaborationMode"`
	Rules         string            `json:"rules"`
}

type collaborationMode struct {
	Mode string `json:"mode"`
}

// The words of the settings, as the 0.171.0 app-server takes them. A reviewer of
// guardian_subagent is an old name of auto_review. The config's on-failure and
// the old names of collaboration modes are refused.
const (
	untrusted = "untrusted"
	onRequest = "on-request"
	never     = "never"
	granular  = "granular" // an object, see approvalPolicy

	readOnly       = "readOnly"
	workspaceWrite = "workspaceWrite"
	fullAccess     = "dangerFullAccess"
	externalBox    = "externalSandbox"

	byUser       = "user"
	byAutoReview = "auto_review"
	byGuardian   = "guardian_subagent"

	planMode    = "plan"
	defaultMode = "default"
)

// sandboxTypes gives the sandboxPolicy type of each word that thread/start takes.
var sandboxTypes = map[string]string{
	"read-only":          readOnly,
	"workspace-write":    workspaceWrite,
	"danger-full-access": fullAccess,
}

// readSettings decodes native settings strictly. A field that is missing is
// refused, because a live thread would keep its old value.
func readSettings(native []byte) (*settings, error) {
	var raw struct {
		Approval      *approvalPolicy    `json:"approvalPolicy"`
		Sandbox       *string            `json:"sandbox"`
		SandboxPolicy *sandboxPolicy     `json:"sandboxPolicy"`
		Reviewer      *string            `json:"approvalsReviewer"`
		Collaboration *collaborationMode `json:"collaborationMode"`
		Rules         *string            `json:"rules"`
	}
	if err := strictjson.Decode(native, &raw); err != nil {
		return nil, err
	}
	var missing []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"approvalPolicy", raw.Approval != nil}, {"sandbox", raw.Sandbox != nil}, {"sandboxPolicy", raw.SandboxPolicy != nil},
		{"approvalsReviewer", raw.Reviewer != nil}, {"collaborationMode", raw.Collaboration != nil}, {"rules", raw.Rules != nil},
	} {
		if !f.set {
			missing = append(missing, f.name)
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("missing %s: a thread keeps the old value of what isn't sent", strings.Join(missing, ", "))
	}
	s := &settings{Approval: *raw.Approval, Sandbox: *raw.Sandbox, SandboxPolicy: *raw.SandboxPolicy, Reviewer: *raw.Reviewer, Collaboration: *raw.Collaboration, Rules: *raw.Rules}
	return s, s.check()
}

func (s *settings) check() error {
	if _, ok := sandboxTypes[s.Sandbox]; !ok {
		return fmt.Errorf("unknown sandbox %q: use read-only, workspace-write or danger-full-access", s.Sandbox)
	}
	switch s.Reviewer {
	case byUser, byAutoReview, byGuardian:
	default:
		return fmt.Errorf("unknown approvalsReviewer %q: use user or auto_review", s.Reviewer)
	}
	switch s.Collaboration.Mode {
	case planMode, defaultMode:
	default:
		return fmt.Errorf("unknown collaborationMode.mode %q: use plan or default", s.Collaboration.Mode)
	}
	return nil
}

// approvalPolicy is a word, or granular with its flags.
type approvalPolicy struct {
	Word     string
	Granular granularFlags // when Word is granular
}

// granularFlags says, for each kind of approval, whether it may be asked for.
type granularFlags struct {
	SandboxApproval    bool `json:"sandbox_approval"`
	Rules              bool `json:"rules"`
	MCPElicitations    bool `json:"mcp_elicitations"`
	RequestPermissions bool `json:"request_permissions"`
	SkillApproval      bool `json:"skill_approval"`
}

var approvalWords = []string{untrusted, onRequest, never}

// MarshalJSON writes the word, or the object with every flag.
func (p approvalPolicy) MarshalJSON() ([]byte, error) {
	if p.Word == granular {
		return strictjson.Encode(map[string]granularFlags{granular: p.Granular})
	}
	return strictjson.Encode(p.Word)
}

// UnmarshalJSONFrom takes a word of the app-server, or the object. The first
// three flags are required there; unknown ones, which it ignores, are refused.
func (p *approvalPolicy) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		var word string
		if err := json.UnmarshalDecode(d, &word); err != nil {
			return err
		}
		if !slices.Contains(approvalWords, word) {
			return fmt.Errorf("unknown approvalPolicy %q: use %s or granular", word, strings.Join(approvalWords, ", "))
		}
		p.Word = word
		return nil
	}
	var o struct {
		Granular *struct {
			SandboxApproval    *bool `json:"sandbox_approval"`
			Rules              *bool `json:"rules"`
			MCPElicitations    *bool `json:"mcp_elicitations"`
			RequestPermissions bool  `json:"request_permissions"`
			SkillApproval      bool  `json:"skill_approval"`
		} `json:"granular"`
	}
	if err := json.UnmarshalDecode(d, &o); err != nil {
		return err
	}
	g := o.Granular
	if g == nil || g.SandboxApproval == nil || g.Rules == nil || g.MCPElicitations == nil {
		return errors.New("a granular approvalPolicy needs sandbox_approval, rules and mcp_elicitations")
	}
	p.Word = granular
	p.Granular = granularFlags{*g.SandboxApproval, *g.Rules, *g.MCPElicitations, g.RequestPermissions, g.SkillApproval}
	return nil
}

// sandboxPolicy is the operating-system sandbox of a turn. Which fields it has
// depends on the type; those that are left out have Codex's own default.
type sandboxPolicy struct {
	Type                string
	WritableRoots       []string // workspaceWrite; absolute
	NetworkAccess       bool     // all but dangerFullAccess; externalSandbox says "enabled" or "restricted"
	ExcludeSlashTmp     bool     // workspaceWrite
	ExcludeTmpdirEnvVar bool     // workspaceWrite
}

// MarshalJSON writes every field that the type has, in one order.
func (p sandboxPolicy) MarshalJSON() ([]byte, error) {
	switch p.Type {
	case readOnly:
		return strictjson.Encode(struct {
			Type          string `json:"type"`
			NetworkAccess bool   `json:"networkAccess"`
		}{p.Type, p.NetworkAccess})
	case workspaceWrite:
		return strictjson.Encode(struct {
			Type                string   `json:"type"`
			WritableRoots       []string `json:"writableRoots"`
			NetworkAccess       bool     `json:"networkAccess"`
			ExcludeSlashTmp     bool     `json:"excludeSlashTmp"`
			ExcludeTmpdirEnvVar bool     `json:"excludeTmpdirEnvVar"`
		}{p.Type, p.WritableRoots, p.NetworkAccess, p.ExcludeSlashTmp, p.ExcludeTmpdirEnvVar})
	case externalBox:
		network := "restricted"
		if p.NetworkAccess {
			network = "enabled"
		}
		return strictjson.Encode(struct {
			Type          string `json:"type"`
			NetworkAccess string `json:"networkAccess"`
		}{p.Type, network})
	}
	return strictjson.Encode(struct {
		Type string `json:"type"`
	}{p.Type})
}

// UnmarshalJSONFrom refuses fields that the type doesn't have, and relative
// writable roots, as the app-server does.
func (p *sandboxPolicy) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var o struct {
		Type                string         `json:"type"`
		WritableRoots       []string       `json:"writableRoots"`
		NetworkAccess       jsontext.Value `json:"networkAccess"`
		ExcludeSlashTmp     *bool          `json:"excludeSlashTmp"`
		ExcludeTmpdirEnvVar *bool          `json:"excludeTmpdirEnvVar"`
	}
	if err := json.UnmarshalDecode(d, &o); err != nil {
		return err
	}
	switch o.Type {
	case readOnly, workspaceWrite, fullAccess, externalBox:
	default:
		return fmt.Errorf("unknown sandboxPolicy type %q: use readOnly, workspaceWrite, dangerFullAccess or externalSandbox", o.Type)
	}
	if o.Type != workspaceWrite && (o.WritableRoots != nil || o.ExcludeSlashTmp != nil || o.ExcludeTmpdirEnvVar != nil) {
		return fmt.Errorf("a sandboxPolicy of type %s has no writableRoots, excludeSlashTmp or excludeTmpdirEnvVar", o.Type)
	}
	for _, root := range o.WritableRoots {
		if !paths.Rooted(root) {
			return fmt.Errorf("the writable root %q isn't absolute", root)
		}
	}
	network, err := networkAccess(o.Type, string(o.NetworkAccess))
	if err != nil {
		return err
	}
	*p = sandboxPolicy{o.Type, o.WritableRoots, network, o.ExcludeSlashTmp != nil && *o.ExcludeSlashTmp, o.ExcludeTmpdirEnvVar != nil && *o.ExcludeTmpdirEnvVar}
	return nil
}

// networkAccess reads the field, whose form depends on the type.
func networkAccess(kind, raw string) (bool, error) {
	switch {
	case raw == "":
		return false, nil
	case kind == fullAccess:
		return false, errors.New("a sandboxPolicy of type dangerFullAccess has no networkAccess")
	case kind == externalBox && (raw == `"enabled"` || raw == `"restricted"`):
		return raw == `"enabled"`, nil
	case kind != externalBox && (raw == "true" || raw == "false"):
		return raw == "true", nil
	}
	return false, fmt.Errorf("networkAccess of %s can't be %s", kind, raw)
}

package cursor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// facts are the surroundings that only Cursor's dialect understands.
type facts struct {
	// Modes are the session modes that Cursor advertises; nil: not known.
	Modes []mode `json:"modes"`
	// CurrentMode is the mode's id that a session has when none is set.
	CurrentMode string `json:"currentMode"`
	// ApprovalMode is approvalMode of the user's cli-config.json.
	ApprovalMode string `json:"approvalMode"`
	// Allow and Deny are permissions of cli-config.json and of the project's
	// .cursor/cli.json.
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
}

// mode is one session mode as the protocol lists it.
type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

// The approval modes (recorded by third parties on 2026.10.01).
const (
	unrestricted = "unrestricted" // the default: nothing asks
	allowlist    = "allowlist"    // shell and fetch ask, unless allowed
)

// realModes are the modes that cursor-agent advertises (documented).
var realModes = []mode{{ID: agentMode}, {ID: planMode}, {ID: askMode}}

// readFacts decodes the facts strictly, fills in what is missing and lists what
// was taken instead.
func readFacts(raw jsontext.Value) (f facts, assumed []string, err error) {
	if len(raw) > 0 {
		if err := strictjson.Decode(raw, &f); err != nil {
			return f, nil, fmt.Errorf("facts: %w", err)
		}
	}
	for _, m := range f.Modes {
		if m.ID == "" {
			return f, nil, errors.New("facts: a mode has no id")
		}
	}
	switch f.ApprovalMode {
	case unrestricted, allowlist:
	case "":
		f.ApprovalMode = unrestricted
		assumed = append(assumed, "approvalMode of the user's cli-config.json is unrestricted, Cursor's default")
	default:
		return f, nil, fmt.Errorf("facts: unknown approvalMode %q: use %s, %s", f.ApprovalMode, unrestricted, allowlist)
	}
	if f.Deny == nil && f.Allow == nil {
		assumed = append(assumed, "the user's and the project's Cursor permissions are empty")
	}
	if f.Modes == nil {
		f.Modes = realModes
		assumed = append(assumed, "Cursor advertises the session modes agent, plan and ask")
	}
	return f, assumed, nil
}

func (f facts) advertises(id string) bool {
	return slices.ContainsFunc(f.Modes, func(m mode) bool { return m.ID == id })
}

// token is one permission of a settings file: Shell(git), Write(src/**), …
type token struct {
	kind, pattern string
	text          string
	index         int
	layer         string
}

// The layers of what decides.
const (
	allowLayer = "user-allow"
	denyLayer  = "user-deny"
	modeLayer  = "mode"
)

func readTokens(texts []string, layer string) []token {
	out := make([]token, 0, len(texts))
	for i, text := range texts {
		kind, pattern, ok := strings.Cut(text, "(")
		if ok {
			pattern = strings.TrimSuffix(pattern, ")")
		}
		out = append(out, token{kind, pattern, text, i, layer})
	}
	return out
}

func (t token) ref() *evaluator.RuleRef {
	return &evaluator.RuleRef{Index: t.index, Layer: t.layer, Native: encoded(t.text)}
}

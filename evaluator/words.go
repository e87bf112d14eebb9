package evaluator

import (
	"fmt"
	"slices"
	"strings"
)

// Provider names a coding agent whose settings modegate compiles and reads.
type Provider string

// The providers. OpenCode 1.x and 2 are two providers: their rules share an
// evaluator but not their names, their lists or their wire.
const (
	Codex     Provider = "codex"
	Claude    Provider = "claude"
	Cursor    Provider = "cursor"
	Grok      Provider = "grok"
	OpenCode  Provider = "opencode"
	OpenCode2 Provider = "opencode2"
)

// Providers lists every provider in the order in which reports show them.
func Providers() []Provider {
	return []Provider{Codex, Claude, Cursor, Grok, OpenCode, OpenCode2}
}

// Mode is a runtime mode: what an agent may do without asking.
type Mode string

// The runtime modes, from the one that asks most to the one that asks least.
const (
	ApprovalRequired Mode = "approval-required"
	AutoAcceptEdits  Mode = "auto-accept-edits"
	Auto             Mode = "auto"
	FullAccess       Mode = "full-access"
)

// Modes lists every runtime mode in the order in which reports show them.
func Modes() []Mode { return []Mode{ApprovalRequired, AutoAcceptEdits, Auto, FullAccess} }

// Interaction is an interaction mode: whether the agent works or only plans.
type Interaction string

// The interaction modes.
const (
	Default Interaction = "default"
	Plan    Interaction = "plan"
)

// Interactions lists every interaction mode in report order.
func Interactions() []Interaction { return []Interaction{Default, Plan} }

// Cell is one square of the matrix: what one provider is given for one runtime
// mode and one interaction mode. There are 48.
type Cell struct {
	Provider    Provider
	Mode        Mode
	Interaction Interaction
}

// String writes the cell as provider/mode/interaction.
func (c Cell) String() string {
	return fmt.Sprintf("%s/%s/%s", c.Provider, c.Mode, c.Interaction)
}

// UnmarshalText accepts the known providers only.
func (p *Provider) UnmarshalText(b []byte) error { return setWord(p, b, "provider", Providers()) }

// UnmarshalText accepts the known runtime modes only.
func (m *Mode) UnmarshalText(b []byte) error { return setWord(m, b, "mode", Modes()) }

// UnmarshalText accepts the known interaction modes only.
func (i *Interaction) UnmarshalText(b []byte) error {
	return setWord(i, b, "interaction", Interactions())
}

// setWord stores a word of a closed vocabulary, or says which words there are.
func setWord[T ~string](dst *T, b []byte, what string, known []T) error {
	if !slices.Contains(known, T(b)) {
		return unknownWord(what, string(b), known)
	}
	*dst = T(b)
	return nil
}

func unknownWord[T ~string](what, got string, known []T) error {
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = string(k)
	}
	return fmt.Errorf("unknown %s %q: use %s", what, got, strings.Join(words, ", "))
}

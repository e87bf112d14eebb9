package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// RuleSet is the native settings of one cell, byte for byte as the adapter will
// send them, with where each part came from and every gap.
type RuleSet struct {
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Policy      PolicyRef             `json:"policy"`
	Digest      string                `json:"digest"` // of provider, cell and native bytes
	Native      jsontext.Value        `json:"native"`
	Agent       string                `json:"agent,omitempty"` // the provider's agent that a session of this cell runs
	Sources     []SourceRef           `json:"sources"`
	Gaps        []evaluator.Gap       `json:"gaps"`
	Assumed     []string              `json:"assumed"`
	Proof       []evaluator.Proof     `json:"proof"`
}

// digest covers provider, cell and native bytes.
func digest(cell evaluator.Cell, native []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d\n", cell, len(native))
	h.Write(native)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Take reads a RuleSet that somebody else has compiled, such as a service, with
// the dialect that is to live under it: it must be one of the cell, its digest
// that of its own bytes, and the dialect must be able to read them.
func Take(set RuleSet, d Dialect, cell evaluator.Cell, o Options) (*Compiled, error) {
	if got := (evaluator.Cell{Provider: set.Provider, Mode: set.Mode, Interaction: set.Interaction}); got != cell {
		return nil, fmt.Errorf("the rules are for %s, not for %s", got, cell)
	}
	if got := digest(cell, set.Native); got != set.Digest {
		return nil, fmt.Errorf("the rules of %s aren't those that their digest says", cell)
	}
	version := o.Version
	if version == "" {
		version = d.Versions()[0]
	}
	env := d.Env(cell.Interaction, o.Env)
	meaning, err := d.Read(set.Native, Setting{Version: version, Env: env})
	if err != nil {
		return nil, fmt.Errorf("the rules of %s: %w", cell, err)
	}
	return &Compiled{RuleSet: set, version: version, meaning: meaning}, nil
}

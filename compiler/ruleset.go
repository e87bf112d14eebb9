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

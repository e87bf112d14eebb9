package codex

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Read takes native settings apart.
func (d dialect) Read(native []byte, at compiler.Setting) (evaluator.Meaning, error) {
	version := at.Version
	if version == "" {
		version = Version
	}
	if !slices.Contains(d.Versions(), version) {
		return nil, fmt.Errorf("codex %s hasn't been measured: use %s", version, Version)
	}
	if _, err := readSettings(native); err != nil {
		return nil, fmt.Errorf("codex settings: %w", err)
	}
	return evaluator.NotRead{Provider: evaluator.ProviderVersion{Name: evaluator.Codex, Version: version}}, nil
}

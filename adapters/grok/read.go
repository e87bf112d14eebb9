package grok

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Read takes Grok's settings apart.
func (d Dialect) Read(native []byte, s compiler.Setting) (evaluator.Meaning, error) {
	version, err := d.version(s.Version)
	if err != nil {
		return nil, err
	}
	if _, err := decode(native); err != nil {
		return nil, err
	}
	return evaluator.NotRead{Provider: evaluator.ProviderVersion{Name: evaluator.Grok, Version: version}}, nil
}

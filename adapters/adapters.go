// Package adapters owns the table of providers: one row each. A new provider is
// a folder beside this file and a line in it.
package adapters

import (
	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/adapters/cursor"
	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Table lists the dialects in report order.
func Table() []compiler.Dialect {
	return []compiler.Dialect{
		codex.New(),
		claude.New(),
		cursor.New(),
		grok.New(),
		opencode.New(),
		opencode2.New(),
	}
}

// Find returns the dialect of a provider.
func Find(p evaluator.Provider) (compiler.Dialect, bool) {
	for _, d := range Table() {
		if d.Provider() == p {
			return d, true
		}
	}
	return nil, false
}

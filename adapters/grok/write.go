package grok

import (
	"fmt"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// stdioArgv starts Grok as an agent on standard input and output, without any
// permission of its own.
var stdioArgv = []string{"agent", "stdio"}

// Write says a cell in Grok's settings. They come from the policy's profile; a
// part that the profile leaves out gets the most cautious value and is listed as
// assumed. Grok's own plan mode is left to the model; in plan only what the
// profile sets for it differs.
func (Dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	var s settings
	if in.Profile != nil {
		r := &policies.Reader{}
		s = readProfile(r, in.Profile).of(in.Cell)
		if err := r.Problems.Err(); err != nil {
			return compiler.Written{}, err
		}
	}
	var w compiler.Written
	assume := func(part, value string) {
		w.Assumed = append(w.Assumed, fmt.Sprintf("the policy's grok profile sets no %s for %s: %s is taken", part, in.Cell.Mode, value))
	}
	if s.argv == nil {
		s.argv = stdioArgv
		assume("argv", "agent stdio")
	}
	if s.permission == "" {
		s.permission = AskPermission
		assume("permission", string(AskPermission))
	}
	rules, refs := callback.Of(in, s.insist)
	native, err := Native{s.argv, s.meta, Callback{s.permission, rules}}.encode()
	if err != nil {
		return compiler.Written{}, fmt.Errorf("%s: %w", in.Cell, err)
	}
	w.Native = native
	w.Gaps = func() []evaluator.Gap { return declare(in, env, s, rules) }
	for _, pointer := range []string{argvPointer, metaPointer, callbackPointer} {
		if source, ok := s.sources[pointer]; ok {
			w.Sources = append(w.Sources, compiler.SourceRef{Pointer: pointer, Source: source})
		}
	}
	w.Sources = append(w.Sources, refs...)
	return w, nil
}

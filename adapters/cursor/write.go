package cursor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// acpArgv starts Cursor as an agent on standard input and output.
var acpArgv = []string{"acp"}

// The JSON Pointers of the native settings' parts.
const (
	argvPointer     = "/argv"
	aliasesPointer  = "/modeAliases"
	callbackPointer = "/callback/permission"
)

// Write says a cell in Cursor's settings. They come from the policy's profile; a
// part that the profile leaves out gets the most cautious value and is listed as
// assumed.
func (Dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	var p profile
	if in.Profile != nil {
		r := &policies.Reader{}
		p = readProfile(r, in.Profile)
		if err := r.Problems.Err(); err != nil {
			return compiler.Written{}, err
		}
	}
	var w compiler.Written
	part := func(pointer, name string, got list, instead []string, what string) []string {
		if got.texts == nil {
			w.Assumed = append(w.Assumed, fmt.Sprintf("the policy's cursor profile sets no %s for %s: %s", name, in.Cell.Mode, what))
			return instead
		}
		w.Sources = append(w.Sources, compiler.SourceRef{Pointer: pointer, Source: got.source})
		return slices.Clone(got.texts)
	}
	s := p.of(in.Cell)
	var n Native
	n.Argv = part(argvPointer, "argv", s.argv, acpArgv, "acp is taken")
	n.ModeAliases = part(aliasesPointer, "mode aliases", p.wanted(in.Cell), nil, "the session mode is left as it is")
	answer := list{}
	if s.permission != "" {
		answer = list{[]string{string(s.permission)}, s.answer}
	}
	n.Callback.Permission = Permission(part(callbackPointer, "permission", answer, []string{string(AskPermission)}, "ask is taken")[0])
	rules, refs := callback.Of(in, false)
	n.Callback.Rules, w.Sources = rules, append(w.Sources, refs...)
	native, err := n.encode()
	if err != nil {
		return compiler.Written{}, fmt.Errorf("%s: %w", in.Cell, err)
	}
	w.Native = native
	f, _, err := readFacts(env.Facts)
	if err != nil {
		return compiler.Written{}, fmt.Errorf("%s: %w", in.Cell, err)
	}
	if err := offered(in.Cell, n.ModeAliases, f.Modes); err != nil {
		return compiler.Written{}, err
	}
	w.Gaps = func() []evaluator.Gap { return declare(in, env, n, f) }
	return w, nil
}

// offered refuses a cell whose mode Cursor doesn't advertise: in another mode the
// agent would be freer than the cell says. Full access alone can't be.
func offered(c evaluator.Cell, aliases []string, modes []mode) error {
	if _, ok := choose(aliases, modes); ok || len(aliases) == 0 || c.Mode == evaluator.FullAccess && c.Interaction == evaluator.Default {
		return nil
	}
	ids := make([]string, len(modes))
	for i, m := range modes {
		ids[i] = m.ID
	}
	return fmt.Errorf("%s: no mode that Cursor advertises (%s) is one of %s, so nothing would enforce it: a session can't be started",
		c, strings.Join(ids, ", "), strings.Join(aliases, ", "))
}

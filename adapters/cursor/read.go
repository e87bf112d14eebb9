package cursor

import (
	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Read takes Cursor's settings apart. What the user's own settings add comes
// from the Env's facts; what is taken without them is listed as assumed.
func (d Dialect) Read(native []byte, s compiler.Setting) (evaluator.Meaning, error) {
	version, err := d.version(s.Version)
	if err != nil {
		return nil, err
	}
	n, err := decode(native)
	if err != nil {
		return nil, err
	}
	f, assumed, err := readFacts(s.Env.Facts)
	if err != nil {
		return nil, err
	}
	m := &meaning{
		native: n, answers: callback.New(n.Callback.Rules, d.PlanFiles(s.Env)), answer: encoded(Callback{Permission: n.Callback.Permission}), launch: readArgv(n.Argv), facts: f, env: s.Env, assumed: assumed,
		allow: readTokens(f.Allow, allowLayer), deny: readTokens(f.Deny, denyLayer),
		version: evaluator.ProviderVersion{Name: evaluator.Cursor, Version: version},
	}
	switch chosen, ok := choose(n.ModeAliases, f.Modes); {
	case ok:
		m.mode = chosen.ID
	default:
		m.kept, m.mode = true, f.CurrentMode
		if m.mode == "" && f.advertises(agentMode) {
			m.mode = agentMode
			m.assumed = append(m.assumed, "a session begins in mode agent")
		}
	}
	return m, nil
}

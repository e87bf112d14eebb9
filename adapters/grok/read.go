package grok

import (
	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Read takes Grok's settings apart. What the user's own settings add comes from
// the Env's facts, and is assumed empty without them.
func (d Dialect) Read(native []byte, s compiler.Setting) (evaluator.Meaning, error) {
	version, err := d.version(s.Version)
	if err != nil {
		return nil, err
	}
	n, err := decode(native)
	if err != nil {
		return nil, err
	}
	return read(n, version, s.Env)
}

func read(n Native, version string, env evaluator.Env) (*meaning, error) {
	f, err := readFacts(env.Facts)
	if err != nil {
		return nil, err
	}
	l := readArgv(n.Argv)
	m := &meaning{
		native: n, answers: callback.New(n.Callback.Rules, Dialect{}.PlanFiles(env)), answer: encoded(Callback{Permission: n.Callback.Permission}), launch: l, state: readState(l, n.SessionMeta, f), rules: readRules(f), env: env,
		assumed: assumed(env.Facts, f),
		version: evaluator.ProviderVersion{Name: evaluator.Grok, Version: version},
	}
	for i, text := range l.denied {
		r := readRules(facts{Rules: []fileRule{{argvLayer, evaluator.Deny, text}}})[0]
		r.index, r.inert = i, "not enforced: Grok doesn't apply --deny over agent stdio"
		m.rules = append(m.rules, r)
	}
	return m, nil
}

package compiler

import "github.com/modegate/modegate/evaluator"

// Want is what the policy says of the probe: of its Action, or of what that does.
func (p Probe) Want(in Intent, env evaluator.Env) Want { return p.want(in, env) }

// Probes lists the Actions at the boundaries of an Intent's rules: what providers
// are known to treat apart, and for every pattern in play Actions inside and just
// outside of it.
func Probes(in Intent, env evaluator.Env) []evaluator.Action {
	probes := in.Probes(env)
	out := make([]evaluator.Action, len(probes))
	for i, p := range probes {
		out[i] = p.Action
	}
	return out
}

package compiler

import "github.com/modegate/modegate/evaluator"

// Probes lists the Actions at the boundaries of an Intent's rules: what providers
// are known to treat apart, and for every pattern in play one Action inside and one
// outside of it.
func Probes(in Intent, env evaluator.Env) []evaluator.Action { return probes(in, env) }

package opencode

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Asked is a permission request that waits, in the words that both generations
// share.
type Asked struct {
	Action    string
	Resources []string
	Native    jsontext.Value // as the dialect reads a native Action
	Child     bool           // of a subagent's session
}

// Granted reports whether a session's grants answer a request that was asked
// before the rules made of them were in force, and which. It is answered as those
// rules would: what the policy denies stays denied. env holds the grants.
//
// A child runs under rules of its own, so each of its texts needs a grant.
func Granted(compile func(evaluator.Env) (*compiler.Compiled, error), env evaluator.Env, q Asked) (string, bool) {
	if len(env.Grants) == 0 || len(q.Resources) == 0 {
		return "", false
	}
	name, covered := "", 0
	for _, text := range q.Resources {
		at := slices.IndexFunc(env.Grants, func(g evaluator.Grant) bool {
			return wildcard.Compile(g.Action).Match(q.Action) && wildcard.Compile(g.Resource).Match(text)
		})
		if at >= 0 {
			covered++
			name = env.Grants[at].Action + " " + env.Grants[at].Resource
		}
	}
	if covered == 0 || q.Child && covered < len(q.Resources) {
		return "", false
	}
	compiled, err := compile(env)
	if err != nil {
		return "", false
	}
	v, err := compiled.Evaluate(evaluator.Action{Kind: evaluator.Native, Request: q.Native}, false)
	if err != nil {
		return "", false
	}
	return name, v.Effect == evaluator.Allow || q.Child && v.Effect != evaluator.Deny && v.Effect != evaluator.Unknown
}

package live

import (
	"encoding/json"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/evaluator"
)

// granted reports whether the session's grants answer a request, and which. Rules
// made of them are in force from the next prompt on alone (measured on 1.18.33,
// 2026-11-30), so until then it is answered here, as those rules would: what the
// policy denies stays denied.
//
// A child runs under its own agent's rules, so each of its texts needs a grant.
func (d *Driver) granted(q broker.Request, child bool) (string, bool) {
	var native PermissionRequest
	d.mu.Lock()
	grants, env := slices.Clone(d.grants), d.env
	d.mu.Unlock()
	if q.Shape != broker.Approval || len(grants) == 0 || json.Unmarshal(q.Native, &native) != nil || len(native.Patterns) == 0 {
		return "", false
	}
	name, covered := "", 0
	for _, text := range native.Patterns {
		for _, g := range grants {
			if wildcard.Compile(g.Action).Match(native.Permission) && wildcard.Compile(g.Resource).Match(text) {
				covered++
				name = g.Action + " " + g.Resource
				break
			}
		}
	}
	if covered == 0 || child && covered < len(native.Patterns) {
		return "", false
	}
	env.Grants = grants
	compiled, err := d.o.Compile(env)
	if err != nil {
		return "", false
	}
	request, err := json.Marshal(map[string]any{"permission": native.Permission, "patterns": native.Patterns})
	if err != nil {
		return "", false
	}
	v, err := compiled.Evaluate(evaluator.Action{Kind: evaluator.Native, Request: request}, false)
	if err != nil {
		return "", false
	}
	return name, v.Effect == evaluator.Allow || child && v.Effect != evaluator.Deny && v.Effect != evaluator.Unknown
}

// keep remembers grants until the driver's end. They are never sent as the
// provider's own "always".
func (d *Driver) keep(grants []evaluator.Grant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.grants = append(d.grants, grants...)
}

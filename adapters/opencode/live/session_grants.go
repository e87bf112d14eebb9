package live

import (
	"encoding/json"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
)

// granted reports whether the session's grants answer a request, and which. Rules
// made of them are in force from the next prompt on alone (measured on 1.18.33,
// 2026-11-30), so until then it is answered here.
func (d *Driver) granted(q broker.Request, child bool) (string, bool) {
	var native PermissionRequest
	if q.Shape != broker.Approval || json.Unmarshal(q.Native, &native) != nil {
		return "", false
	}
	d.mu.Lock()
	env := d.env
	env.Grants = slices.Clone(d.grants)
	d.mu.Unlock()
	child = child || native.Permission == "doom_loop" // which the session's rules don't reach, either
	request, err := json.Marshal(map[string]any{"permission": native.Permission, "patterns": native.Patterns})
	if err != nil {
		return "", false
	}
	return opencode.Granted(d.o.Compile, env, opencode.Asked{Action: native.Permission, Resources: native.Patterns, Native: request, Child: child})
}

// keep remembers grants until the driver's end. They are never sent as the
// provider's own "always".
func (d *Driver) keep(grants []evaluator.Grant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.grants = append(d.grants, grants...)
}

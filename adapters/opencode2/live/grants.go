package live

import (
	"encoding/json"
	"slices"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
)

// keep remembers what an answer grants. It is never sent as the provider's own
// "always", which holds for the whole project.
func (d *Driver) keep(grants []evaluator.Grant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.grants = append(d.grants, grants...)
}

// forget takes back what an answer granted that didn't count. Another answer may
// have granted the same.
func (d *Driver) forget(grants []evaluator.Grant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range grants {
		if i := slices.Index(d.grants, g); i >= 0 {
			d.grants = slices.Delete(d.grants, i, i+1)
		}
	}
}

// granted reports whether the session's grants answer a request that was asked
// before the session's rules had them, and which. A child has the rules that its
// parent had when it was made, so that later grants answer for it here.
func (d *Driver) granted(q broker.Request) (string, bool) {
	var native struct {
		Data   json.RawMessage `json:"data"`
		Action string          `json:"action"`
	}
	if q.Shape != broker.Approval || json.Unmarshal(q.Native, &native) != nil {
		return "", false
	}
	if len(native.Data) > 0 && json.Unmarshal(native.Data, &native) != nil {
		return "", false
	}
	request, err := json.Marshal(map[string]any{"action": native.Action, "resources": q.Resources})
	if err != nil {
		return "", false
	}
	d.mu.Lock()
	env, compile := d.env, d.compile
	env.Grants = unique(d.grants)
	child := q.Session != d.id
	d.mu.Unlock()
	return opencode.Granted(compile, env, opencode.Asked{Action: native.Action, Resources: q.Resources, Native: request, Child: child})
}

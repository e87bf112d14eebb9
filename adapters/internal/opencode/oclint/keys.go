package oclint

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// ignoredKeys finds keys that were to bear on permissions and that OpenCode passes
// over. 1.18.33 says nothing of them: at the top it drops them, in an agent it takes
// them for options of the model's provider (measured by debug agent).
func (r *reader) ignoredKeys(root value) {
	rules := r.rulesKeys()
	for _, m := range root.members() {
		switch {
		case opencode.ConfigKey(m.name):
		case r.isPermission(m):
			r.ignored(m, "at the top of a file", r.within("", m.name))
		default:
			r.near(m, "at the top of a file", "", append(slices.Clone(rules), "tools", "agent", "agents", "mode"))
		}
	}
	for _, name := range []string{"agent", "agents", "mode"} {
		list, _ := root.member(name)
		for _, a := range members(list) {
			r.agentKeys(name, a)
		}
	}
}

// rulesKeys are the keys that hold rules: both of 1.x and of 2.0 at the top of a
// file, as 2.0 reads files of 1.x, too.
func (r *reader) rulesKeys() []string {
	if r.g.Provider == evaluator.OpenCode {
		return []string{"permission"}
	}
	return []string{"permissions", "permission"}
}

func (r *reader) agentKeys(list string, a value) {
	for _, m := range members(a) {
		where := "in an agent"
		switch old := list != "agents"; {
		case m.name == "permissions" && !old, m.name == "permission" && old, slices.Contains(agentKeys, m.name):
		case m.name == "permission" && r.g.Provider == evaluator.OpenCode:
			r.ignored(m, "in agents", "it as agent."+a.name+".permission")
		case r.isPermission(m):
			r.ignored(m, where, r.within("agent's ", m.name))
		case old:
			r.near(m, where, "the agent's ", []string{"permission", "tools", "disable"})
		default:
			r.near(m, where, "the agent's ", []string{"permissions", "disabled"})
		}
	}
}

// agentKeys are the keys of an agent that aren't rules, in either generation.
var agentKeys = []string{"model", "variant", "temperature", "top_p", "prompt", "system", "tools", "disable", "description", "mode", "hidden", "options", "color", "steps", "maxSteps", "name", "request"}

func members(v value) []value {
	if v.Node == nil || v.Kind != policies.Mapping {
		return nil
	}
	return v.members()
}

// isPermission reports whether a member looks like a rule of a permission object: a
// tool's name with an effect, or with effects by pattern.
func (r *reader) isPermission(m value) bool {
	if !r.g.known(m.name) && r.g.Renamed[m.name] == "" {
		return false
	}
	if m.Kind != policies.Mapping {
		return m.isText() && isEffect(m.Text)
	}
	return slices.ContainsFunc(m.members(), func(p value) bool { return p.isText() && isEffect(p.Text) })
}

// within says where a rule for an action belongs.
func (r *reader) within(whose, action string) string {
	if r.g.Provider == evaluator.OpenCode {
		return "it in the " + whose + "object permission"
	}
	return fmt.Sprintf("a rule for %s in the %slist permissions", action, whose)
}

func (r *reader) near(m value, where, whose string, known []string) {
	if meant := lint.Near(m.name, known...); meant != "" {
		r.ignored(m, where, whose+meant)
	}
}

func (r *reader) ignored(m value, where, instead string) {
	silent := ""
	if r.g.Provider == evaluator.OpenCode { // the other wasn't measured
		silent = ", and says nothing"
	}
	r.found = append(r.found, lint.At("ignored-key", m.at,
		fmt.Sprintf("%s doesn't read %q %s%s: what stands there is never in force", r.g.Name, m.name, where, silent), "write "+instead))
}

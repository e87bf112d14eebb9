package opencode

import (
	"slices"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Config2 is what configuration files come to in the native form of 1.18.33, which
// OpenCode 2 documents.
type Config2 struct {
	Rules    []PlacedRule   // every agent's, behind those that it starts with
	Agents   []ConfigAgent2 // in the files' order; an agent may come several times
	Default  string         // default_agent, "" for OpenCode's own
	Migrated *policies.Node // the first key of 1.x, nil when there is none
	Plugins  *policies.Node // a plugin of the files
	Servers  []string       // of MCP, by name
}

// ConfigAgent2 is what one file says of an agent.
type ConfigAgent2 struct {
	ID       string
	Rules    []PlacedRule
	Disabled bool
	Source   evaluator.Source
}

// keys1 are the keys that make a file one of 1.x: its native keys are then ignored
// (source read 2026-11-30, measured).
var keys1 = set(`logLevel server command reference snapshot plugin autoshare disabled_providers enabled_providers small_model
	mode agent provider permission tools attachment layout`)

// V2 reads configuration files as the native surface of 1.18.33 does: rules are
// lists, a file behind another adds its own.
func (r *ConfigReader) V2(roots []*policies.Node) Config2 {
	c := Config2{Servers: servers(roots)}
	for _, root := range roots {
		r.Unknown(root)
		if d := root.Get("default_agent"); d != nil {
			c.Default, _ = r.AnyText(d, "default_agent")
		}
		if p := r.plugins(root); p != nil {
			c.Plugins = p
		}
		if i := slices.IndexFunc(root.Fields, func(f policies.Field) bool { return keys1[f.Name] }); i >= 0 {
			if c.Migrated == nil {
				c.Migrated = &policies.Node{Text: root.Fields[i].Name, Source: root.Fields[i].Source}
			}
			r.migrate(&c, root)
			continue
		}
		if list := root.Get("permissions"); list != nil {
			c.Rules = append(c.Rules, r.rules2(list, "permissions")...)
		}
		for _, a := range r.fieldsOf(root, "agents") {
			agent := ConfigAgent2{ID: a.Name, Source: a.Source, Disabled: isTrue(a.Value.Get("disabled"))}
			if list := a.Value.Get("permissions"); list != nil {
				agent.Rules = r.rules2(list, "agents."+a.Name+".permissions")
			}
			c.Agents = append(c.Agents, agent)
		}
	}
	return c
}

// fieldsOf are the fields of an object that may be missing.
func (r *ConfigReader) fieldsOf(root *policies.Node, name string) []policies.Field {
	n := root.Get(name)
	if n == nil {
		return nil
	}
	r.Fields(n, name)
	return Ordered(n)
}

// migrate reads a file of 1.x: tools first, then permission, as they stand. Names
// stay what they are.
func (r *ConfigReader) migrate(c *Config2, root *policies.Node) {
	if n := root.Get("permissions"); n != nil {
		r.Assume("permissions at " + At(n.Source) + " are ignored: the file has a key of OpenCode 1.x")
	}
	var tools *policies.Node
	if n := root.Get("tools"); n != nil {
		tools = r.tools1(n, "tools")
	}
	for _, f := range Ordered(tools) {
		name, word := f.Name, "deny"
		if name == "write" || name == "patch" {
			name = "edit"
		}
		if isTrue(f.Value) {
			word = "allow"
		}
		c.Rules = append(c.Rules, placed(name, "*", "*", &policies.Node{Text: word}, f.Source))
	}
	if n := root.Get("permission"); n != nil {
		c.Rules = append(c.Rules, r.migrated(r.permission1(n, "permission"))...)
	}
	var agents []ConfigAgent2
	for _, key := range []string{"agent", "mode"} {
		for _, a := range r.fieldsOf(root, key) {
			checked := r.agent1(a.Value, key+"."+a.Name)
			agent := ConfigAgent2{ID: a.Name, Source: a.Source, Disabled: isTrue(checked.Get("disable"))}
			agent.Rules = r.migrated(checked.Get("permission"))
			// A mode takes the place of the agent of its name.
			agents = slices.DeleteFunc(agents, func(old ConfigAgent2) bool { return old.ID == a.Name })
			agents = append(agents, agent)
		}
	}
	c.Agents = append(c.Agents, agents...)
}

func (r *ConfigReader) migrated(permission *policies.Node) []PlacedRule {
	var out []PlacedRule
	for _, f := range Ordered(permission) {
		if f.Value.Kind == policies.Scalar {
			out = append(out, placed(f.Name, "*", "*", f.Value, f.Source))
			continue
		}
		for _, p := range Ordered(f.Value) {
			out = append(out, placed(f.Name, ExpandHome(f.Name, p.Name, r.home()), p.Name, p.Value, p.Source))
		}
	}
	return out
}

// rules2 reads a list of native rules.
func (r *ConfigReader) rules2(n *policies.Node, what string) []PlacedRule {
	var out []PlacedRule
	for _, item := range r.List(n, what) {
		rule := PlacedRule{Rule: lastmatch.Rule{}, Source: item.Source}
		seen := 0
		for _, f := range r.Fields(item, "a rule of "+what) {
			switch f.Name {
			case "action":
				rule.Action, _ = r.AnyText(f.Value, "action")
			case "resource":
				rule.Text, _ = r.AnyText(f.Value, "resource")
			case "effect":
				word, _ := r.Word(f.Value, "effect", "allow", "ask", "deny")
				_ = rule.Effect.UnmarshalText([]byte(word)) // refused when it isn't one
			default:
				r.Refuse(f.Source, "a rule has no %q: use action, resource, effect", f.Name)
				continue
			}
			seen++
		}
		if item.Kind == policies.Mapping && seen < 3 {
			r.Refuse(item.Source, "a rule needs action, resource and effect")
		}
		rule.Resource = ExpandHome(rule.Action, rule.Text, r.home())
		out = append(out, rule)
	}
	return out
}

package opencode

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Config1 is what configuration files of 1.x come to, all of them merged.
type Config1 struct {
	Rules   []PlacedRule   // every agent's, behind those that it starts with
	Agents  []ConfigAgent1 // in the files' order
	Default *policies.Node // default_agent, nil when the files have none
	Plugins *policies.Node // the plugins of a file, nil when there are none
	Servers []string       // of MCP, by name
}

// ConfigAgent1 is an agent of the files.
type ConfigAgent1 struct {
	ID       string
	Rules    []PlacedRule // behind every agent's
	Disabled bool
	Subagent bool
	Hidden   bool
	Source   evaluator.Source
}

// V1 reads configuration files of 1.x as 1.18.33 does (source read 2026-11-30,
// measured): each file is checked by itself, then all are merged, and the order of
// the merged objects is the rules' order.
func (r *ConfigReader) V1(roots []*policies.Node) Config1 {
	c := Config1{Servers: servers(roots)}
	merged := &policies.Node{Kind: policies.Mapping}
	for _, root := range roots {
		r.Unknown(root)
		merged = filetree.Merge(merged, r.file1(root))
		if p := r.plugins(root); p != nil {
			c.Plugins = p
		}
	}
	permission := merged.Get("permission")
	if tools := merged.Get("tools"); tools != nil {
		permission = toolsFirst(tools, permission)
	}
	c.Rules = r.rules1(permission)
	agents := merged.Get("agent")
	if modes := merged.Get("mode"); modes != nil { // agents of another time, all of them primary
		if agents == nil {
			agents = &policies.Node{Kind: policies.Mapping}
		}
		agents = filetree.Merge(agents, modes)
	}
	c.Default = merged.Get("default_agent")
	for _, f := range Ordered(agents) {
		a := ConfigAgent1{ID: f.Name, Source: f.Source, Rules: r.rules1(f.Value.Get("permission"))}
		a.Disabled = isTrue(f.Value.Get("disable"))
		a.Hidden = isTrue(f.Value.Get("hidden"))
		if m := f.Value.Get("mode"); m != nil && merged.Get("mode").Get(a.ID) == nil {
			a.Subagent = m.Text == "subagent"
		}
		c.Agents = append(c.Agents, a)
	}
	return c
}

func isTrue(n *policies.Node) bool { return n != nil && !n.Quoted && n.Text == "true" }

// toolsFirst makes permissions of a tools object: its names come first, and what
// permission says of them replaces or joins it.
func toolsFirst(tools, permission *policies.Node) *policies.Node {
	out := &policies.Node{Kind: policies.Mapping, Source: tools.Source, Fields: toolPermissions(tools)}
	if permission == nil {
		return out
	}
	return filetree.Merge(out, permission)
}

// toolPermissions are the permissions that a tools object comes to. The tools that
// change files share one.
func toolPermissions(tools *policies.Node) []policies.Field {
	var out []policies.Field
	for _, f := range Ordered(tools) {
		word := "deny"
		if isTrue(f.Value) {
			word = "allow"
		}
		switch f.Name {
		case "write", "patch":
			f.Name = "edit"
		}
		f.Value = &policies.Node{Kind: policies.Scalar, Quoted: true, Text: word, Source: f.Value.Source}
		if i := slices.IndexFunc(out, func(old policies.Field) bool { return old.Name == f.Name }); i >= 0 {
			out[i] = f
			continue
		}
		out = append(out, f)
	}
	return out
}

// file1 is the part of one file that permissions depend on, checked.
func (r *ConfigReader) file1(root *policies.Node) *policies.Node {
	out := &policies.Node{Kind: policies.Mapping, Source: root.Source}
	add := func(f policies.Field, value *policies.Node) {
		if value != nil {
			out.Fields = append(out.Fields, policies.Field{Name: f.Name, Source: f.Source, Value: value})
		}
	}
	for _, f := range root.Fields {
		switch f.Name {
		case "permission":
			add(f, r.permission1(f.Value, "permission"))
		case "tools":
			add(f, r.tools1(f.Value, "tools"))
		case "agent", "mode":
			agents := &policies.Node{Kind: policies.Mapping, Source: f.Value.Source}
			for _, a := range r.Fields(f.Value, f.Name) {
				agents.Fields = append(agents.Fields, policies.Field{Name: a.Name, Source: a.Source, Value: r.agent1(a.Value, f.Name+"."+a.Name)})
			}
			add(f, agents)
		case "default_agent":
			if _, ok := r.AnyText(f.Value, f.Name); ok {
				add(f, f.Value)
			}
		case "permissions":
			r.Refuse(f.Source, "OpenCode 1.x refuses a file with %q, which is OpenCode 2's: use permission, or run opencode2", f.Name)
		case "agents":
			for _, a := range Ordered(f.Value) {
				if a.Value.Get("permissions") != nil {
					r.Refuse(a.Source, "OpenCode 1.x refuses a file with agents.*.permissions, which are OpenCode 2's: use agent.%s.permission, or run opencode2", a.Name)
				}
			}
		}
	}
	return out
}

// agent1 is one agent: its tools first, whose words its permission replaces.
func (r *ConfigReader) agent1(n *policies.Node, what string) *policies.Node {
	out := &policies.Node{Kind: policies.Mapping, Source: n.Source}
	permission := &policies.Node{Kind: policies.Mapping, Source: n.Source}
	for _, f := range r.Fields(n, what) {
		switch f.Name {
		case "disable", "hidden":
			r.Bool(f.Value, what+"."+f.Name)
			out.Fields = append(out.Fields, f)
		case "mode":
			r.Word(f.Value, what+".mode", "subagent", "primary", "all")
			out.Fields = append(out.Fields, f)
		case "tools":
			if tools := r.tools1(f.Value, what+".tools"); tools != nil {
				permission.Fields = toolPermissions(tools)
			}
		}
	}
	if own := n.Get("permission"); own != nil {
		if own = r.permission1(own, what+".permission"); own != nil {
			for _, f := range Ordered(own) {
				i := slices.IndexFunc(permission.Fields, func(old policies.Field) bool { return old.Name == f.Name })
				if i >= 0 {
					permission.Fields[i] = f
				} else {
					permission.Fields = append(permission.Fields, f)
				}
			}
		}
	}
	out.Fields = append(out.Fields, policies.Field{Name: "permission", Source: n.Source, Value: permission})
	return out
}

func (r *ConfigReader) tools1(n *policies.Node, what string) *policies.Node {
	for _, f := range r.Fields(n, what) {
		r.Bool(f.Value, what+"."+f.Name)
	}
	if n.Kind != policies.Mapping {
		return nil
	}
	return n
}

// wordsOnly are the permissions of 1.x whose value can't be an object.
var wordsOnly = set("todowrite question webfetch websearch doom_loop")

// permission1 checks a permission value and writes one word as an object.
func (r *ConfigReader) permission1(n *policies.Node, what string) *policies.Node {
	words := []string{"ask", "allow", "deny"}
	if n.Kind == policies.Scalar {
		if _, ok := r.Word(n, what, words...); !ok {
			return nil
		}
		all := policies.Field{Name: "*", Source: n.Source, Value: n}
		return &policies.Node{Kind: policies.Mapping, Source: n.Source, Fields: []policies.Field{all}}
	}
	for _, f := range r.Fields(n, what) {
		r.name1(f)
		switch {
		case f.Value.Kind == policies.Scalar:
			r.Word(f.Value, what+"."+f.Name, words...)
		case wordsOnly[f.Name]:
			r.Refuse(f.Value.Source, "%s.%s takes a word: use %s", what, f.Name, strings.Join(words, ", "))
		default:
			for _, p := range r.Fields(f.Value, what+"."+f.Name) {
				r.name1(p)
				r.Word(p.Value, what+"."+f.Name+"."+p.Name, words...)
			}
		}
	}
	if n.Kind != policies.Mapping {
		return nil
	}
	return n
}

// name1 refuses names that don't become what they look like.
func (r *ConfigReader) name1(f policies.Field) {
	if f.Name == "__proto__" {
		r.Refuse(f.Source, "OpenCode drops the name __proto__, and the rule with it: remove it")
	}
	if rest := strings.ReplaceAll(f.Name, "{env:HOME}", ""); strings.Contains(rest, "{env:") || strings.Contains(rest, "{file:") {
		r.Refuse(f.Source, "%q depends on what isn't in the file, the environment or another file: write it out", f.Name)
	}
}

// rules1 lists the rules of a permission object in their order.
func (r *ConfigReader) rules1(permission *policies.Node) []PlacedRule {
	var out []PlacedRule
	for _, f := range Ordered(permission) {
		name := r.expanded1(f.Name)
		if f.Value.Kind == policies.Scalar {
			out = append(out, placed(name, "*", "*", f.Value, f.Source))
			continue
		}
		for _, p := range Ordered(f.Value) {
			out = append(out, placed(name, ExpandHome1(r.expanded1(p.Name), r.home()), p.Name, p.Value, p.Source))
		}
	}
	return out
}

func placed(action, resource, text string, effect *policies.Node, at evaluator.Source) PlacedRule {
	rule := PlacedRule{Rule: lastmatch.Rule{Action: action, Resource: resource}, Source: at, Text: text}
	_ = rule.Effect.UnmarshalText([]byte(effect.Text)) // it is one of the words
	return rule
}

// expanded1 puts the home folder in place of {env:HOME}, which OpenCode replaces
// in the text of a file.
func (r *ConfigReader) expanded1(s string) string {
	return strings.ReplaceAll(s, "{env:HOME}", r.home())
}

// home is the home folder, or what stands for it.
func (r *ConfigReader) home() string {
	if r.Env.Home == "" {
		return "<home>"
	}
	return r.Env.Home
}

// servers are the names of the MCP servers of the files.
func servers(roots []*policies.Node) []string {
	var out []string
	for _, root := range roots {
		mcp := root.Get("mcp")
		if s := mcp.Get("servers"); s != nil {
			mcp = s
		}
		for _, f := range mcp.AllFields() {
			out = append(out, f.Name)
		}
	}
	return out
}

package opencode

import (
	"slices"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Layers names the layers of configuration files.
func (dialect) Layers() []string { return oc.ConfigLayers() }

// Within lists where configuration files lie in a folder.
func (dialect) Within() []string { return oc.ConfigWithin() }

// Beside is empty: the agents of a folder, in Markdown, aren't read.
func (dialect) Beside() string { return "" }

// IsSettings tells a configuration from a session's rules.
func (dialect) IsSettings(text []byte) bool { return oc.IsConfig(text) }

// builtinAgents are OpenCode's own, in the order in which 1.18.33 has them.
var builtinAgents = []string{"build", "plan", "general", "explore", "compaction", "title", "summary"}

// ReadSettings reads configuration files: they are rules of the agents, which
// precede a session's. The session has none of its own.
func (d dialect) ReadSettings(files []compiler.SettingsFile, _ evaluator.Interaction, s compiler.Setting) (*compiler.FileSettings, error) {
	r := &oc.ConfigReader{Env: s.Env}
	c := r.V1(r.Trees(files))
	p, err := placeOf(s.Env)
	if err != nil {
		return nil, err
	}
	out := &compiler.FileSettings{Native: []byte("[]"), Env: s.Env}
	list := agents(c, p)
	if out.Env.Agent == "" {
		out.Env.Agent = defaultAgent(r, c, list)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	out.Env.Agents = nil
	for _, a := range list {
		agent := evaluator.Agent{ID: a.id}
		for i, rule := range a.rules {
			agent.Permissions = append(agent.Permissions, evaluator.AgentRule(rule.Rule))
			if a.id == agentOf(out.Env) && rule.Source.File != "" {
				out.Sources = append(out.Sources, compiler.SourceRef{Pointer: oc.AgentPointer(i), Source: rule.Source})
			}
		}
		out.Env.Agents = append(out.Env.Agents, agent)
	}
	if c.Plugins != nil {
		out.Doubts = append(out.Doubts, compiler.Doubt{Reason: "a plugin, as at " + oc.At(c.Plugins.Source) + ", may change rules and calls as it likes, and what it does isn't known",
			About: func(evaluator.Action, evaluator.Verdict) bool { return true }})
	}
	out.Draft = newDrafter(c, s.Env, p, defaultAgent(r, c, list))
	out.Assumed = append(r.Assumed,
		"before the files' rules, agent "+agentOf(out.Env)+" has those that OpenCode "+Version+" starts with",
		oc.NotGiven)
	return out, nil
}

// agent is an agent with all its rules in order; those of the files have places.
type agent struct {
	id     string
	rules  []oc.PlacedRule
	hidden bool
	sub    bool
}

// agents are what GET /agent lists: what an agent starts with, the configuration's
// rules, the agent's own, and the rule that ends them.
func agents(c oc.Config1, p place) []agent {
	var out []agent
	add := func(id string, own oc.ConfigAgent1) {
		a := agent{id: id, hidden: own.Hidden, sub: own.Subagent}
		switch id {
		case "general", "explore":
			a.sub = true
		case "compaction", "title", "summary":
			a.hidden = true
		}
		for _, rule := range starts(id, p) {
			a.rules = append(a.rules, oc.PlacedRule{Rule: rule})
		}
		a.rules = slices.Concat(a.rules, c.Rules, own.Rules)
		last := ends(p)
		denied := lastmatch.Rule{Action: last.Action, Resource: last.Resource, Effect: evaluator.Deny}
		if !slices.ContainsFunc(a.rules, func(r oc.PlacedRule) bool { return r.Rule == denied }) {
			a.rules = append(a.rules, oc.PlacedRule{Rule: last})
		}
		out = append(out, a)
	}
	find := func(id string) (oc.ConfigAgent1, bool) {
		i := slices.IndexFunc(c.Agents, func(a oc.ConfigAgent1) bool { return a.ID == id })
		if i < 0 {
			return oc.ConfigAgent1{}, false
		}
		return c.Agents[i], true
	}
	for _, id := range builtinAgents {
		if own, _ := find(id); !own.Disabled {
			add(id, own)
		}
	}
	for _, own := range c.Agents {
		if !slices.Contains(builtinAgents, own.ID) && !own.Disabled {
			add(own.ID, own)
		}
	}
	return out
}

// defaultAgent is the agent that a session runs when nobody chooses: the
// configuration's, else the first one that people can choose.
func defaultAgent(r *oc.ConfigReader, c oc.Config1, list []agent) string {
	usable := func(a agent) bool { return !a.sub && !a.hidden }
	if c.Default == nil {
		if i := slices.IndexFunc(list, usable); i >= 0 {
			return list[i].id
		}
		return ""
	}
	id := c.Default.Text
	switch i := slices.IndexFunc(list, func(a agent) bool { return a.id == id }); {
	case i < 0:
		r.Refuse(c.Default.Source, "default_agent is %q, and the files have no such agent: OpenCode doesn't start without; agents in Markdown files aren't read", id)
	case !usable(list[i]):
		r.Refuse(c.Default.Source, "default_agent is %q, which is a subagent or hidden: OpenCode doesn't start with it", id)
	}
	return id
}

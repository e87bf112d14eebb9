package opencode2

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Layers names the layers of configuration files.
func (dialect) Layers() []string { return opencode.ConfigLayers() }

// Within lists where configuration files lie in a folder.
func (dialect) Within() []string { return opencode.ConfigWithin() }

// Beside is empty: the agents of a folder, in Markdown, aren't read.
func (dialect) Beside() string { return "" }

// IsSettings tells a configuration from a session's rules.
func (dialect) IsSettings(text []byte) bool { return opencode.IsConfig(text) }

// builtinAgents are the agents that 1.18.33's native surface lists.
var builtinAgents = []string{"build", "plan", "general", "explore", "compaction", "title", "summary"}

// ReadSettings reads configuration files: they are rules of the agents, which
// precede a session's. The session has none of its own. Whether 2.0 gives the names
// of 1.x their new ones when it reads an old file isn't known: 1.18.33's native
// surface doesn't, and its tools ask under the old ones.
func (d dialect) ReadSettings(files []compiler.SettingsFile, _ evaluator.Interaction, s compiler.Setting) (*compiler.FileSettings, error) {
	r := &opencode.ConfigReader{Env: s.Env}
	c := r.V2(r.Trees(files))
	if err := r.Err(); err != nil {
		return nil, err
	}
	out := &compiler.FileSettings{Native: []byte("[]"), Env: s.Env}
	if out.Env.Agent == "" {
		out.Env.Agent = c.Default
	}
	var own []opencode.PlacedRule
	out.Env.Agents, own = configured(c, s, agentOf(out.Env))
	id := agentOf(out.Env)
	start := 0
	for _, a := range out.Env.Agents {
		if a.ID == id {
			start = len(a.Permissions) - len(own)
		}
	}
	for i, rule := range own {
		out.Sources = append(out.Sources, compiler.SourceRef{Pointer: opencode.AgentPointer(start + i), Source: rule.Source})
	}
	if c.Migrated != nil {
		renamed := out.Env
		renamed.Agents, _ = configured(rename(c), s, id)
		out.Instead = append(out.Instead, compiler.Alternative{Env: renamed, Reason: fmt.Sprintf(
			"%s at %s makes the file one of OpenCode 1.x, and whether 2.0 reads bash as shell and task as subagent there isn't known", c.Migrated.Text, opencode.At(c.Migrated.Source))})
	}
	if c.Plugins != nil {
		out.Doubts = append(out.Doubts, compiler.Doubt{Reason: "a plugin, as at " + opencode.At(c.Plugins.Source) + ", may answer in the rules' place, and what it says isn't known",
			About: func(_ evaluator.Action, v evaluator.Verdict) bool { return v.Effect != evaluator.Deny }})
	}
	if slices.Contains(builtinAgents[2:], id) {
		out.Doubts = append(out.Doubts, compiler.Doubt{Reason: "the rules that agent " + id + " starts with on OpenCode 2 aren't known",
			About: func(evaluator.Action, evaluator.Verdict) bool { return true }})
	}
	out.Draft = newDrafter(c, out.Env, own)
	out.Assumed = append(r.Assumed,
		"before the files' rules, agent "+id+" has OpenCode's documented defaults",
		opencode.NotGiven)
	return out, nil
}

// configured lists the agents with all their rules in order, and those rules of one of
// them that the files have. An agent of the files' own starts with nothing on
// 1.18.33 (measured), and like any other on 2.0 (source read 2026-11-30).
func configured(c opencode.Config2, s compiler.Setting, which string) (out []evaluator.Agent, own []opencode.PlacedRule) {
	ids := slices.Clone(builtinAgents)
	for _, a := range c.Agents {
		if !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	for _, id := range ids {
		rules := slices.Clone(c.Rules)
		there := slices.Contains(builtinAgents, id)
		for _, a := range c.Agents {
			switch {
			case a.ID != id:
			case a.Disabled:
				there, rules = false, slices.Clone(c.Rules)
			default:
				there = true
				rules = append(rules, a.Rules...)
			}
		}
		if !there {
			continue
		}
		agent := evaluator.Agent{ID: id}
		if s.Version != Measured || slices.Contains(builtinAgents, id) {
			for _, rule := range defaults(id, s.Env.Home) {
				agent.Permissions = append(agent.Permissions, evaluator.AgentRule(rule))
			}
		}
		for _, rule := range rules {
			agent.Permissions = append(agent.Permissions, evaluator.AgentRule(rule.Rule))
		}
		if id == which {
			own = rules
		}
		out = append(out, agent)
	}
	return out, own
}

// rename gives the rules of migrated files the names that 2.0 has.
func rename(c opencode.Config2) opencode.Config2 {
	list := func(rules []opencode.PlacedRule) []opencode.PlacedRule {
		out := slices.Clone(rules)
		for i := range out {
			out[i].Rule = renamed(out[i].Rule)
		}
		return out
	}
	out := opencode.Config2{Rules: list(c.Rules)}
	for _, a := range c.Agents {
		a.Rules = list(a.Rules)
		out.Agents = append(out.Agents, a)
	}
	return out
}

func renamed(r lastmatch.Rule) lastmatch.Rule {
	switch r.Action {
	case "bash":
		r.Action = "shell"
	case "task":
		r.Action = "subagent"
	}
	return r
}

package opencode2

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// declare says which of the policy's rules the session's rules don't keep. It
// knows the policy, what was added to it and how 2.0 asks, never what the native
// rules mean: that comparison comes later and must find the same.
func (w *writer) declare(at opencode.Place, agent []lastmatch.Rule, agentPaths []evaluator.AgentRule) []evaluator.Gap {
	m := w.Model(agent...)
	m.Undeniable = []string{"shell", "read"}
	for _, p := range w.profile.first {
		m.Native(p.Rule)
	}
	for _, r := range w.In.Rules {
		if r.Section != compiler.InteractionRules || fromRule(r) {
			m.Said(r)
		}
	}
	for _, p := range agentPaths {
		m.Native(lastmatch.Rule(p))
	}
	for _, p := range w.profile.last {
		m.Native(p.Rule)
	}
	d := declarer{m, at}
	return compiler.Declare(w.In, w.Env, d.outcome)
}

type declarer struct {
	*opencode.Model
	place opencode.Place
}

func (d declarer) outcome(p compiler.Probe) compiler.Outcome {
	switch p.Kind {
	case evaluator.Command:
		texts := opencode.ProbeTexts(p)
		if len(texts) == 0 {
			texts = []string{p.Command}
		}
		return d.Strictest(compiler.Outcome{}, opencode.ProbeFolders(p, shellNames, d.place), "shell", texts)
	case evaluator.FileRead:
		return d.files("read", p.Path)
	case evaluator.FileChange:
		return d.files("edit", p.Path, p.To)
	case evaluator.MCPTool:
		return d.Decide(opencode.ToolName(p.Server, p.Tool), "*")
	case evaluator.Question:
		return d.Decide("question", "*")
	}
	return d.Decide(names[p.Kind], p.URL+p.Query+p.Agent)
}

func (d declarer) files(action string, names ...string) compiler.Outcome {
	var folders [][2]string
	var texts []string
	for _, name := range names {
		if name == "" {
			continue
		}
		at := paths.Resolve(d.place.Directory, name, d.place.Links)
		text := paths.Rel(d.place.Directory, at)
		if !d.place.Inside(at) {
			folder := d.place.FileText(at)
			folders, text = append(folders, [2]string{folder, folder}), at
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, strings.TrimPrefix(text, "./"))
		}
	}
	return d.Strictest(compiler.Outcome{}, folders, action, texts)
}

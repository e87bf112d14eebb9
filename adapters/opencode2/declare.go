package opencode2

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// declare says which of the policy's rules the session's rules don't keep. It
// looks at the policy and at what was added to it, never at the native rules'
// meaning: that comparison comes later and must find the same.
func (w *writer) declare(agentPaths []evaluator.AgentRule, last []placed) {
	for _, kind := range compiler.ConditionKinds() {
		r := w.In.Governs(kind)
		if r == nil {
			continue
		}
		w.declareRule(kind, *r)
		for _, p := range last {
			if p.Action == names[kind] && p.Resource == "*" && compiler.Looser(r.Effect, p.Effect) {
				w.Gap(kind, *r, evaluator.Narrower, p.Effect, "the profile's last rule: "+p.Action+" "+p.Effect.String()+", whatever else is said")
			}
		}
	}
	for _, r := range w.In.Narrow() {
		switch said := opencode.Lower(r, names, w.Env); {
		case r.Match == compiler.PlanFiles:
			w.declarePlanFiles(r, agentPaths)
		case said.Loss != "":
			w.Gap(r.Kind, r, evaluator.Narrower, evaluator.Ask, said.Loss)
		default:
			w.declareRule(r.Kind, r)
			w.declareUnseen(r)
		}
	}
	for _, p := range agentPaths {
		w.declarePath(p, agentPaths)
	}
}

// declareRule declares the effects that OpenCode 2 doesn't have for a kind.
func (w *writer) declareRule(kind evaluator.Kind, r compiler.Rule) {
	switch {
	case r.Effect == evaluator.Review:
		w.Gap(kind, r, evaluator.Narrower, evaluator.Ask, "OpenCode has no reviewer, so a person is asked")
	case r.Effect == evaluator.Deny && (kind == evaluator.Command || kind == evaluator.FileRead):
		w.Gap(kind, r, evaluator.Wider, evaluator.Ask, "OpenCode 2 refuses sessions that deny shell or read, so a person is asked")
	}
}

// declareUnseen declares what runs along with an allowed command: 2.0 doesn't ask
// about export, unset and declare beside another command (source read 2026-11-30).
func (w *writer) declareUnseen(r compiler.Rule) {
	all := w.In.Governs(evaluator.Command)
	if r.Kind == evaluator.Command && r.Effect == evaluator.Allow && all != nil && compiler.Looser(evaluator.Allow, all.Effect) {
		w.Gap(evaluator.Command, *all, evaluator.Wider, evaluator.Allow, "export, unset and declare beside an allowed command run unasked")
	}
}

// declarePlanFiles declares a plan folder that no agent opens.
func (w *writer) declarePlanFiles(r compiler.Rule, agentPaths []evaluator.AgentRule) {
	file := paths.Home(w.Env.Home, strings.TrimSuffix(dialect{}.PlanFiles(w.Env)[0], "*")+"x")
	if allows(agentPaths, "edit", file) && allows(agentPaths, "external_directory", file) {
		return
	}
	w.Gap(r.Kind, r, evaluator.Narrower, evaluator.Deny, "no agent of the session's list opens the plan folder, so the rules can't")
}

func allows(list []evaluator.AgentRule, action, path string) bool {
	return slices.ContainsFunc(list, func(r evaluator.AgentRule) bool {
		return r.Action == action && wildcard.Compile(r.Resource).Match(path)
	})
}

// declarePath declares what an agent's path opens beyond the policy.
func (w *writer) declarePath(p evaluator.AgentRule, agentPaths []evaluator.AgentRule) {
	path := strings.NewReplacer("*", "x", "?", "x").Replace(p.Resource)
	outside := !paths.Within(placeOf(w.Env).Directory, paths.Abs(placeOf(w.Env).Directory, path))
	beyond := w.In.Governs(evaluator.OutsideWorkspace)
	if p.Action == "external_directory" {
		if outside && beyond != nil && compiler.Looser(evaluator.Allow, beyond.Effect) {
			w.Gap(evaluator.OutsideWorkspace, *beyond, evaluator.Wider, evaluator.Allow, "the session's agent allows its own folders for data, output and temporary files")
		}
		return
	}
	change := w.In.Governs(evaluator.FileChange)
	if change == nil || w.isPlanFile(path) {
		return
	}
	got := evaluator.Allow
	if outside && !allows(agentPaths, "external_directory", path) {
		got = evaluator.Ask
	}
	if compiler.Looser(got, change.Effect) {
		w.Gap(evaluator.FileChange, *change, evaluator.Wider, got, "the session's agent allows edits of "+p.Resource+", and that rule can't be told from its own folders")
	}
}

func (w *writer) isPlanFile(path string) bool {
	return slices.ContainsFunc(w.In.PlanFiles, func(glob string) bool { return compiler.MatchPath(glob, path, w.Env) })
}

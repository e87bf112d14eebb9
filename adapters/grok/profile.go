package grok

import (
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// profile is a policy's own values for Grok, each with its place.
//
//	argv: [agent, stdio]
//	sessionMeta: {yoloMode: false}
//	insist: true
//	modes:
//	  full-access: {permission: allow, argv: [agent, --always-approve, stdio]}
//	plan: {permission: ask}
//
// What a mode sets stands instead of what is set for all modes, what plan sets
// instead of the mode's.
type profile struct {
	settings
	modes map[evaluator.Mode]settings
	plan  settings
}

type settings struct {
	argv       []string
	meta       SessionMeta
	permission Permission
	insist     bool                        // the callback answers by all that the policy says; set for all modes
	sources    map[string]evaluator.Source // by JSON Pointer into the native settings
}

// The JSON Pointers of the native settings' parts.
const (
	argvPointer     = "/argv"
	metaPointer     = "/sessionMeta"
	callbackPointer = "/callback/permission"
)

func readProfile(r *policies.Reader, n *policies.Node) profile {
	p := profile{settings: newSettings(), modes: map[evaluator.Mode]settings{}}
	modes := map[string]func(*policies.Node){}
	for _, m := range evaluator.Modes() {
		modes[string(m)] = func(n *policies.Node) { p.modes[m] = readMode(r, n, string(m)) }
	}
	r.Map(n, "the grok profile", map[string]func(*policies.Node){
		"argv":        func(n *policies.Node) { p.readArgv(r, n) },
		"sessionMeta": func(n *policies.Node) { p.readMeta(r, n) },
		"insist":      func(n *policies.Node) { p.insist = r.Bool(n, "insist") },
		"modes":       func(n *policies.Node) { r.Map(n, "modes", modes) },
		"plan":        func(n *policies.Node) { p.plan = readMode(r, n, "plan") },
	})
	return p
}

func newSettings() settings { return settings{sources: map[string]evaluator.Source{}} }

func readMode(r *policies.Reader, n *policies.Node, mode string) settings {
	s := newSettings()
	r.Map(n, "the grok profile of "+mode, map[string]func(*policies.Node){
		"argv":        func(n *policies.Node) { s.readArgv(r, n) },
		"sessionMeta": func(n *policies.Node) { s.readMeta(r, n) },
		"permission": func(n *policies.Node) {
			s.permission = Permission(r.Word(n, "permission", string(AskPermission), string(AllowPermission)))
			s.sources[callbackPointer] = n.Source
		},
	})
	return s
}

func (s *settings) readArgv(r *policies.Reader, n *policies.Node) {
	s.sources[argvPointer] = n.Source
	s.argv = []string{}
	if n.Kind == policies.Sequence && len(n.Items) == 0 {
		r.Refuse(n.Source, "argv is an empty list: fill it, or leave it out")
	}
	r.Each(n, "argv", func(item *policies.Node) { s.argv = append(s.argv, r.Text(item, "an argument")) })
}

func (s *settings) readMeta(r *policies.Reader, n *policies.Node) {
	s.sources[metaPointer] = n.Source
	set := func(to **bool, what string) func(*policies.Node) {
		return func(n *policies.Node) { v := r.Bool(n, what); *to = &v }
	}
	r.Map(n, "sessionMeta", map[string]func(*policies.Node){
		"yoloMode": set(&s.meta.YoloMode, "yoloMode"),
		"autoMode": set(&s.meta.AutoMode, "autoMode"),
	})
}

// of merges what holds for all modes with what one mode sets, and plan.
func (p profile) of(c evaluator.Cell) settings {
	out := newSettings()
	out.insist = p.insist
	layers := []settings{p.settings, p.modes[c.Mode]}
	if c.Interaction == evaluator.Plan {
		layers = append(layers, p.plan)
	}
	for _, s := range layers {
		for pointer, source := range s.sources {
			out.sources[pointer] = source
		}
		if s.argv != nil {
			out.argv = s.argv
		}
		if s.permission != "" {
			out.permission = s.permission
		}
		if _, ok := s.sources[metaPointer]; ok {
			out.meta = s.meta
		}
	}
	return out
}

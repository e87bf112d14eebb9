package opencode2

import (
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// placed is a rule of a profile with its place.
type placed struct {
	lastmatch.Rule
	source evaluator.Source
}

// profile is what a policy says in OpenCode 2's own words.
type profile struct {
	first  []placed // before all others, outside of full access
	last   []placed // after all others
	own    bool     // of the agent's paths, only its own folders are allowed again
	person bool     // who answers what OpenCode asks, whatever the rules deny
}

// CheckProfile accepts `first` and `last`, the rules that come before and after
// all others; `agentPaths`: `all` allows again what the agent's rules allow, `own`
// the folders for data, output and plans that OpenCode itself gives it; and
// `callback`, see [opencode.ReadCallback].
func (dialect) CheckProfile(r *policies.Reader, n *policies.Node) { readProfile(r, n) }

func readProfile(r *policies.Reader, n *policies.Node) profile {
	var p profile
	rules := func(name string, into *[]placed) func(*policies.Node) {
		return func(n *policies.Node) {
			r.Each(n, name, func(n *policies.Node) { *into = append(*into, readRule(r, n)) })
		}
	}
	r.Map(n, "the opencode2 profile", map[string]func(*policies.Node){
		"first":      rules("first", &p.first),
		"last":       rules("last", &p.last),
		"agentPaths": func(n *policies.Node) { p.own = r.Word(n, "agentPaths", "all", "own") == "own" },
		"callback":   func(n *policies.Node) { p.person = opencode.ReadCallback(r, n) },
	})
	return p
}

func readRule(r *policies.Reader, n *policies.Node) placed {
	p := placed{source: n.Source}
	missing := map[string]bool{"action": true, "resource": true, "effect": true}
	text := func(name string, dst *string) func(*policies.Node) {
		return func(n *policies.Node) {
			delete(missing, name)
			*dst = r.Text(n, name)
		}
	}
	r.Map(n, "a rule", map[string]func(*policies.Node){
		"id":       text("id", &p.source.ID),
		"action":   text("action", &p.Action),
		"resource": text("resource", &p.Resource),
		"effect": func(n *policies.Node) {
			delete(missing, "effect")
			p.Effect.UnmarshalText([]byte(r.Word(n, "effect", "allow", "ask", "deny")))
		},
	})
	for _, name := range []string{"action", "resource", "effect"} {
		if missing[name] {
			r.Refuse(n.Source, "a rule needs %q", name)
		}
	}
	if p.Effect == evaluator.Deny && (p.Action == "shell" || p.Action == "read" || p.Action == "*") {
		r.Refuse(n.Source, "OpenCode 2 refuses sessions that deny %q on its free tier: use ask", p.Action)
	}
	return p
}

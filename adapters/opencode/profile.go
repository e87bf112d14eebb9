package opencode

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// profile is what a policy says in 1.x's own words.
type profile struct {
	lists map[string][]placed
	modes map[evaluator.Mode]string // the list that stands for the mode's rules
	agent bool                      // plan is left to the plan agent: the interaction's rules aren't sent

	person bool // who answers what OpenCode asks, whatever the rules deny
}

// placed is a rule with its place.
type placed struct {
	lastmatch.Rule
	source evaluator.Source
}

// CheckProfile accepts `lists` of rules by name, `modes` that name one of them,
// `plan`: `agent` leaves plan to the plan agent, `rules` sends plan's rules; and
// `callback`, see [oc.ReadCallback].
func (dialect) CheckProfile(r *policies.Reader, n *policies.Node) { readProfile(r, n) }

func readProfile(r *policies.Reader, n *policies.Node) profile {
	p := profile{lists: map[string][]placed{}, modes: map[evaluator.Mode]string{}}
	if n == nil {
		return p
	}
	r.Map(n, "the opencode profile", map[string]func(*policies.Node){
		"lists": func(n *policies.Node) { p.readLists(r, n) },
		"modes": func(*policies.Node) {}, // after the lists, whatever the order in the file
		"plan":  func(n *policies.Node) { p.agent = r.Word(n, "plan", "agent", "rules") == "agent" },

		"callback": func(n *policies.Node) { p.person = oc.ReadCallback(r, n) },
	})
	if modes := n.Get("modes"); modes != nil {
		p.readModes(r, modes)
	}
	return p
}

func (p profile) readLists(r *policies.Reader, n *policies.Node) {
	if n.Kind != policies.Mapping {
		r.Refuse(n.Source, "lists must be a mapping of names to lists of rules")
		return
	}
	for _, f := range n.Fields {
		p.lists[f.Name] = []placed{}
		r.Each(f.Value, "list "+f.Name, func(n *policies.Node) {
			p.lists[f.Name] = append(p.lists[f.Name], readRule(r, n))
		})
	}
}

func (p profile) readModes(r *policies.Reader, n *policies.Node) {
	known := make([]string, 0, len(p.lists))
	for name := range p.lists {
		known = append(known, name)
	}
	slices.Sort(known)
	fields := map[string]func(*policies.Node){}
	for _, mode := range evaluator.Modes() {
		fields[string(mode)] = func(n *policies.Node) {
			r.Map(n, "mode "+string(mode), map[string]func(*policies.Node){
				"list": func(n *policies.Node) {
					if len(known) == 0 {
						r.Refuse(n.Source, "the profile has no lists")
						return
					}
					p.modes[mode] = r.Word(n, "list", known...)
				},
			})
		}
	}
	r.Map(n, "the opencode profile's modes", fields)
}

func readRule(r *policies.Reader, n *policies.Node) placed {
	p := placed{source: n.Source}
	seen := map[string]bool{}
	text := func(name string, dst *string) func(*policies.Node) {
		return func(n *policies.Node) {
			seen[name] = true
			*dst = r.Text(n, name)
		}
	}
	r.Map(n, "a rule", map[string]func(*policies.Node){
		"id":         text("id", &p.source.ID),
		"permission": text("permission", &p.Action),
		"pattern":    text("pattern", &p.Resource),
		"action": func(n *policies.Node) {
			seen["action"] = true
			p.Effect.UnmarshalText([]byte(r.Word(n, "action", "allow", "ask", "deny")))
		},
	})
	for _, name := range []string{"permission", "pattern", "action"} {
		if !seen[name] {
			r.Refuse(n.Source, "a rule needs %q", name)
		}
	}
	if p.source.ID == "" {
		p.source.ID = strings.Join([]string{p.Action, p.Effect.String()}, "-")
	}
	return p
}

package policies

import "github.com/modegate/modegate/evaluator"

// env reads what a test says of its session, in the names of the Env's JSON.
func (r *suiteReader) env(n *Node) evaluator.Env {
	var e evaluator.Env
	before := len(r.Problems)
	r.notEmpty(n, "env")
	r.Map(n, "env", map[string]func(*Node){
		"workspace": func(n *Node) { e.Workspace = r.line(n, "workspace") },
		"home":      func(n *Node) { e.Home = r.line(n, "home") },
		"platform":  func(n *Node) { e.Platform = r.Word(n, "platform", "linux", "darwin", "windows") },
		"agent":     func(n *Node) { e.Agent = r.line(n, "agent") },
		"agents": func(n *Node) {
			e.Agents = []evaluator.Agent{} // an empty list says that there are none
			r.Each(n, "agents", func(n *Node) { e.Agents = append(e.Agents, r.agent(n)) })
		},
		"grants":   func(n *Node) { e.Grants = r.grants(n, "grants") },
		"saved":    func(n *Node) { e.Saved = r.grants(n, "saved") },
		"resolved": func(n *Node) { e.Resolved = r.resolved(n) },
		"facts":    func(n *Node) { e.Facts = r.json(n, "facts") },
	})
	if len(r.Problems) > before {
		return e
	}
	if err := e.Check(); err != nil {
		r.Refuse(n.Source, "env: %s", err)
	}
	return e
}

func (r *suiteReader) agent(n *Node) evaluator.Agent {
	var a evaluator.Agent
	const what = "an agent"
	r.Map(n, what, map[string]func(*Node){
		"id": func(n *Node) { a.ID = r.Text(n, "id") },
		"permissions": func(n *Node) {
			r.Each(n, "permissions", func(n *Node) { a.Permissions = append(a.Permissions, r.agentRule(n)) })
		},
	})
	r.Require(n, what, "id", "permissions")
	return a
}

func (r *suiteReader) agentRule(n *Node) evaluator.AgentRule {
	var rule evaluator.AgentRule
	const what = "an agent's rule"
	r.Map(n, what, map[string]func(*Node){
		"action":   func(n *Node) { rule.Action = r.Text(n, "action") },
		"resource": func(n *Node) { rule.Resource = r.Text(n, "resource") },
		"effect": func(n *Node) {
			if word := r.Word(n, "effect", "allow", "ask", "deny"); word != "" {
				_ = rule.Effect.UnmarshalText([]byte(word)) // it is one of the words
			}
		},
	})
	r.Require(n, what, "action", "resource", "effect")
	return rule
}

func (r *suiteReader) grants(n *Node, name string) []evaluator.Grant {
	var out []evaluator.Grant
	r.notEmpty(n, name)
	r.Each(n, name, func(n *Node) {
		var g evaluator.Grant
		const what = "a grant"
		r.Map(n, what, map[string]func(*Node){
			"action":   func(n *Node) { g.Action = r.Text(n, "action") },
			"resource": func(n *Node) { g.Resource = r.Text(n, "resource") },
		})
		r.Require(n, what, "action", "resource")
		out = append(out, g)
	})
	return out
}

// resolved reads what links point to, by the path as an Action writes it.
func (r *suiteReader) resolved(n *Node) map[string]string {
	if n.Kind != Mapping {
		r.wrongKind(n, "resolved", "a mapping of paths")
		return nil
	}
	r.notEmpty(n, "resolved")
	out := map[string]string{}
	for _, f := range n.Fields {
		out[f.Name] = r.Text(f.Value, "a path of resolved")
	}
	return out
}

package policies

import "github.com/modegate/modegate/evaluator"

// readRules reads one list of rules. Only where selects is true may a rule
// choose modes: in a mode's own list the choice is made.
func (l *layer) readRules(n *Node, what string, selects bool) []Rule {
	var rules []Rule
	seen := map[string]int{}
	l.notEmpty(n, what)
	l.Each(n, what, func(n *Node) {
		rule := l.readRule(n, selects)
		if line, ok := seen[rule.ID]; ok && rule.ID != "" {
			l.Refuse(n.Source, "the id %q is in %s a second time (first on line %d): choose another", rule.ID, what, line)
		} else {
			seen[rule.ID] = n.Source.Line
		}
		rules = append(rules, rule)
	})
	return rules
}

func (l *layer) readRule(n *Node, selects bool) Rule {
	rule := Rule{Source: n.Source}
	what := "a rule"
	if id := n.Get("id"); id != nil && id.Kind == Scalar {
		what = "rule " + show(id.Text)
	}
	var match *Node
	fields := map[string]func(*Node){
		"id":     func(n *Node) { rule.ID = l.id(n, "id") },
		"kind":   func(n *Node) { rule.Kind = evaluator.Kind(l.Word(n, "kind", texts(evaluator.RuleKinds())...)) },
		"match":  func(n *Node) { match = n },
		"effect": func(n *Node) { rule.Effect = l.effect(n) },
		"providers": func(n *Node) {
			rule.Providers = selection(&l.Reader, n, "providers of "+what, "provider", evaluator.Providers())
		},
	}
	if selects {
		fields["modes"] = func(n *Node) {
			rule.Modes = selection(&l.Reader, n, "modes of "+what, "mode", evaluator.Modes())
		}
	} else if modes := n.Get("modes"); modes != nil {
		fields["modes"] = func(n *Node) {
			l.Refuse(n.Source, "%s is in a mode's own list, so it can't choose modes: leave them out, or move it to the policy's rules", what)
		}
	}
	l.Map(n, what, fields)
	l.Require(n, what, "kind", "match", "effect")
	if match != nil {
		rule.Match = l.match(match, rule.Kind)
	}
	rule.Source.ID = rule.ID
	return rule
}

// match reads a pattern. With an unknown kind only what no kind accepts is
// refused.
func (l *layer) match(n *Node, kind evaluator.Kind) string {
	if n.Kind != Scalar || isBool(n) {
		return l.Text(n, "match")
	}
	if err := CheckMatch(kind, n.Text); err != nil {
		l.Refuse(n.Source, "%s", err)
	}
	return n.Text
}

func (l *layer) effect(n *Node) evaluator.Effect {
	var known []string
	for _, e := range []evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Review, evaluator.Deny} {
		known = append(known, e.String())
	}
	var e evaluator.Effect
	if word := l.Word(n, "effect", known...); word != "" {
		_ = e.UnmarshalText([]byte(word)) // it is one of the words
	}
	return e
}

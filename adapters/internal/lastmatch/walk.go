package lastmatch

import "github.com/modegate/modegate/adapters/internal/wildcard"

// Seen says how one rule met an action and a resource.
type Seen struct {
	Action   bool // the rule's action pattern matches
	Resource bool // the rule's resource pattern matches
}

// Matched reports whether both patterns match.
func (s Seen) Matched() bool { return s.Action && s.Resource }

// Walk compares every rule and returns what it saw and the position of the
// deciding rule, -1 when none matches. It is slow and plain on purpose.
func Walk(rules []Rule, action, resource string) ([]Seen, int) {
	seen := make([]Seen, len(rules))
	decides := -1
	for i, r := range rules {
		seen[i] = Seen{
			Action:   wildcard.Compile(r.Action).Match(action),
			Resource: wildcard.Compile(r.Resource).Match(resource),
		}
		if seen[i].Matched() {
			decides = i
		}
	}
	return seen, decides
}

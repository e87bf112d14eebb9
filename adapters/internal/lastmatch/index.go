package lastmatch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/wildcard"
)

// Index finds the last rule that matches without looking at most of the others.
// It never changes once made, so any number of goroutines may use it. The zero
// value has no rules.
//
// Rules are grouped by the text of their action pattern. In a group the resource
// patterns stand in two tries, one read from the start of the text and one from
// its end; only a pattern that is neither literal, nor text before or after one
// star, is really matched.
type Index struct {
	literal map[string]*group // by action, for action patterns without wildcards
	pattern []*group          // the others, the one with the last rule first
}

// group holds the rules of one action pattern.
type group struct {
	action wildcard.Pattern
	last   int // the position of its last rule
	start  node
	end    node
}

// NewIndex indexes the rules, which it doesn't keep.
func NewIndex(rules []Rule) *Index {
	x := &Index{literal: map[string]*group{}}
	for i, r := range rules {
		x.group(wildcard.Compile(r.Action)).add(wildcard.Compile(r.Resource), i)
	}
	slices.SortStableFunc(x.pattern, func(a, b *group) int { return cmp.Compare(b.last, a.last) })
	return x
}

func (x *Index) group(action wildcard.Pattern) *group {
	key := action.String()
	if action.Literal() {
		if x.literal[key] == nil {
			x.literal[key] = newGroup(action)
		}
		return x.literal[key]
	}
	for _, g := range x.pattern {
		if g.action.String() == key {
			return g
		}
	}
	g := newGroup(action)
	x.pattern = append(x.pattern, g)
	return g
}

func newGroup(action wildcard.Pattern) *group {
	return &group{action: action, start: newNode(""), end: newNode("")}
}

// Decide returns the position of the last rule that matches, or -1. It
// allocates nothing unless a text holds a backslash, which is then rewritten.
func (x *Index) Decide(action, resource string) int {
	if strings.IndexByte(action, '\\') >= 0 {
		action = wildcard.Normalise(action)
	}
	if strings.IndexByte(resource, '\\') >= 0 {
		resource = wildcard.Normalise(resource)
	}
	best := -1
	if g := x.literal[action]; g != nil {
		best = g.decide(resource, best)
	}
	for _, g := range x.pattern {
		if g.last <= best {
			break
		}
		if g.action.MatchNormalised(action) {
			best = g.decide(resource, best)
		}
	}
	return best
}

func (g *group) decide(resource string, best int) int {
	best = g.start.fromStart(resource, best)
	return g.end.fromEnd(resource, best)
}

// add puts a resource pattern where its longest literal end leads to.
func (g *group) add(p wildcard.Pattern, position int) {
	g.last = position
	text := p.String()
	first := strings.IndexAny(text, "*?")
	switch {
	case first < 0:
		n := g.start.reach(text, false)
		n.exact = position
	case strings.Trim(text[first:], "*") == "": // text, then only stars
		head := text[:first]
		g.start.reach(head, false).open = position
		if text[first:] == "*" && strings.HasSuffix(head, " ") {
			g.start.reach(head[:len(head)-1], false).exact = position
		}
	default:
		g.addGeneral(p, first, position)
	}
}

func (g *group) addGeneral(p wildcard.Pattern, first, position int) {
	text := p.String()
	last := strings.LastIndexAny(text, "*?")
	tail := text[last+1:]
	if first == last && first == 0 && text[0] == '*' { // one star, then text
		g.end.reach(tail, true).open = position
		return
	}
	var n *node
	if first >= len(tail) {
		head := text[:first]
		if strings.HasSuffix(text, " *") && first == len(text)-1 {
			head = head[:first-1] // the tail is optional: its space needn't be there
		}
		n = g.start.reach(head, false)
	} else {
		n = g.end.reach(tail, true)
	}
	n.general = append(n.general, candidate{pattern: p, position: position})
}

// candidate is a rule whose pattern has to be matched.
type candidate struct {
	pattern  wildcard.Pattern
	position int
}

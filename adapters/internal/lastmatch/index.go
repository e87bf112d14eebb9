package lastmatch

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/modegate/modegate/adapters/internal/wildcard"
)

// Index finds the last rule that matches without looking at most of the others.
// It never changes once made, so any number of goroutines may use it. The zero
// value has no rules.
//
// Rules are grouped by the text of their action pattern. In a group, literal
// resource patterns and those with text before or after one star stand in two
// tries, one read from the start of the text and one from its end. Only the
// others are really matched, and of those only the few of which the text holds a
// piece.
type Index struct {
	groups  []group // positions count from 1, as those of rules do in here
	actions node    // leads to groups by action pattern
	others  []int32 // the groups whose action pattern is of no shape that a trie holds
}

// group holds the rules of one action pattern.
type group struct {
	action  wildcard.Pattern
	last    int32 // the position of its last rule
	start   node
	end     node
	general *generals // nil: none
}

// NewIndex indexes the rules, which it doesn't keep.
func NewIndex(rules []Rule) *Index {
	x := &Index{}
	at := map[string]int32{} // groups by action pattern
	for i, r := range rules {
		action := wildcard.Compile(r.Action)
		g := at[action.String()]
		if g == 0 {
			x.groups = append(x.groups, group{action: action})
			g = int32(len(x.groups))
			at[action.String()] = g
			x.place(action, g)
		}
		x.groups[g-1].add(wildcard.Compile(r.Resource), int32(i+1))
	}
	for _, g := range x.groups {
		if g.general != nil {
			g.general.file()
		}
	}
	return x
}

func (x *Index) place(action wildcard.Pattern, g int32) {
	head, stars := split(action.String())
	switch {
	case stars == "":
		x.actions.reach(head, false).exact = g
	case stars == "*" && !strings.HasSuffix(head, " "):
		x.actions.reach(head, false).open = g
	default:
		x.others = append(x.others, g)
	}
}

// split cuts a pattern where its first wildcard is.
func split(pattern string) (head, rest string) {
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		return pattern[:i], pattern[i:]
	}
	return pattern, ""
}

// Decide returns the position of the last rule that matches, or -1. It
// allocates nothing unless a pattern and a text are hostile to each other.
func (x *Index) Decide(action, resource string) int {
	if strings.IndexByte(action, '\\') < 0 && strings.IndexByte(resource, '\\') < 0 {
		return int(x.decide(action, resource)) - 1
	}
	// Both texts are rewritten in a borrowed buffer. Nothing keeps them.
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	*b = append(append((*b)[:0], action...), resource...)
	for i, c := range *b {
		if c == '\\' {
			(*b)[i] = '/'
		}
	}
	both := unsafe.String(unsafe.SliceData(*b), len(*b))
	return int(x.decide(both[:len(action)], both[len(action):])) - 1
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (x *Index) decide(action, resource string) int32 {
	best := int32(0)
	for n, rest := &x.actions, action; ; rest = rest[len(n.text):] {
		best = x.ask(n.open, resource, best)
		if rest == "" {
			best = x.ask(n.exact, resource, best)
			break
		}
		if n = n.child(rest[0]); n == nil || !strings.HasPrefix(rest, n.text) {
			break
		}
	}
	for _, g := range x.others {
		if x.groups[g-1].action.MatchNormalised(action) {
			best = x.ask(g, resource, best)
		}
	}
	return best
}

// ask returns the highest position of best and the rules of one group.
func (x *Index) ask(g int32, resource string, best int32) int32 {
	if g == 0 || x.groups[g-1].last <= best {
		return best
	}
	group := &x.groups[g-1]
	best = group.start.fromStart(resource, best)
	best = group.end.fromEnd(resource, best)
	if group.general != nil {
		best = group.general.decide(resource, best)
	}
	return best
}

// add puts a resource pattern where its shape belongs.
func (g *group) add(p wildcard.Pattern, position int32) {
	g.last = position
	head, rest := split(p.String())
	switch tail := strings.TrimLeft(rest, "*"); {
	case rest == "":
		g.start.reach(head, false).exact = position
	case tail == "": // text, then only stars
		g.start.reach(head, false).open = position
		if short, ok := strings.CutSuffix(head, " "); ok && rest == "*" {
			g.start.reach(short, false).exact = position
		}
	case head == "" && rest[0] == '*' && !strings.ContainsAny(tail, "*?"): // stars, then text
		g.end.reach(tail, true).open = position
	default:
		if g.general == nil {
			g.general = &generals{}
		}
		g.general.all = append(g.general.all, candidate{pattern: p, position: position})
	}
}

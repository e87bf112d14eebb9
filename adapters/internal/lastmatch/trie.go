package lastmatch

import (
	"slices"
	"strings"
)

// node is one node of a radix trie over the literal text of patterns. Positions
// count from 1; 0 means none. Patterns are added in order of position, so a later
// one may simply replace an earlier one of the same shape. The zero value is an
// empty trie.
type node struct {
	text  string // the edge that leads here
	at    string // where in next the child for a byte is, see child
	next  []node
	exact int32 // the position of the pattern that is the text up to here, and no more
	open  int32 // that of the text up to here, then anything
}

// reach returns the node for a text, making what is missing. A reversed trie is
// read from the end of texts.
func (n *node) reach(text string, reversed bool) *node {
	if reversed {
		text = reverse(text)
	}
	for text != "" {
		child := n.child(text[0])
		if child == nil {
			return n.grow(node{text: text})
		}
		common := commonPrefix(child.text, text)
		if common < len(child.text) {
			child.split(common)
		}
		n, text = child, text[common:]
	}
	return n
}

// child returns the child whose edge starts with a byte, nil if there is none.
// It looks at one pair of bytes in at, the pair of the byte modulo the number of
// pairs: the byte itself and the child's place.
func (n *node) child(b byte) *node {
	if i := 2 * int(b) & (len(n.at) - 1); i < len(n.at) && n.at[i] == b {
		return &n.next[n.at[i+1]]
	}
	return nil
}

// grow adds a child and returns its place.
func (n *node) grow(c node) *node {
	n.next = append(n.next, c)
	for pairs := max(len(n.at)/2, 1); !n.spread(pairs); pairs *= 2 {
	}
	return &n.next[len(n.next)-1]
}

// spread fills at and reports whether no two children meet in it.
func (n *node) spread(pairs int) bool {
	at := make([]byte, 2*pairs)
	for i := range pairs {
		at[2*i] = byte(i) ^ 1 // never looked for here
	}
	for i := range n.next {
		b := n.next[i].text[0]
		pair := int(b) & (pairs - 1)
		at[2*pair], at[2*pair+1] = b, byte(i)
	}
	n.at = string(at)
	return !slices.ContainsFunc(n.next, func(c node) bool { return n.child(c.text[0]) == nil })
}

// split puts a new node in the middle of the edge that leads to n.
func (n *node) split(at int) {
	rest := *n
	rest.text = n.text[at:]
	*n = node{text: n.text[:at]}
	n.grow(rest)
}

// fromStart returns the highest position of best and the rules on the way that
// a text leads along.
func (n *node) fromStart(text string, best int32) int32 {
	for {
		best = max(best, n.open)
		if text == "" {
			return max(best, n.exact)
		}
		if n = n.child(text[0]); n == nil || len(n.text) > 1 && !strings.HasPrefix(text, n.text) {
			return best
		}
		text = text[len(n.text):]
	}
}

// fromEnd is fromStart for a reversed trie.
func (n *node) fromEnd(text string, best int32) int32 {
	for {
		best = max(best, n.open)
		if text == "" {
			return max(best, n.exact)
		}
		if n = n.child(text[len(text)-1]); n == nil || !reversedPrefix(text, n.text) {
			return best
		}
		text = text[:len(text)-len(n.text)]
	}
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// reversedPrefix reports whether text, read backwards, is edge.
func reversedPrefix(text, edge string) bool {
	if len(text) < len(edge) {
		return false
	}
	for i := range len(edge) {
		if text[len(text)-1-i] != edge[i] {
			return false
		}
	}
	return true
}

// reverse turns the bytes around; only bytes are compared in a reversed trie.
func reverse(s string) string {
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	return string(b)
}

package lastmatch

import "strings"

// node is one node of a radix trie over the literal part of patterns. Positions
// are of rules; -1 means none. Patterns are added in order of position, so a
// later one may simply replace an earlier one of the same shape.
type node struct {
	text    string // the edge that leads here
	first   string // the first byte of each child's edge
	next    []*node
	exact   int         // the pattern is the text up to here, and no more
	open    int         // the text up to here, then anything
	general []candidate // the text up to here, then a pattern; last is highest
}

func newNode(text string) node { return node{text: text, exact: -1, open: -1} }

// reach returns the node for a text, making what is missing. A reversed trie is
// read from the end of texts.
func (n *node) reach(text string, reversed bool) *node {
	if reversed {
		text = reverse(text)
	}
	for text != "" {
		i := strings.IndexByte(n.first, text[0])
		if i < 0 {
			child := newNode(text)
			n.first += text[:1]
			n.next = append(n.next, &child)
			return &child
		}
		child := n.next[i]
		common := commonPrefix(child.text, text)
		if common < len(child.text) {
			child.split(common)
		}
		n, text = child, text[common:]
	}
	return n
}

// split puts a new node in the middle of the edge that leads to n.
func (n *node) split(at int) {
	rest := *n
	rest.text = n.text[at:]
	*n = newNode(n.text[:at])
	n.first = rest.text[:1]
	n.next = []*node{&rest}
}

// fromStart returns the highest position of best and the rules on the way that
// a text leads along.
func (n *node) fromStart(text string, best int) int {
	whole, at := text, 0
	for {
		best = n.judge(whole, len(whole)-at, best)
		if at == len(whole) {
			return best
		}
		i := strings.IndexByte(n.first, whole[at])
		if i < 0 {
			return best
		}
		n = n.next[i]
		if !strings.HasPrefix(whole[at:], n.text) {
			return best
		}
		at += len(n.text)
	}
}

// fromEnd is fromStart for a reversed trie.
func (n *node) fromEnd(text string, best int) int {
	left := len(text)
	for {
		best = n.judge(text, left, best)
		if left == 0 {
			return best
		}
		i := strings.IndexByte(n.first, text[left-1])
		if i < 0 {
			return best
		}
		n = n.next[i]
		if left < len(n.text) || !reversedPrefix(text[left-len(n.text):left], n.text) {
			return best
		}
		left -= len(n.text)
	}
}

// judge looks at the rules of one node; left is how much of the text is left.
func (n *node) judge(text string, left, best int) int {
	best = max(best, n.open)
	if left == 0 {
		best = max(best, n.exact)
	}
	for i := len(n.general) - 1; i >= 0 && n.general[i].position > best; i-- {
		if n.general[i].pattern.MatchNormalised(text) {
			return n.general[i].position
		}
	}
	return best
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

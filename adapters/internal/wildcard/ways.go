package wildcard

import "strings"

// Ways is how many wildcards of any length a matcher that backtracks, as
// OpenCode's does, shares a text out among before it knows that the text doesn't
// match: all stars but those that the pattern ends in. The time that this takes
// grows with the text's length to the power of it.
func (p Pattern) Ways() int {
	return strings.Count(strings.TrimRight(p.text, "* "), "*")
}

package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// HasComment reports whether a text that [Parse] accepts has a comment, a first
// line that begins with #! included.
func HasComment(text string) bool {
	if strings.IndexByte(text, '#') < 0 {
		return false
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(f, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.Comment); ok {
			found = true
		}
		return !found
	})
	return found
}

package bash

import (
	"errors"
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

// maxEnded bounds the comments that endComments ends, each at the cost of reading
// the text again.
const maxEnded = 50

// endComments puts a blank in the place of a backslash that ends a comment. A
// shell's comment ends with its line all the same; the parser (mvdan.cc/sh 3.14.1)
// takes the next line for more words of the command before it: it reads "ls #\",
// newline, "rm x" as ls rm x.
func endComments(text string) (string, error) {
	if strings.IndexByte(text, '#') < 0 || !strings.Contains(text, "\\\n") {
		return text, nil
	}
	for range maxEnded {
		f, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
		if err != nil {
			return "", err
		}
		at := -1
		syntax.Walk(f, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Comment); ok && at < 0 {
				begin := min(int(c.Hash.Offset()), len(text))
				line, _, more := strings.Cut(text[begin:], "\n")
				if more && strings.HasSuffix(line, `\`) {
					at = begin + len(line) - 1
				}
			}
			return at < 0
		})
		if at < 0 {
			return text, nil
		}
		text = text[:at] + " " + text[at+1:]
	}
	return "", errors.New("too many comments end with a backslash")
}

package execpolicy

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// splitWords splits an example's text into words as a POSIX shell does without
// any expansion. # begins a comment where a word could begin.
func splitWords(s string) ([]string, error) {
	var words []string
	for i := 0; ; {
		for i < len(s) && strings.IndexByte(" \t\n", s[i]) >= 0 {
			i++
		}
		if i == len(s) {
			return words, nil
		}
		if s[i] == '#' {
			for i < len(s) && s[i] != '\n' {
				i++
			}
			continue
		}
		word, next, err := oneWord(s, i)
		if err != nil {
			return nil, err
		}
		words, i = append(words, word), next
	}
}

var errOpenWord = errors.New("the text has an open quote or a backslash at its end")

func oneWord(s string, i int) (word string, next int, err error) {
	var b strings.Builder
	for i < len(s) && strings.IndexByte(" \t\n", s[i]) < 0 {
		switch s[i] {
		case '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return "", 0, errOpenWord
			}
			b.WriteString(s[i+1 : i+1+end])
			i += end + 2
		case '"':
			if i, err = doubleQuoted(s, i+1, &b); err != nil {
				return "", 0, err
			}
		case '\\':
			if i+1 == len(s) {
				return "", 0, errOpenWord
			}
			if s[i+1] != '\n' {
				b.WriteByte(s[i+1])
			}
			i += 2
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String(), i, nil
}

func doubleQuoted(s string, i int, b *strings.Builder) (next int, err error) {
	for ; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return i + 1, nil
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] == '\n' {
				continue
			}
			if strings.IndexByte("$`\"\\", s[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return 0, errOpenWord
}

// checkExamples refuses a call whose rules don't match one of its match, or do
// match one of its not_match. Paths count with their base names here.
func (b *builder) checkExamples() error {
	for _, e := range b.examples {
		p := &Policy{Rules: e.rules, Hosts: b.policy.Hosts}
		at := e.rules[0]
		for _, argv := range e.notMatch {
			if p.Match(argv, Where{Dir: "/", ByPaths: true}) != nil {
				return &Error{File: at.File, Line: at.Line, Message: fmt.Sprintf("the rule matches its not_match %q", strings.Join(argv, " "))}
			}
		}
		for _, argv := range e.match {
			if p.Match(argv, Where{Dir: "/", ByPaths: true}) == nil {
				return &Error{File: at.File, Line: at.Line, Message: fmt.Sprintf("the rule doesn't match its match %q", strings.Join(argv, " "))}
			}
		}
	}
	return nil
}

// networkHost checks the host of a network_rule and returns it without its port
// and in lower case.
func networkHost(raw string) (string, error) {
	host := strings.TrimSpace(raw)
	if strings.ContainsAny(host, "/?#") {
		return "", fmt.Errorf("a host is a name or an address, without scheme and path: %q", raw)
	}
	digits := func(s string) bool {
		return s != "" && strings.Trim(s, "0123456789") == ""
	}
	if rest, ok := strings.CutPrefix(host, "["); ok {
		inside, after, closed := strings.Cut(rest, "]")
		port, isPort := strings.CutPrefix(after, ":")
		if !closed || after != "" && !(isPort && digits(port)) {
			return "", fmt.Errorf("%q isn't an address in brackets", raw)
		}
		host = inside
	} else if name, port, ok := strings.Cut(host, ":"); ok && name != "" && digits(port) {
		host = name
	}
	host = strings.ToLower(strings.TrimSpace(strings.TrimRight(host, ".")))
	switch {
	case host == "":
		return "", errors.New("a host can't be empty")
	case strings.Contains(host, "*"):
		return "", fmt.Errorf("a host has no wildcards: %q", raw)
	case strings.ContainsFunc(host, unicode.IsSpace):
		return "", fmt.Errorf("a host has no spaces: %q", raw)
	}
	return host, nil
}

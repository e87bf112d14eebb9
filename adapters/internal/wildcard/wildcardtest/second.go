// Package wildcardtest owns a second opinion on OpenCode's pattern language for
// tests: it is built on gobwas/glob and shares no function with the matcher.
package wildcardtest

import (
	"strings"
	"unicode/utf16"

	"github.com/gobwas/glob"
)

// Match reports whether the text matches. Every UTF-16 unit becomes one rune,
// all but the two wildcards is quoted, no separators are passed, and the
// optional tail is a second glob. The error is the library's.
func Match(pattern, text string) (bool, error) {
	p, s := spread(pattern), string(spread(text))
	ok, err := matchUnits(p, s)
	if ok || err != nil {
		return ok, err
	}
	n := len(p)
	if n < 2 || p[n-1] != '*' || p[n-2] != ' ' {
		return false, nil
	}
	return matchUnits(p[:n-2], s)
}

// spread makes one rune of every code unit, and a slash of every backslash.
func spread(s string) []rune {
	units := utf16.Encode([]rune(s))
	out := make([]rune, len(units))
	for i, u := range units {
		switch {
		case u == '\\':
			out[i] = '/'
		case u >= 0xD800 && u < 0xE000:
			out[i] = 0x100000 + rune(u) // surrogates can't be runes: plane 16
		default:
			out[i] = rune(u)
		}
	}
	return out
}

func matchUnits(pattern []rune, text string) (bool, error) {
	var b strings.Builder
	for _, r := range pattern {
		if r == '*' || r == '?' {
			b.WriteRune(r)
		} else {
			b.WriteString(glob.QuoteMeta(string(r)))
		}
	}
	g, err := glob.Compile(b.String())
	if err != nil {
		return false, err
	}
	return g.Match(text), nil
}

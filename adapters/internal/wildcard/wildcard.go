// Package wildcard owns OpenCode's pattern language, in which both generations
// compare actions and resources (measured on OpenCode 1.18.33, 2026-11-30:
// 6,700 answers of the real evaluator, no difference).
//
//   - `*` is any run of UTF-16 code units, line breaks and slashes included;
//   - `?` is exactly one code unit, so one emoji needs two of them;
//   - a pattern that ends in space and `*` also matches without that tail;
//   - `\` is `/`, in patterns and in texts, so nothing can be escaped;
//   - everything else is itself, and the whole text must match.
package wildcard

import (
	"strings"
	"unicode/utf8"
)

// Pattern is a compiled pattern. The zero value matches the empty text only.
type Pattern struct {
	text     string   // normalised
	segments []string // text between the stars; one segment: no star
	tail     bool     // ends in " *", so the text before it matches too
}

// Compile reads a pattern. Every text is a pattern.
func Compile(pattern string) Pattern {
	p := Pattern{text: Normalise(pattern)}
	p.segments = strings.Split(p.text, "*")
	p.tail = strings.HasSuffix(p.text, " *")
	return p
}

// Normalise writes `\` as `/`, as both sides of a comparison are.
func Normalise(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// String returns the pattern with `\` written as `/`.
func (p Pattern) String() string { return p.text }

// Literal reports whether only one text matches, which String then is.
func (p Pattern) Literal() bool {
	return len(p.segments) <= 1 && strings.IndexByte(p.text, '?') < 0
}

// Everything reports whether every text matches.
func (p Pattern) Everything() bool {
	return p.text != "" && strings.Trim(p.text, "*") == "" || p.text == "* *"
}

// Match reports whether the text matches.
func (p Pattern) Match(text string) bool { return p.MatchNormalised(Normalise(text)) }

// MatchNormalised is Match for a text that holds no `\`. It allocates nothing.
func (p Pattern) MatchNormalised(text string) bool {
	segments := p.segments
	if len(segments) == 0 {
		return text == ""
	}
	if match(segments, text) {
		return true
	}
	return p.tail && matchTailless(segments, text)
}

// matchTailless matches the pattern without its last two characters, " *":
// then the segment before the last star loses its space and ends the pattern.
func matchTailless(segments []string, text string) bool {
	n := len(segments) - 1
	last := strings.TrimSuffix(segments[n-1], " ")
	if n == 1 {
		return matchWhole(last, text)
	}
	at, ok := prefix(segments[0], text)
	if !ok {
		return false
	}
	for _, s := range segments[1 : n-1] {
		if at, ok = find(s, text, at); !ok {
			return false
		}
	}
	return matchEnd(last, text, at)
}

func match(segments []string, text string) bool {
	n := len(segments) - 1
	if n == 0 {
		return matchWhole(segments[0], text)
	}
	at, ok := prefix(segments[0], text)
	if !ok {
		return false
	}
	for _, s := range segments[1:n] {
		if at, ok = find(s, text, at); !ok {
			return false
		}
	}
	return matchEnd(segments[n], text, at)
}

// pos is a place between two code units of a text: a byte offset, and whether
// the first half of the four-byte character there has been passed.
type pos struct {
	at   int
	half bool
}

// prefix matches a segment at the start of the text.
func prefix(segment, text string) (pos, bool) { return here(segment, text, pos{}) }

// matchWhole matches a segment against the whole text.
func matchWhole(segment, text string) bool {
	p, ok := prefix(segment, text)
	return ok && p.at == len(text)
}

// here matches a segment at one place.
func here(segment, text string, p pos) (pos, bool) {
	if strings.IndexByte(segment, '?') < 0 {
		if segment == "" {
			return p, true
		}
		ok := !p.half && strings.HasPrefix(text[p.at:], segment)
		return pos{at: p.at + len(segment)}, ok
	}
	for i := 0; i < len(segment); i++ {
		if p.at >= len(text) {
			return p, false
		}
		if segment[i] == '?' {
			p = step(text, p)
			continue
		}
		if p.half || text[p.at] != segment[i] {
			return p, false
		}
		p.at++
	}
	return p, true
}

// step passes one code unit. The text isn't at its end.
func step(text string, p pos) pos {
	c := text[p.at]
	switch {
	case c < utf8.RuneSelf:
		return pos{at: p.at + 1}
	case p.half:
		return pos{at: p.at + 4}
	}
	_, size := utf8.DecodeRuneInString(text[p.at:])
	if size == 4 {
		return pos{at: p.at, half: true}
	}
	return pos{at: p.at + size}
}

// find matches a segment at the first place from p on where it fits. First is
// best: whatever follows has the most room left.
func find(segment, text string, p pos) (pos, bool) {
	if strings.IndexByte(segment, '?') < 0 {
		if segment == "" {
			return p, true
		}
		if p.half {
			p = step(text, p)
		}
		i := strings.Index(text[p.at:], segment)
		return pos{at: p.at + i + len(segment)}, i >= 0
	}
	for {
		if q, ok := here(segment, text, p); ok {
			return q, true
		}
		if p.at >= len(text) {
			return p, false
		}
		p = step(text, p)
	}
}

// matchEnd matches a segment at the very end of the text, not before p.
func matchEnd(segment, text string, p pos) bool {
	if strings.IndexByte(segment, '?') < 0 {
		start := len(text) - len(segment)
		if p.half && segment != "" {
			p = step(text, p)
		}
		return start >= p.at && text[start:] == segment
	}
	q, ok := back(segment, text)
	return ok && (q.at > p.at || q.at == p.at && (q.half || !p.half))
}

// back finds where a segment starts when it ends where the text ends.
func back(segment, text string) (pos, bool) {
	p := pos{at: len(text)}
	for i := len(segment) - 1; i >= 0; i-- {
		if p.at == 0 && !p.half {
			return p, false
		}
		if segment[i] == '?' {
			p = stepBack(text, p)
			continue
		}
		if p.half || text[p.at-1] != segment[i] {
			return p, false
		}
		p.at--
	}
	return p, true
}

// stepBack passes one code unit backwards. The text isn't at its start.
func stepBack(text string, p pos) pos {
	if p.half {
		return pos{at: p.at}
	}
	_, size := utf8.DecodeLastRuneInString(text[:p.at])
	if size == 4 {
		return pos{at: p.at - 4, half: true}
	}
	return pos{at: p.at - size}
}

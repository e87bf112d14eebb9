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
	text     string    // normalised
	segments []segment // what stands between the stars; one segment: no star
	short    *segment  // of a pattern that ends in " *": its last segment but one, without the space
}

// segment is a piece of pattern without stars.
type segment struct {
	text  string
	start string // the text up to the first `?`, or so much of it as is worth searching for
	plain bool   // no `?`
}

func newSegment(text string) segment {
	literal, _, marks := strings.Cut(text, "?")
	return segment{text: text, start: literal[:min(len(literal), 32)], plain: !marks}
}

// Compile reads a pattern. Every text is a pattern.
func Compile(pattern string) Pattern {
	p := Pattern{text: Normalise(pattern)}
	for s := range strings.SplitSeq(p.text, "*") {
		p.segments = append(p.segments, newSegment(s))
	}
	if strings.HasSuffix(p.text, " *") {
		before := p.segments[len(p.segments)-2].text
		short := newSegment(before[:len(before)-1])
		p.short = &short
	}
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

// MatchNormalised is Match for a text that holds no `\`. It allocates nothing
// unless pattern and text are hostile to each other.
func (p Pattern) MatchNormalised(text string) bool {
	n := len(p.segments) - 1
	if n < 0 {
		return text == ""
	}
	if p.short != nil {
		n--
	}
	at, ok := pos{}, true
	for i := range n {
		if at, ok = p.next(i, text, at); !ok {
			return false
		}
	}
	if p.short == nil {
		return ends(&p.segments[n], text, at, n > 0)
	}
	if ends(p.short, text, at, n > 0) {
		return true
	}
	_, ok = p.next(n, text, at)
	return ok
}

// next matches the segment with this number, the first at the start of the text
// and the others, which stand after a star, from p on.
func (p Pattern) next(number int, text string, at pos) (pos, bool) {
	if number == 0 {
		return here(&p.segments[0], text, at)
	}
	return find(&p.segments[number], text, at)
}

// ends matches a segment that the text must end with: right at p, or where it
// stands after a star, not before p.
func ends(s *segment, text string, p pos, star bool) bool {
	if !star {
		end, ok := here(s, text, p)
		return ok && end.at == len(text)
	}
	if s.plain {
		start := len(text) - len(s.text)
		if p.half {
			p = step(text, p)
		}
		return start >= p.at && text[start:] == s.text
	}
	q, ok := back(s.text, text)
	return ok && (q.at > p.at || q.at == p.at && (q.half || !p.half))
}

// pos is a place between two code units of a text: a byte offset, and whether
// the first half of the four-byte character there has been passed.
type pos struct {
	at   int
	half bool
}

// here matches a segment at one place. It returns the place after it, or the
// place where the text differs.
func here(s *segment, text string, p pos) (pos, bool) {
	if s.plain {
		if s.text == "" {
			return p, true
		}
		ok := !p.half && strings.HasPrefix(text[p.at:], s.text)
		return pos{at: p.at + len(s.text)}, ok
	}
	for i := 0; i < len(s.text); i++ {
		if p.at >= len(text) {
			return p, false
		}
		if s.text[i] == '?' {
			p = step(text, p)
			continue
		}
		if p.half || text[p.at] != s.text[i] {
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
//
// Its start is searched for and the rest compared. Where that goes wrong again
// and again, which takes a hostile pattern and text, findHashed takes over: so the
// cost is in proportion to the text passed and the segment, whatever they hold.
func find(s *segment, text string, p pos) (pos, bool) {
	from, compared := p.at, 0
	for {
		if s.start != "" {
			if p.half {
				p = step(text, p)
			}
			i := strings.Index(text[p.at:], s.start)
			if i < 0 {
				return p, false
			}
			p.at += i
		}
		end, ok := here(s, text, p)
		if ok || end.at >= len(text) { // at the end of the text no later place has room either
			return end, ok
		}
		if s.plain { // compared many bytes at a time
			compared += len(s.text) / 8
		} else {
			compared += end.at - p.at
		}
		if compared > 64*(p.at-from+len(s.text)) {
			return findHashed(s, text, p)
		}
		p = step(text, p)
	}
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

package lastmatch

import (
	"iter"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/wildcard"
)

// generals holds the rules of a group whose patterns have to be matched. In every
// list the rule that stands last is last.
//
// Each pattern is filed under one gram: a text that doesn't hold it can't match.
// A decision goes through the grams of its text, most of which nothing is filed
// under, as a table of bits tells.
type generals struct {
	all   []candidate
	none  []candidate          // those whose patterns have no gram
	by    map[gram][]candidate // the others
	maybe *[256]uint64         // a bit for each gram that by may hold; nil while there are few
}

// candidate is a rule whose pattern has to be matched.
type candidate struct {
	pattern  wildcard.Pattern
	position int32
}

// few candidates are matched one by one: that is faster than taking the text apart.
const few = 4

// gram is four bytes that follow each other.
type gram uint32

const gramLen = 4

func gramAt(s string, at int) gram {
	s = s[at : at+gramLen]
	return gram(s[0]) | gram(s[1])<<8 | gram(s[2])<<16 | gram(s[3])<<24
}

// bit is the place of a gram in maybe.
func (g gram) bit() (word int, mask uint64) {
	h := uint32(g) * 0x9e3779b1 >> 18
	return int(h / 64), 1 << (h % 64)
}

// file files every candidate under the gram of its pattern that is rarest among
// all patterns, hence likely in texts too. Of equals it takes the last: patterns
// begin alike more often than they end alike.
func (s *generals) file() {
	if len(s.all) <= few {
		return
	}
	count := map[gram]int{}
	for _, c := range s.all {
		for g := range grams(c.pattern) {
			count[g]++
		}
	}
	s.by, s.maybe = map[gram][]candidate{}, new([256]uint64)
	for _, c := range s.all {
		rarest, found := gram(0), false
		for g := range grams(c.pattern) {
			if !found || count[g] <= count[rarest] {
				rarest, found = g, true
			}
		}
		if !found {
			s.none = append(s.none, c)
			continue
		}
		s.by[rarest] = append(s.by[rarest], c)
		word, mask := rarest.bit()
		s.maybe[word] |= mask
	}
}

// grams are the grams of a pattern, which every text has that matches it.
func grams(p wildcard.Pattern) iter.Seq[gram] {
	sure := strings.TrimSuffix(p.String(), " *") // this tail is optional
	return func(yield func(gram) bool) {
		for run := range strings.FieldsFuncSeq(sure, func(r rune) bool { return r == '*' || r == '?' }) {
			for at := 0; at+gramLen <= len(run); at++ {
				if !yield(gramAt(run, at)) {
					return
				}
			}
		}
	}
}

// decide returns the highest position of best and the rules that match.
func (s *generals) decide(text string, best int32) int32 {
	maybe := s.maybe
	if maybe == nil {
		return judge(s.all, text, best)
	}
	if s.all[len(s.all)-1].position <= best {
		return best
	}
	best = judge(s.none, text, best)
	var seen [32]gram
	n := 0
	for at := 0; at+gramLen <= len(text); at++ {
		g := gramAt(text, at)
		if word, mask := g.bit(); maybe[word]&mask == 0 {
			continue
		}
		list := s.by[g]
		if len(list) == 0 || list[len(list)-1].position <= best || slices.Contains(seen[:n], g) {
			continue
		}
		if n == len(seen) { // so that no text makes a rule be matched again and again
			return judge(s.all, text, best)
		}
		seen[n] = g
		n++
		best = judge(list, text, best)
	}
	return best
}

// judge returns the highest position of best and the candidates that match.
func judge(list []candidate, text string, best int32) int32 {
	for i := len(list) - 1; i >= 0 && list[i].position > best; i-- {
		if list[i].pattern.MatchNormalised(text) {
			return list[i].position
		}
	}
	return best
}

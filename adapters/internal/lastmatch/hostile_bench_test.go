//go:build unix

package lastmatch

import (
	"strings"
	"testing"
)

// hostile are patterns and texts that stall simpler matchers, made of about n
// bytes each.
var hostile = []struct {
	name string
	make func(n int) (pattern, text string)
}{
	{"stars", func(n int) (string, string) { return repeat("*a", n) + "*b", repeat("a", n) }},
	{"stars_nearly", func(n int) (string, string) { return repeat("*aab", n) + "*c", repeat("aab", n) }},
	{"stars_tail", func(n int) (string, string) { return repeat("*a", n) + "b *", repeat("a ", n) }},
	{"questions", func(n int) (string, string) { return repeat("?", n/2) + "*" + repeat("?", n/2) + "b", repeat("a", n) }},
	{"questions_inside", func(n int) (string, string) { return "*" + repeat("?", n/2) + "b*", repeat("a", n) }},
	{"questions_short", func(n int) (string, string) { return "*" + repeat("?", n) + "*", repeat("a", n-1) }},
	{"questions_stars", func(n int) (string, string) { return repeat("*?", n) + "b", repeat("a", n) }},
	{"questions_astral", func(n int) (string, string) { return "*" + repeat("?😀", n/2) + "b*", repeat("😀", n) }},
	{"mixed", func(n int) (string, string) { return "*" + repeat("a?", n/2) + "b*", repeat("a", n) }},
	{"mixed_segments", func(n int) (string, string) { return repeat("*"+repeat("a?", 1000)+"b", n), repeat("a", n) }},
	{"mixed_one_off", func(n int) (string, string) {
		return "*" + repeat("a", n/4) + "?" + repeat("a", n/4) + "*", repeat(repeat("a", n/4-1)+"b", n)
	}},
	{"literal_end", func(n int) (string, string) { return "*" + repeat("a", n/2) + "b*c", repeat("a", n) }},
	{"literal_periodic", func(n int) (string, string) {
		return "*" + repeat("abcdefghijklmnopq", n/2) + "x*c", repeat("abcdefghijklmnopq", n)
	}},
}

// repeat repeats s until about n bytes are full.
func repeat(s string, n int) string { return strings.Repeat(s, n/len(s)) }

func benchmarkHostile(b *testing.B, t *table) {
	worst := 0.0
	for _, h := range hostile {
		of := func(n int) contestant {
			pattern, text := h.make(n)
			x := NewIndex([]Rule{{Action: "shell", Resource: pattern}})
			return contestant{name: "half", ops: 1, run: func() { x.Decide("shell", text) }}
		}
		b.Run(h.name, func(b *testing.B) {
			worst = max(worst, race(b, of(100_000), of(50_000))[0])
		})
	}
	// Every rule is on the way of the text.
	nested := func(n int) contestant {
		var rules []Rule
		for i := range 500 {
			rules = append(rules, Rule{Action: "shell", Resource: strings.Repeat("a", i) + "*b?c"}, Rule{Action: "shell", Resource: "*" + strings.Repeat("a", i)})
		}
		x, text := NewIndex(rules), repeat("a", n)+"b"
		return contestant{name: "half", ops: 1, run: func() { x.Decide("shell", text) }}
	}
	b.Run("nested_rules", func(b *testing.B) {
		worst = max(worst, race(b, nested(100_000), nested(50_000))[0])
	})
	t.line("A1 hostile pattern and text, twice the bytes", worst, 2.3)
}

package wildcard

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters/internal/wildcard/wildcardtest"
)

// second is the second opinion, which must never fail.
func second(t interface{ Fatalf(string, ...any) }, pattern, text string) bool {
	ok, err := wildcardtest.Match(pattern, text)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	return ok
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true},
		{"*", "a/b\nc", true},
		{"", "", true},
		{"", "x", false},
		{"git *", "git", true},
		{"git *", "git ", true},
		{"git *", "git push", true},
		{"git *", "gitk", false},
		{"git push *", "git push\norigin", false},
		{"ls  *", "ls ", true},
		{"ls  *", "ls", false},
		{" *", "", true},
		{"* *", "anything", true},
		{"a ?*", "a", false},
		{"a **", "a", false},
		{"a **", "a ", true},
		{"a\t*", "a", false},
		{"* b *", "a b", true},
		{"* b *", "b", false},
		{"?", "😀", false},
		{"??", "😀", true},
		{"*?", "😀", true},
		{"?*?", "😀", true},
		{"???", "😀", false},
		{"?😀", "a😀", true},
		{"?😀?", "😀😀", false},
		{"*😀", "😀😀", true},
		{"?*😀", "😀😀", true},
		{"?*😀", "😀", false},
		{"???*", "😀😀", true},
		{"?é", "aé", true},
		{"é", "e\u0301", false},
		{`a\*`, "a/zzz", true},
		{"C:/x/*", `C:\x\y`, true},
		{"[a]", "[a]", true},
		{"[a]", "a", false},
		{"{a,b}", "a", false},
		{"x", "x\n", false},
		{"LS", "ls", false},
		{"*a*a*b", "aab", true},
		{"*a*a*b", "ab", false},
		{"a?c*", "abc", true},
		{"*a?", "xab", true},
		{"a*b", "ab", true},
		{"ab*b", "ab", false},
	} {
		if got := Compile(c.pattern).Match(c.text); got != c.want {
			t.Errorf("%q against %q: %v, want %v", c.pattern, c.text, got, c.want)
		}
		if got := second(t, c.pattern, c.text); got != c.want {
			t.Errorf("second opinion: %q against %q: %v, want %v", c.pattern, c.text, got, c.want)
		}
	}
}

// texts are made of what patterns and wildcards trip over.
var pieces = []string{"*", "?", "*", "?", " *", "a", "b", "ab", " ", "/", `\`, "\n", "é", "e\u0301", "😀", "日", "[a]", "{a,b}", ".", "$", "^", "-", "!", "\x00", "\ufeff"}

func text(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, name), "")
}

func TestMatchAgreesWithSecondOpinion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := text(t, "pattern")
		s := text(t, "text")
		if rapid.Bool().Draw(t, "near") { // a text that the pattern is likely to match
			fill := strings.NewReplacer("*", rapid.SampledFrom(pieces).Draw(t, "run"), "?", rapid.SampledFrom([]string{"x", "é", "😀", "/"}).Draw(t, "one"))
			s = fill.Replace(pattern)
		}
		if got, want := Compile(pattern).Match(s), second(t, pattern, s); got != want {
			t.Fatalf("%q against %q: %v, second opinion %v", pattern, s, got, want)
		}
	})
}

func TestEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Compile(text(t, "pattern"))
		s := text(t, "text")
		if p.Everything() && !p.Match(s) {
			t.Fatalf("%q is said to match everything, but not %q", p, s)
		}
	})
}

func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{{"git *", "git"}, {"??", "😀"}, {"*a*b *", "xab"}, {`a\*`, "a/b"}, {"*?😀?*", "a😀b"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 200 || len(s) > 200 || !validUTF8(pattern) || !validUTF8(s) {
			t.Skip("longer or broken texts are refused before matching")
		}
		if got, want := Compile(pattern).Match(s), second(t, pattern, s); got != want {
			t.Errorf("%q against %q: %v, second opinion %v", pattern, s, got, want)
		}
	})
}

func validUTF8(s string) bool { return strings.ToValidUTF8(s, "") == s }

func TestMatchAllocatesNothing(t *testing.T) {
	p := Compile("git ? * push 😀*")
	if n := testing.AllocsPerRun(100, func() { p.MatchNormalised("git x -C y push 😀 origin") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// what findHashed finds must be what comparing at every place finds.
func TestHashedFindsTheFirstPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"a", "a", "a", "b", "é", "😀"})
		s := newSegment(strings.Join(rapid.SliceOfN(rapid.OneOf(letters, rapid.SampledFrom([]string{"?", "a"})), 1, 6).Draw(t, "segment"), ""))
		text := strings.Join(rapid.SliceOfN(letters, 0, 40).Draw(t, "text"), "")
		p := pos{half: strings.HasPrefix(text, "😀") && rapid.Bool().Draw(t, "half")}
		end, ok := findHashed(&s, text, p)
		for {
			want, fits := here(&s, text, p)
			if fits || p.at >= len(text) {
				if ok != fits || ok && end != want {
					t.Fatalf("%q in %q: %v %v, want %v %v", s.text, text, end, ok, want, fits)
				}
				return
			}
			p = step(text, p)
		}
	})
}

// Each of these takes findHashed, which allocates where there are `?`.
func TestMatchHostile(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*" + a(2000) + "b*c", a(9000), false},
		{"*" + a(2000) + "b *", a(9000) + "b", true},
		{"*" + a(2000) + "b*", a(9000) + "b", true},
		{"*" + a(200) + "?" + a(200) + "*", strings.Repeat(a(199)+"b", 50), false},
		{"*" + a(200) + "?" + a(200) + "*", strings.Repeat(a(199)+"b", 50) + a(200) + "é" + a(200), true},
		{"*" + strings.Repeat("a?", 400) + "b*", a(5000), false},
		{"*" + strings.Repeat("a?", 400) + "b*", a(5000) + "😀ab", false},
		{"*" + strings.Repeat("a?", 400) + "b*", a(5000) + "b" + a(9), true},
		{"*" + strings.Repeat("?", 5000) + "b*", a(9000) + "b", true},
		{"*" + strings.Repeat("?", 5000) + "b *", a(6000), false},
		{"*" + strings.Repeat("😀??", 400) + "b*", strings.Repeat("😀", 3000), false},
		{"*" + strings.Repeat("?", 400) + strings.Repeat("😀??", 400) + "b*", strings.Repeat("😀", 3000) + "b", true},
	} {
		p := Compile(c.pattern)
		if got := p.MatchNormalised(c.text); got != c.want {
			t.Errorf("%.20q… against %.20q…: %v, want %v", c.pattern, c.text, got, c.want)
		}
		if strings.Contains(c.pattern, "?") && testing.AllocsPerRun(1, func() { p.MatchNormalised(c.text) }) == 0 {
			t.Errorf("%.20q… against %.20q… isn't hostile enough", c.pattern, c.text)
		}
	}
}

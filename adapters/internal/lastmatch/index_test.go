package lastmatch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
)

var pieces = []string{"*", "*", "?", " *", "a", "b", "ab", "abc", " ", "/", `\`, "\n", "é", "😀", "git ", "src/", ".env"}

func text(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, name), "")
}

// like draws a text that the pattern is likely to match.
func like(t *rapid.T, pattern string) string {
	if rapid.Bool().Draw(t, "no tail") {
		pattern = strings.TrimSuffix(pattern, " *")
	}
	return strings.NewReplacer(
		"*", rapid.SampledFrom([]string{"", "a", "/b", "\n", "😀", ".env"}).Draw(t, "run"),
		"?", rapid.SampledFrom([]string{"a", "/", "é"}).Draw(t, "one"),
	).Replace(pattern)
}

func rules(t *rapid.T) []Rule {
	actions := rapid.OneOf(rapid.SampledFrom([]string{"shell", "edit", "*", "sh*", "shell *", "?dit", `a\b`}), rapid.Custom(func(t *rapid.T) string { return text(t, "action") }))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Rule {
		return Rule{Action: actions.Draw(t, "action"), Resource: text(t, "resource"), Effect: evaluator.Allow}
	}), 0, 12).Draw(t, "rules")
}

func TestIndexDecidesAsWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rules(t)
		x := NewIndex(list)
		for range 4 {
			action, resource := text(t, "action"), text(t, "resource")
			if len(list) > 0 && rapid.IntRange(0, 9).Draw(t, "near") > 0 {
				r := rapid.SampledFrom(list).Draw(t, "rule")
				action, resource = like(t, r.Action), like(t, r.Resource)
			}
			_, want := Walk(list, action, resource)
			if got := x.Decide(action, resource); got != want {
				t.Fatalf("action %q, resource %q: index says rule %d, walk says rule %d of %q", action, resource, got, want, list)
			}
		}
	})
}

func TestDecideAllocatesNothing(t *testing.T) {
	x := NewIndex([]Rule{
		{Action: "*", Resource: "*"}, {Action: "sh*", Resource: "git *"}, {Action: "shell", Resource: "*a*b"},
		{Action: "shell", Resource: "*.go"}, {Action: "shell", Resource: "rm ?"},
	})
	if n := testing.AllocsPerRun(100, func() { x.Decide("shell", "git push xab é😀 ab") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNoRules(t *testing.T) {
	if got := new(Index).Decide("shell", "ls"); got != -1 {
		t.Errorf("the zero Index decided %d", got)
	}
}

func FuzzDecide(f *testing.F) {
	f.Add("shell", "git *", "shell", "git", "*", "*")
	f.Add("sh*", "*a*b *", "shell", "xab", "", "")
	f.Fuzz(func(t *testing.T, a1, r1, action, resource, a2, r2 string) {
		list := []Rule{{Action: a1, Resource: r1}, {Action: a2, Resource: r2}, {Action: a1, Resource: r2}}
		_, want := Walk(list, action, resource)
		if got := NewIndex(list).Decide(action, resource); got != want {
			t.Errorf("index %d, walk %d: %q against %q %q", got, want, list, action, resource)
		}
	})
}

package lastmatch

import (
	"fmt"
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
	most, starts := 12, []string{""}
	if rapid.Bool().Draw(t, "many of one action, much alike") {
		actions, most, starts = rapid.Just("shell"), 30, []string{"", "*src/*", "*git *"}
	}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Rule {
		resource := rapid.SampledFrom(starts).Draw(t, "start") + text(t, "resource")
		return Rule{Action: actions.Draw(t, "action"), Resource: resource, Effect: evaluator.Allow}
	}), 0, most).Draw(t, "rules")
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

// A text that leads to more patterns than are remembered is still judged right.
func TestLongText(t *testing.T) {
	var rules []Rule
	all := ""
	for i := range 100 {
		rules = append(rules, Rule{Action: "shell", Resource: fmt.Sprintf("*<%02d>*!%d", i, i)})
		all += fmt.Sprintf("<%02d>", i)
	}
	x := NewIndex(rules)
	for i := range rules {
		if got := x.Decide("shell", fmt.Sprintf("%s!%d", all, i)); got != i {
			t.Errorf("%d decides, want %d", got, i)
		}
	}
	if got := x.Decide("shell", all+"!100"); got != -1 {
		t.Errorf("%d decides, want none", got)
	}
}

func TestEveryByte(t *testing.T) {
	for _, letters := range []string{"a", "ac", "acg", "@`", "abcdefghijklmnop", "\x00\x10"} {
		var rules []Rule
		for _, l := range letters {
			rules = append(rules, Rule{Action: "shell", Resource: string(l)}, Rule{Action: "edit", Resource: "*" + string(l)})
		}
		x := NewIndex(rules)
		for b := range 256 {
			for _, action := range []string{"shell", "edit"} {
				text := string([]byte{byte(b)})
				if _, want := Walk(rules, action, text); x.Decide(action, text) != want {
					t.Errorf("%q, %s %q: %d decides, want %d", letters, action, text, x.Decide(action, text), want)
				}
			}
		}
	}
}

var poolForgets bool // set under the race detector

func TestDecideAllocatesNothing(t *testing.T) {
	if poolForgets {
		t.Skip("the race detector empties pools at random; go test without -race counts allocations")
	}
	x := NewIndex([]Rule{
		{Action: "*", Resource: "*"}, {Action: "sh*", Resource: "git *"}, {Action: "shell *", Resource: "*"},
		{Action: "shell", Resource: "*a*b"}, {Action: "shell", Resource: "*.go"}, {Action: "shell", Resource: "rm ?"},
		{Action: "shell", Resource: "*日本語?*"}, {Action: "shell", Resource: "* | sh *"}, {Action: "shell", Resource: "/src/*/x?"},
	})
	for _, text := range []string{
		"git push xab ab", "git push é😀 日本語 ab", `C:\src\日本語`, `grep 'a\|b' | sh -c \`, "", strings.Repeat(`\long `, 20_000),
	} {
		for _, action := range []string{"shell", "edit", `a\b`} {
			if n := testing.AllocsPerRun(100, func() { x.Decide(action, text) }); n != 0 {
				t.Errorf("%s %.30q: %v allocations", action, text, n)
			}
		}
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

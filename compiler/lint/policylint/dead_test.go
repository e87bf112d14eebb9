package policylint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/compiler/lint/policylint"
	"github.com/modegate/modegate/policies"
)

// plainRule is a rule as the second opinion has it.
type plainRule struct{ kind, match, effect string }

// deadLines lists the lines, from 0, of the rules that the linter calls dead.
func deadLines(t *rapid.T, rules []plainRule) []int {
	text := "apiVersion: modegate/v1\nname: x\nrules:\n"
	for i, r := range rules {
		text += fmt.Sprintf("  - {id: r%d, kind: %s, match: %q, effect: %s}\n", i, r.kind, r.match, r.effect)
	}
	p, err := policies.Parse(policies.File{Name: "x.yaml", Data: []byte(text)})
	if err != nil {
		t.Fatalf("%v", err)
	}
	var out []int
	for _, f := range policylint.Policy(p) {
		if f.Rule == lint.DeadRule {
			out = append(out, f.Line-4)
		}
	}
	return out
}

// check compares what is called dead with what the rules do to every subject there
// is: the last rule that matches decides.
func check(t *rapid.T, rules []plainRule, subjects []string, matches func(pattern, subject string) bool) {
	dead := deadLines(t, rules)
	for i, r := range rules {
		decides, differs, same := false, false, false
		for _, s := range subjects {
			if !matches(r.match, s) {
				continue
			}
			by := -1
			for j, o := range rules {
				if matches(o.match, s) {
					by = j
				}
			}
			decides = decides || by == i
			differs = differs || rules[by].effect != r.effect
			same = same || by != i && rules[by].effect == r.effect
		}
		switch called := slices.Contains(dead, i); {
		case called && (decides || !differs):
			t.Fatalf("rule %d of %+v is called dead, and it decides something", i, rules)
		case !called && !decides && differs && !same:
			t.Fatalf("rule %d of %+v isn't called dead, and whatever it matches comes to another effect", i, rules)
		}
	}
}

var effects = rapid.SampledFrom([]string{"allow", "ask", "deny"})

func TestDeadCommands(t *testing.T) {
	var subjects []string
	var add func(prefix string, depth int)
	add = func(prefix string, depth int) {
		if prefix != "" {
			subjects = append(subjects, strings.TrimSpace(prefix))
		}
		if depth == 0 {
			return
		}
		for _, w := range []string{"a", "b", "c"} { // no rule speaks of c
			add(prefix+" "+w, depth-1)
		}
	}
	add("", 4)
	pattern := rapid.Custom(func(t *rapid.T) string {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 3).Draw(t, "words")
		if len(words) == 0 || rapid.Bool().Draw(t, "open") {
			words = append(words, "*")
		}
		return strings.Join(words, " ")
	})
	matches := func(pattern, s string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(s+" ", prefix)
		}
		return pattern == s
	}
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plainRule {
			return plainRule{"command", pattern.Draw(t, "pattern"), effects.Draw(t, "effect")}
		}), 1, 5).Draw(t, "rules")
		check(t, rules, subjects, matches)
	})
}

func TestDeadPaths(t *testing.T) {
	subjects := []string{"/outside/a"}
	names := []string{"a", "b", "ab", "c", ".c", "cc", "cb", "ac"}
	for _, x := range names {
		subjects = append(subjects, x)
		for _, y := range names {
			subjects = append(subjects, x+"/"+y)
			for _, z := range names {
				three := x + "/" + y + "/" + z
				subjects = append(subjects, three, three+"/c", three+"/c/c")
			}
		}
	}
	segment := rapid.SampledFrom([]string{"a", "b", "a*", "*", "?", "**", "*b"})
	pattern := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(segment, 1, 3).Draw(t, "segments"), "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plainRule {
			return plainRule{"file-read", pattern.Draw(t, "pattern"), effects.Draw(t, "effect")}
		}), 1, 4).Draw(t, "rules")
		check(t, rules, subjects, func(p, s string) bool {
			return p == "*" || s[0] != '/' && matchSegments(strings.Split(p, "/"), strings.Split(s, "/"))
		})
	})
}

// matchSegments compares a glob with a path, segment by segment.
func matchSegments(pattern, names []string) bool {
	switch {
	case len(pattern) == 0:
		return len(names) == 0
	case pattern[0] == "**" && len(pattern) == 1:
		return len(names) > 0 // all that a folder holds
	case pattern[0] == "**":
		return matchSegments(pattern[1:], names) || len(names) > 0 && matchSegments(pattern, names[1:])
	}
	return len(names) > 0 && matchName(pattern[0], names[0]) && matchSegments(pattern[1:], names[1:])
}

func matchName(pattern, name string) bool {
	switch {
	case pattern == "":
		return name == ""
	case pattern[0] == '*':
		return matchName(pattern[1:], name) || name != "" && matchName(pattern, name[1:])
	}
	return name != "" && (pattern[0] == '?' || pattern[0] == name[0]) && matchName(pattern[1:], name[1:])
}

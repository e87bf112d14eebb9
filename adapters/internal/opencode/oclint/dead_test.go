package oclint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters/internal/opencode/oclint"
	"github.com/modegate/modegate/adapters/internal/wildcard/wildcardtest"
	"github.com/modegate/modegate/compiler/lint"
)

var generation = oclint.Generation{Fields: [3]string{"action", "resource", "effect"}, Shell: "shell", Known: []string{"shell", "read"}}

// TestDead compares what is called dead with what the rules do to every text there
// is of a small alphabet: the last rule that matches decides.
func TestDead(t *testing.T) {
	texts := []string{""}
	for from := 0; len(texts[from]) < 5; from++ {
		for _, c := range []string{"a", " ", "c"} { // no rule speaks of c
			texts = append(texts, texts[from]+c)
		}
	}
	pattern := rapid.StringOfN(rapid.SampledFrom([]rune("aa *?")), 1, 4, -1)
	effects := rapid.SampledFrom([]string{"allow", "ask", "deny"})
	rapid.Check(t, func(t *rapid.T) {
		type rule struct{ pattern, effect string }
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rule {
			return rule{pattern.Draw(t, "pattern"), effects.Draw(t, "effect")}
		}), 1, 4).Draw(t, "rules")
		var lines []string
		for _, r := range rules {
			lines = append(lines, fmt.Sprintf(`{"action":"shell","resource":%q,"effect":%q}`, r.pattern, r.effect))
		}
		found, err := oclint.Lint(generation, lint.Settings{Text: []byte("[" + strings.Join(lines, ",\n") + "]")})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rules {
			called := slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Rule == lint.DeadRule && f.Line == i+1 })
			decides, differs, same := false, false, false
			for _, text := range texts {
				if !match(t, r.pattern, text) {
					continue
				}
				by := -1
				for j, o := range rules {
					if match(t, o.pattern, text) {
						by = j
					}
				}
				decides = decides || by == i
				differs = differs || rules[by].effect != r.effect
				same = same || by != i && rules[by].effect == r.effect
			}
			switch {
			case called && (decides || !differs):
				t.Fatalf("%q of %+v is called dead, and it decides something", r.pattern, rules)
			case !called && !decides && differs && !same:
				t.Fatalf("%q of %+v isn't called dead, and whatever it matches comes to another effect", r.pattern, rules)
			}
		}
	})
}

func match(t *rapid.T, pattern, text string) bool {
	ok, err := wildcardtest.Match(pattern, text)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

package live_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
)

// TestNativeEvaluator loads random rule lists as agents and asks the native
// evaluator about them. What it says is compared with the few lines below, which
// know nothing of the project's own evaluator.
func TestNativeEvaluator(t *testing.T) {
	h := livetest.Start(t, livetest.Options{})
	g := rand.New(rand.NewPCG(7, 33))
	agents := map[string][]live.NativeRule{}
	for i := range 40 {
		agents[fmt.Sprintf("agent%02d", i)] = randomRules(g)
	}
	dir := filepath.Join(h.Root, "srv", "native")
	config, err := livetest.NativeConfig(agents)
	if err != nil {
		t.Fatal(err)
	}
	livetest.Write(t, filepath.Join(dir, "opencode.json"), string(config))
	oracle, err := livetest.NewOracle(t.Context(), h.Server.Client(dir), len(agents))
	if err != nil {
		t.Fatal(err)
	}
	effects := map[string]int{}
	for name, rules := range agents {
		if diff := cmp.Diff(rules, oracle.Rules(name)); diff != "" {
			t.Errorf("%s was changed on loading: %s", name, diff)
		}
		for range 6 {
			action, resources := pickOne(g, words), []string{pickOne(g, words) + pickOne(g, words)}
			if g.IntN(3) == 0 {
				resources = append(resources, pickOne(g, words))
			}
			got, err := oracle.Evaluate(t.Context(), name, action, resources...)
			if err != nil {
				t.Fatal(err)
			}
			if want := reference(rules, action, resources); got != want {
				t.Errorf("%s of %q by %+v: %s, want %s", action, resources, rules, got, want)
			}
			effects[got]++
		}
	}
	if len(effects) != 3 {
		t.Errorf("the lists are too tame: %v", effects)
	}
	if got, err := oracle.Evaluate(t.Context(), "agent00", "shell"); err != nil || got != live.ActionAllow {
		t.Errorf("no resources: %v, %v", got, err)
	}
}

var words = []string{"shell", "edit", "", "a", "a b", "git push", "*", "?", " *", "git *", "\U0001F600", "é", "\\", "/", "x\ny", "**"}

func pickOne(g *rand.Rand, from []string) string { return from[g.IntN(len(from))] }

func randomRules(g *rand.Rand) []live.NativeRule {
	effects := []string{live.ActionAllow, live.ActionAsk, live.ActionDeny}
	rules := []live.NativeRule{}
	for range 1 + g.IntN(6) {
		rules = append(rules, live.NativeRule{
			Action: pickOne(g, words[:7]), Resource: pickOne(g, words) + pickOne(g, words), Effect: pickOne(g, effects),
		})
	}
	return rules
}

// reference says: the last rule that matches, ask without one, any deny denies.
func reference(rules []live.NativeRule, action string, resources []string) string {
	out := live.ActionAllow
	for _, resource := range resources {
		effect := live.ActionAsk
		for _, r := range rules {
			if matches(r.Action, action) && matches(r.Resource, resource) {
				effect = r.Effect
			}
		}
		if effect == live.ActionDeny {
			return effect
		}
		if effect == live.ActionAsk {
			out = effect
		}
	}
	return out
}

// matches compares UTF-16 units; a backslash counts as a slash, and a pattern
// that ends in " *" also matches without that end.
func matches(pattern, text string) bool {
	p, s := units(pattern), units(text)
	if glob(p, s) {
		return true
	}
	n := len(p)
	return n >= 2 && p[n-2] == ' ' && p[n-1] == '*' && glob(p[:n-2], s)
}

func glob(p, s []uint16) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '*':
		return glob(p[1:], s) || len(s) > 0 && glob(p, s[1:])
	}
	return len(s) > 0 && (p[0] == '?' || p[0] == s[0]) && glob(p[1:], s[1:])
}

func units(text string) []uint16 {
	u := utf16.Encode([]rune(text))
	for i := range u {
		if u[i] == '\\' {
			u[i] = '/'
		}
	}
	return u
}

package opencode

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/wildcard/wildcardtest"
	"github.com/modegate/modegate/evaluator"
)

var pieces = []string{"*", "*", "?", " *", "a", "b", " ", "/", `\`, "\n", "é", "😀", "git ", "src/", ".env"}

func drawText(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4).Draw(t, name), "")
}

var actions = rapid.SampledFrom([]string{"shell", "edit", "read", "*", "sh*", "e?it", "shell *"})

func drawRules(t *rapid.T, name string) []lastmatch.Rule {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lastmatch.Rule {
		return lastmatch.Rule{
			Action: actions.Draw(t, "action"), Resource: drawText(t, "resource"),
			Effect: rapid.SampledFrom([]evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Deny}).Draw(t, "effect"),
		}
	}), 0, 6).Draw(t, name)
}

func drawGrants(t *rapid.T) []evaluator.Grant {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) evaluator.Grant {
		return evaluator.Grant{Action: actions.Draw(t, "action"), Resource: drawText(t, "resource")}
	}), 0, 3).Draw(t, "saved")
}

// secondEffect judges by the plain words of the measurement, with the other
// matcher: nothing of it is shared with what is tested.
func secondEffect(t *rapid.T, rules []lastmatch.Rule, saved []evaluator.Grant, final bool, action string, texts []string) evaluator.Effect {
	last := func(list []lastmatch.Rule, text string) evaluator.Effect {
		for _, r := range slices.Backward(list) {
			a, err := wildcardtest.Match(r.Action, action)
			if err != nil {
				t.Fatal(err)
			}
			b, err := wildcardtest.Match(r.Resource, text)
			if err != nil {
				t.Fatal(err)
			}
			if a && b {
				return r.Effect
			}
		}
		return evaluator.Ask
	}
	all := slices.Clone(rules)
	for _, g := range saved {
		all = append(all, lastmatch.Rule{Action: g.Action, Resource: g.Resource, Effect: evaluator.Allow})
	}
	asks := false
	for _, text := range texts {
		if final && last(rules, text) == evaluator.Deny || last(all, text) == evaluator.Deny {
			return evaluator.Deny
		}
		asks = asks || last(all, text) == evaluator.Ask
	}
	if asks {
		return evaluator.Ask
	}
	return evaluator.Allow
}

func words(string, []string) jsontext.Value { return jsontext.Value("{}") }

// TestEffectAgreesWithSecondOpinion holds the fast decision, the explaining walk
// and the second opinion together, over random layers, grants and requests.
func TestEffectAgreesWithSecondOpinion(t *testing.T) {
	w := Words{Rule: func(lastmatch.Rule) jsontext.Value { return jsontext.Value("{}") }, Request: words}
	rapid.Check(t, func(t *rapid.T) {
		agent, session, saved := drawRules(t, "agent"), drawRules(t, "session"), drawGrants(t)
		final := rapid.Bool().Draw(t, "deny is final")
		rules := NewRules(agent, session, saved, final)
		action := rapid.SampledFrom([]string{"shell", "edit", "read", "other"}).Draw(t, "action")
		var texts []string
		for range rapid.IntRange(1, 3).Draw(t, "texts") {
			text := drawText(t, "text")
			if all := slices.Concat(agent, session); len(all) > 0 && rapid.Bool().Draw(t, "near") {
				text = strings.NewReplacer("*", drawText(t, "run"), "?", "x").Replace(rapid.SampledFrom(all).Draw(t, "rule").Resource)
			}
			texts = append(texts, text)
		}
		want := secondEffect(t, slices.Concat(agent, session), saved, final, action, texts)
		if got := rules.Effect(action, texts); got != want {
			t.Fatalf("%s %q: %s, second opinion %s", action, texts, got, want)
		}
		v := rules.Verdict(w, []Request{{Action: action, Resources: Texts(texts...)}}, true)
		if v.Effect != want {
			t.Fatalf("%s %q: the Verdict says %s, second opinion %s", action, texts, v.Effect, want)
		}
		checkTrace(t, v, rules, action, texts)
	})
}

// checkTrace holds the trace to the decision: for every text, at most one rule
// decided, and it is the one that the fast way names.
func checkTrace(t *rapid.T, v evaluator.Verdict, rules *Rules, action string, texts []string) {
	steps := v.Trace
	for _, text := range texts {
		_, position := rules.Decide(action, text)
		mine := steps[:min(len(rules.all), len(steps))]
		steps = steps[len(mine):]
		for i, s := range mine {
			if s.Resource != text {
				t.Fatalf("step %d is about %q, not %q", i, s.Resource, text)
			}
			if s.Decided != (i == position) {
				t.Fatalf("%q: the walk says rule %d decided: %v; the fast way says rule %d", text, i, s.Decided, position)
			}
		}
	}
	if len(steps) > 0 {
		t.Fatalf("%d steps too many", len(steps))
	}
}

func TestDoubtIsNeverAllow(t *testing.T) {
	ask := lastmatch.Rule{Action: "shell", Resource: "*", Effect: evaluator.Ask}
	allow := lastmatch.Rule{Action: "shell", Resource: "git *", Effect: evaluator.Allow}
	w := Words{Rule: func(lastmatch.Rule) jsontext.Value { return jsontext.Value("{}") }, Request: words}
	for _, c := range []struct {
		name  string
		rules []lastmatch.Rule
		q     Request
		want  evaluator.Effect
	}{
		{"one rule for everything", []lastmatch.Rule{ask}, Request{Action: "shell", Doubt: "why"}, evaluator.Ask},
		{"an exception behind it", []lastmatch.Rule{ask, allow}, Request{Action: "shell", Doubt: "why"}, evaluator.Unknown},
		{"an exception before it", []lastmatch.Rule{allow, ask}, Request{Action: "shell", Doubt: "why"}, evaluator.Ask},
		{"no rule", nil, Request{Action: "shell", Doubt: "why"}, evaluator.Ask},
		{"perhaps not raised", []lastmatch.Rule{ask}, Request{Action: "shell", Doubt: "why", Maybe: true}, evaluator.Unknown},
		{"a file or a folder", []lastmatch.Rule{ask, allow}, Request{Action: "shell", Resources: []Resource{{Text: "git x", Or: "ls"}}}, evaluator.Unknown},
		{"either way the same", []lastmatch.Rule{ask, allow}, Request{Action: "shell", Resources: []Resource{{Text: "git x", Or: "git y"}}}, evaluator.Allow},
	} {
		v := NewRules(nil, c.rules, nil, false).Verdict(w, []Request{c.q}, false)
		if v.Effect != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.name, v.Effect, c.want, v.Reason)
		}
		if v.Effect == evaluator.Unknown && v.Reason == "" {
			t.Errorf("%s: no reason", c.name)
		}
	}
}

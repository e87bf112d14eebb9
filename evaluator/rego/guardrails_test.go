package rego

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

func load(t testing.TB, texts map[string]string) *Guardrails {
	t.Helper()
	g, err := LoadGuardrails(files(texts))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// push is an input about a command.
func push(mode evaluator.Mode) evaluator.GuardrailInput {
	return evaluator.GuardrailInput{
		Verdict: evaluator.Verdict{Effect: evaluator.Allow, Mode: mode, Provider: evaluator.ProviderVersion{Name: evaluator.Claude, Version: "1"}},
		Action:  evaluator.Action{Kind: evaluator.Command, Command: "git push origin main"},
		Session: evaluator.GuardrailSession{ID: "s1", Workspace: "/work/app"},
	}
}

// TestNoAnswerIsNoAllow is EN-03 and EN-06 and their kind: a guardrail that fails,
// comes to nothing or to something else has no answer, and the engine never
// stands in for one.
func TestNoAnswerIsNoAllow(t *testing.T) {
	for name, c := range map[string]struct{ rest, want string }{
		"nothing matched":              {`decision := {"effect": "allow"} if input.action.command == "ls"`, "it came to nothing"},
		"an undefined field":           {`decision := {"effect": "allow", "reason": input.session.parent}`, "it came to nothing"},
		"false":                        {`decision := false`, "decision must be an object with effect and reason, not bool"},
		"a text":                       {`decision := "allow"`, "not string"},
		"a list":                       {`decision := ["allow"]`, "not []interface {}"},
		"null":                         {`decision := null`, "not <nil>"},
		"a number":                     {`decision := 1`, "not json.Number"},
		"no effect":                    {`decision := {"reason": "r"}`, "the effect <nil> is none: use allow, ask or deny"},
		"an empty effect":              {`decision := {"effect": ""}`, "the effect  is none"},
		"a word in capitals":           {`decision := {"effect": "ALLOW"}`, "the effect ALLOW is none"},
		"unknown":                      {`decision := {"effect": "unknown"}`, "the effect unknown is none"},
		"review":                       {`decision := {"effect": "review"}`, "the effect review is none"},
		"an effect that isn't a text":  {`decision := {"effect": true}`, "the effect true is none"},
		"another member":               {`decision := {"effect": "allow", "override": true}`, `decision has no "override"`},
		"a deny without a reason":      {`decision := {"effect": "deny"}`, "deny needs a reason"},
		"an ask with a blank reason":   {`decision := {"effect": "ask", "reason": " "}`, "ask needs a reason"},
		"a reason that isn't a text":   {`decision := {"effect": "deny", "reason": ["r"]}`, "the reason isn't a text"},
		"an endless reason":            {`decision := {"effect": "deny", "reason": concat("", [sprintf("%d", [x]) | some x in numbers.range(1, 5000)])}`, "longer than 2000 bytes"},
		"two values":                   {"decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if input.mode == \"auto\"", "produced conflicting values"},
		"a pattern that isn't one":     {"default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if glob.match(\"[\", null, input.action.command)", "glob.match"},
		"an expression that isn't one": {"default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if regex.match(\"(\", input.action.command)", "regex.match"},
		"a division by zero":           {"default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if 1 / count(input.gaps) > 1", "div"},
		"a number that isn't one":      {"default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if to_number(input.mode) > 1", "to_number"},
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, map[string]string{"a.rego": guard("a", c.rest)})
			said := g.Ask(context.Background(), push(evaluator.Auto))
			if len(said) != 1 || said[0].Effect != evaluator.Unknown || said[0].Err == nil || !strings.Contains(said[0].Err.Error(), c.want) {
				t.Fatalf("%+v, want the error %q", said, c.want)
			}
			if text := said[0].Err.Error(); !strings.HasPrefix(text, "guardrail a (guards/a.rego:") || strings.Contains(text, "\n") {
				t.Errorf("the error doesn't name the guardrail in one line: %v", said[0].Err)
			}
			settled, err := evaluator.Settle(said, true)
			if err != nil || settled[0].Effect != evaluator.Ask || settled[0].Reason == "" {
				t.Errorf("asking stands in for it: %+v, %v", settled, err)
			}
			if _, err := evaluator.Settle(said, false); err == nil {
				t.Error("no error stands in for it")
			}
		})
	}
}

// TestTimeIsOver: a guardrail that doesn't end is given up, in Rego's own loops
// and where nothing looks at the clock.
func TestTimeIsOver(t *testing.T) {
	for name, rest := range map[string]string{
		"a long walk":     `decision := {"effect": "allow"} if count([x | some x in numbers.range(1, 100000000)]) == 0`,
		"pairs of pairs":  "decision := {\"effect\": \"allow\"} if {\n\tn := numbers.range(1, 3000)\n\tcount([1 | some a in n; some b in n; some c in n; a + b + c == 1]) > 0\n}",
		"context is over": `decision := {"effect": "allow"}`,
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if name == "context is over" {
			cancel()
		}
		said := load(t, map[string]string{"a.rego": guard("a", rest)}).Ask(ctx, push(evaluator.Auto))
		cancel()
		if said[0].Effect != evaluator.Unknown || said[0].Err == nil || !strings.Contains(said[0].Err.Error(), "it took too long") {
			t.Errorf("%s: %+v", name, said)
		}
	}
}

// TestWhatGuardrailsSee holds the input's shape: the Verdict's JSON with action
// and session.
func TestWhatGuardrailsSee(t *testing.T) {
	const all = `default decision := {"effect": "allow"}

decision := {"effect": "deny", "reason": concat(" ", [
	input.effect, input.decider, input.native.effect, input.mode, input.interaction, input.provider.name,
	input.action.kind, input.action.command, input.session.id, input.session.workspace, input.parts[0].request.tool,
])}`
	in := push(evaluator.FullAccess)
	in.Interaction, in.Decider, in.Native.Effect = evaluator.Plan, evaluator.ByAdapter, evaluator.Ask
	in.Parts = []evaluator.Part{{Request: []byte(`{"tool":"Bash"}`), Effect: evaluator.Ask}}
	said := load(t, map[string]string{"a.rego": guard("a", all)}).Ask(context.Background(), in)
	if want := "allow adapter ask full-access plan claude command git push origin main s1 /work/app Bash"; said[0].Reason != want {
		t.Errorf("%+v, want %s", said, want)
	}
}

// TestPatternsInRego is PAT-10 for its whole kind: with null, * crosses whatever
// the texts of commands and paths are made of.
func TestPatternsInRego(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		null, dots    bool // with null, and with the dot that [] stands for
	}{
		{"test*", "test.config.json", true, false},
		{"test*", "test", true, true},
		{"*.env", "prod.local.env", true, false},
		{"src/*", "src/a.b/c.go", true, false},
		{"git push *", "git push origin v1.2.3", true, false},
		{"git push *", "git push origin main", true, true},
		{"a?c", "a.c", true, false},
		{"**", "a.b", true, true},
	} {
		for delimiters, want := range map[string]bool{"null": c.null, `["."]`: c.dots} {
			rest := fmt.Sprintf("default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"ask\", \"reason\": \"r\"} if glob.match(%q, %s, input.action.command)", c.pattern, delimiters)
			in := push(evaluator.Auto)
			in.Action.Command = c.text
			said := load(t, map[string]string{"a.rego": guard("a", rest)}).Ask(context.Background(), in)
			if got := said[0].Effect == evaluator.Ask; got != want || said[0].Err != nil {
				t.Errorf("glob.match(%q, %s, %q): %v, want %v: %v", c.pattern, delimiters, c.text, got, want, said[0].Err)
			}
		}
	}
}

// value draws any value that Rego can write.
func value(depth int) *rapid.Generator[any] {
	words := rapid.SampledFrom([]any{"allow", "ask", "deny", "review", "unknown", "", "reason", nil, true, false, 0, 1, -1, 1e300, math.MaxInt64})
	if depth == 0 {
		return words
	}
	inner := value(depth - 1)
	return rapid.OneOf(words, rapid.Map(rapid.SliceOfN(inner, 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"effect", "reason", "effects", "x"}), inner, 0, 3), func(m map[string]any) any { return m }))
}

// TestWhateverItComesTo: an answer is one of the three, or there is none. Only
// {"effect": "allow"}, with or without a reason, is an allow.
func TestWhateverItComesTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "decision")
		text, err := strictjson.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		g, err := LoadGuardrails(files(map[string]string{"a.rego": guard("a", "decision := "+string(text))}))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		said := g.Ask(context.Background(), push(evaluator.Auto))[0]
		members, _ := v.(map[string]any)
		reason, isText := members["reason"].(string)
		_, has := members["reason"]
		extra := 0
		for name := range members {
			if name != "effect" && name != "reason" {
				extra++
			}
		}
		want := evaluator.Unknown
		switch {
		case members == nil || extra > 0 || has && !isText:
		case members["effect"] == "allow":
			want = evaluator.Allow
		case members["effect"] == "ask" && reason != "":
			want = evaluator.Ask
		case members["effect"] == "deny" && reason != "":
			want = evaluator.Deny
		}
		if said.Effect != want || (said.Err == nil) != (want != evaluator.Unknown) {
			t.Fatalf("%s came to %+v, want %s", text, said, want)
		}
	})
}

func FuzzAsk(f *testing.F) {
	f.Add(`{"effect":"ask","mode":"auto"}`, "git push")
	f.Add(`{"parts":[{"request":{"a":[1e999,"\u0000"]}}]}`, "\xff")
	g, err := LoadGuardrails(files(map[string]string{"a.rego": guard("a", "default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"ask\", \"reason\": \"r\"} if startswith(input.action.command, \"git\")"), "b.rego": guard("b", "decision := input.rule.native")}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, verdict, command string) {
		var in evaluator.GuardrailInput
		if strictjson.Decode([]byte(verdict), &in.Verdict) != nil {
			return
		}
		in.Action = evaluator.Action{Kind: evaluator.Command, Command: command}
		for _, s := range g.Ask(context.Background(), in) {
			if (s.Err == nil) != (s.Effect == evaluator.Allow || s.Effect == evaluator.Ask || s.Effect == evaluator.Deny) {
				t.Fatalf("%s: %+v", verdict, s)
			}
		}
	})
}

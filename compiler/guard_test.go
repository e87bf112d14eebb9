package compiler

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
)

// asker is a dialect whose provider's requests show what is listed.
type asker struct {
	Dialect
	shows map[string][]evaluator.Action // by the part's request
	any   bool
}

func (d asker) Asked(_ evaluator.Action, part jsontext.Value) []evaluator.Action {
	return d.shows[string(part)]
}

func (d asker) AnyPart() bool { return d.any }

func run(text string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.Command, Command: text}
}

// wishes are guardrails that want what is listed, by command.
func wishes(want ...map[string]evaluator.Effect) AskGuardrails {
	return func(in evaluator.GuardrailInput) ([]evaluator.Said, error) {
		var out []evaluator.Said
		for i, w := range want {
			s := evaluator.Said{Guardrail: evaluator.Guardrail{Name: fmt.Sprintf("g%d", i)}, Effect: evaluator.Allow}
			if e, ok := w[in.Action.Command]; ok {
				s.Effect, s.Reason = e, "not "+in.Action.Command
			}
			out = append(out, s)
		}
		return evaluator.Settle(out, true)
	}
}

// verdict is what a provider decides, and where our callback answers allow.
func verdict(native, effect evaluator.Effect, parts ...evaluator.Effect) evaluator.Verdict {
	v := evaluator.Verdict{Effect: effect, Native: evaluator.NativeAnswer{Effect: native}, Provider: evaluator.ProviderVersion{Name: evaluator.Claude}, Decider: evaluator.ByRule, Enforcer: evaluator.EnforcedByRule}
	for i, e := range parts {
		v.Parts = append(v.Parts, evaluator.Part{Request: jsontext.Value(fmt.Sprint(i)), Effect: e})
	}
	return v
}

type effects = map[string]evaluator.Effect

// TestGuard is law 4 under guardrails: what they want comes to be where the
// provider asks us about it, and is only said where it doesn't.
func TestGuard(t *testing.T) {
	const allow, ask, review, deny, unknown = evaluator.Allow, evaluator.Ask, evaluator.Review, evaluator.Deny, evaluator.Unknown
	push := map[string][]evaluator.Action{"0": {run("push")}}
	two := map[string][]evaluator.Action{"0": {run("push")}, "1": {run("other")}}
	for _, c := range []struct {
		name     string
		verdict  evaluator.Verdict
		shows    map[string][]evaluator.Action
		any      bool
		want     []map[string]evaluator.Effect
		effect   evaluator.Effect
		enforced string // for each guardrail that wants something
		why      string
	}{
		{"our callback would allow it, and is denied", verdict(ask, allow, ask), push, false, []effects{{"push": deny}}, deny, "y", ""},
		{"our callback would allow it, and a person is asked", verdict(ask, allow, ask), push, false, []effects{{"push": ask}}, ask, "y", ""},
		{"a person is asked, and it is denied", verdict(ask, ask, ask), push, false, []effects{{"push": deny}}, deny, "y", ""},
		{"a person is asked already", verdict(ask, ask, ask), push, false, []effects{{"push": ask}}, ask, "y", ""},
		{"nothing is wanted", verdict(ask, allow, ask), push, false, []effects{{"pull": deny}}, allow, "", ""},
		{"an allow opens nothing", verdict(ask, ask, ask), push, false, []effects{{"push": allow}}, ask, "", ""},
		{"the provider's rule allows it", verdict(allow, allow, allow), push, false, []effects{{"push": deny}}, allow, "n", "claude runs it without asking"},
		{"the provider's reviewer decides", verdict(review, review, review), push, false, []effects{{"push": deny}}, review, "n", "claude has it reviewed, and doesn't ask us"},
		{"nobody knows", verdict(unknown, unknown, unknown), push, false, []effects{{"push": deny}}, unknown, "n", "whether claude asks about it can't be predicted"},
		{"it is denied already", verdict(deny, deny, deny), push, false, []effects{{"push": deny}}, deny, "", ""},
		{"the callback denies it already", verdict(ask, deny, ask), push, false, []effects{{"push": ask}}, deny, "", ""},
		{"the request doesn't show what it is about", verdict(ask, allow, ask), nil, false, []effects{{"push": deny}}, allow, "n", "can ask in a way that doesn't show"},
		{"but asks a person, which is what is wanted", verdict(ask, ask, ask), nil, false, []effects{{"push": ask}}, ask, "y", ""},
		{"another way around it", verdict(ask, allow, ask, ask), two, true, []effects{{"push": deny}}, allow, "n", "can ask in a way that doesn't show"},
		{"the other way is asked about, too", verdict(ask, allow, ask, ask), two, true, []effects{{"push": deny, "other": ask}}, ask, "n", "can ask in a way"},
		{"both ways are shut, by two guardrails", verdict(ask, allow, ask, ask), two, true, []effects{{"push": deny}, {"other": deny}}, deny, "yy", ""},
		{"the other way is denied by the provider", verdict(ask, allow, ask, deny), two, true, []effects{{"push": deny}}, deny, "y", ""},
		{"all parts must pass", verdict(ask, allow, ask, ask), two, false, []effects{{"push": deny}}, deny, "y", ""},
		{"one part is allowed, the other asked about", verdict(ask, allow, allow, ask), two, false, []effects{{"push": deny}}, allow, "n", "can ask in a way"},
		{"a guardrail that says what none can", verdict(ask, allow, ask), push, false, []effects{{"push": unknown}}, ask, "y", ""},
	} {
		v := c.verdict
		err := Guard(asker{shows: c.shows, any: c.any}, &v, run("push"), evaluator.GuardrailSession{}, true, wishes(c.want...))
		if err != nil {
			t.Fatal(err)
		}
		enforced, why := "", ""
		for _, g := range v.Guardrails {
			enforced += map[bool]string{true: "y", false: "n"}[g.Enforced]
			why += g.Unenforced
		}
		if v.Effect != c.effect || enforced != c.enforced || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %s, enforced %q (%s), want %s, %q (%s)", c.name, v.Effect, enforced, why, c.effect, c.enforced, c.why)
		}
		if v.Native != c.verdict.Native {
			t.Errorf("%s: what the provider decides has become %s", c.name, v.Native.Effect)
		}
		decided := 0
		for _, s := range v.Trace {
			if s.Layer != GuardrailLayer || s.Matched != strings.HasPrefix(s.Reason, "it says ") {
				t.Errorf("%s: %+v", c.name, s)
			}
			if s.Decided {
				decided++
			}
		}
		if tightened := v.Effect != c.verdict.Effect; (decided > 0) != tightened || tightened == (v.Decider == evaluator.ByRule) {
			t.Errorf("%s: %d steps decided, %s does", c.name, decided, v.Decider)
		}
	}
}

// TestGuardFails: without an answer of the guardrails there is none.
func TestGuardFails(t *testing.T) {
	v := verdict(evaluator.Allow, evaluator.Allow, evaluator.Allow)
	fault := errors.New("no answer")
	err := Guard(asker{}, &v, run("push"), evaluator.GuardrailSession{}, false, func(evaluator.GuardrailInput) ([]evaluator.Said, error) { return nil, fault })
	if !errors.Is(err, fault) {
		t.Errorf("%v", err)
	}
}

// TestGuardNeverLoosens: whatever guardrails say, a Verdict becomes stricter or
// stays, and stays where the provider doesn't ask. A dialect that can't say what
// it asks is never tightened.
func TestGuardNeverLoosens(t *testing.T) {
	all := []evaluator.Effect{evaluator.Unknown, evaluator.Allow, evaluator.Ask, evaluator.Review, evaluator.Deny}
	rapid.Check(t, func(t *rapid.T) {
		effect := rapid.SampledFrom(all)
		v := verdict(effect.Draw(t, "native"), effect.Draw(t, "effect"), rapid.SliceOfN(effect, 0, 3).Draw(t, "parts")...)
		d := asker{any: rapid.Bool().Draw(t, "any"), shows: map[string][]evaluator.Action{}}
		for i := range v.Parts {
			for range rapid.IntRange(0, 2).Draw(t, "actions") {
				key := string(v.Parts[i].Request)
				d.shows[key] = append(d.shows[key], run(rapid.SampledFrom([]string{"push", "pull", "a && b"}).Draw(t, "command")))
			}
		}
		var want []map[string]evaluator.Effect
		for range rapid.IntRange(0, 3).Draw(t, "guardrails") {
			want = append(want, rapid.MapOf(rapid.SampledFrom([]string{"push", "pull", "a", "b", "a && b"}), effect).Draw(t, "wants"))
		}
		before := v
		var dialect Dialect = d
		gated := rapid.Bool().Draw(t, "gated")
		if !gated {
			dialect = nil
		}
		if err := Guard(dialect, &v, run("push"), evaluator.GuardrailSession{}, rapid.Bool().Draw(t, "explain"), wishes(want...)); err != nil {
			t.Fatal(err)
		}
		was, knew := evaluator.Strictness(before.Effect, before.Confinement)
		is, knows := evaluator.Strictness(v.Effect, v.Confinement)
		if knew != knows || is < was {
			t.Fatalf("%s has become %s", before.Effect, v.Effect)
		}
		if v.Effect != before.Effect && (before.Native.Effect != evaluator.Ask || !gated) {
			t.Fatalf("the provider doesn't ask, and %s has become %s", before.Effect, v.Effect)
		}
		for _, g := range v.Guardrails {
			if g.Enforced == (g.Unenforced != "") || g.Effect != evaluator.Ask && g.Effect != evaluator.Deny {
				t.Fatalf("%+v", g)
			}
		}
	})
}

func TestSubjects(t *testing.T) {
	change := func(path, to string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.FileChange, Path: path, To: to}
	}
	at := func(command, cwd string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.Command, Command: command, Cwd: cwd}
	}
	for _, c := range []struct {
		workspace string
		action    evaluator.Action
		want      []evaluator.Action
	}{
		{"/w", change("/w/src/a.go", ""), []evaluator.Action{change("src/a.go", "")}},
		{"/w", change("src/../a.go", "/else/b"), []evaluator.Action{change("a.go", "/else/b")}},
		{"/w", change("../b", ""), []evaluator.Action{change("/b", "")}},
		{"/w", change("/w", ""), []evaluator.Action{change(".", "")}},
		{"/w", change("/wide/a", ""), []evaluator.Action{change("/wide/a", "")}},
		{"", change("src/a.go", ""), []evaluator.Action{change("src/a.go", "")}},
		{"", change("/w/a.go", ""), []evaluator.Action{change("/w/a.go", "")}},
		{"/w", at("ls", "/w"), []evaluator.Action{at("ls", "")}},
		{"/w", at("ls", "."), []evaluator.Action{at("ls", "")}},
		{"/w", at("ls", "sub"), []evaluator.Action{at("ls", "sub")}},
		{"/w", at("cd src && git  push 'origin' main", ""), []evaluator.Action{at("cd src && git  push 'origin' main", ""), at("git push origin main", "")}},
		{"/w", at("a; b $(c)", ""), []evaluator.Action{at("a; b $(c)", ""), at("a", ""), at("b $(c)", ""), at("c", "")}},
		{"/w", at("'unclosed", ""), []evaluator.Action{at("'unclosed", "")}},
		{"/w", at("", ""), []evaluator.Action{at("", "")}},
		{"/w", evaluator.Action{Kind: evaluator.FileChange}, []evaluator.Action{{Kind: evaluator.FileChange}}},
	} {
		var got []evaluator.Action
		for _, in := range Subjects(evaluator.GuardrailInput{Action: c.action, Session: evaluator.GuardrailSession{Workspace: c.workspace}}) {
			got = append(got, in.Action)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%+v in %q: %s", c.action, c.workspace, d)
		}
	}
	var line strings.Builder
	for i := range maxSubjects {
		fmt.Fprintf(&line, "a%d;", i)
	}
	if got := Subjects(evaluator.GuardrailInput{Action: run(line.String())}); len(got) != 1 || got[0].Unaskable == nil {
		t.Errorf("%d subjects of a line with %d commands: %v", len(got), maxSubjects, got[0].Unaskable)
	}
}

// TestWorkspaceIsClean: a guardrail that looks at the beginning of the workspace
// isn't led astray.
func TestWorkspaceIsClean(t *testing.T) {
	v := verdict(evaluator.Ask, evaluator.Ask, evaluator.Ask)
	seen := ""
	err := Guard(asker{}, &v, run("push"), evaluator.GuardrailSession{Workspace: "/srv/sandboxes/../../home/dev"}, false, func(in evaluator.GuardrailInput) ([]evaluator.Said, error) {
		seen = in.Session.Workspace
		return nil, nil
	})
	if err != nil || seen != "/home/dev" {
		t.Errorf("%q, %v", seen, err)
	}
}

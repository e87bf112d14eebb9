package suite_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/suite"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// everything chooses all cells.
func everything() suite.Options {
	return suite.Options{Dialects: adapters.Table(), Modes: evaluator.Modes(), Interactions: evaluator.Interactions()}
}

func policy(t *testing.T, text string) *policies.Policy {
	t.Helper()
	p, err := policies.Parse(policies.File{Name: "acme.yaml", Data: []byte("apiVersion: modegate/v1\nname: acme\nextends: builtin/t3code\n" + text)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tests(t *testing.T, text string) *policies.Suite {
	t.Helper()
	s, err := policies.ParseSuite(policies.File{Name: "acme_test.yaml", Data: []byte("apiVersion: modegate/v1\ntests:\n" + text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, p *policies.Policy, s *policies.Suite, o suite.Options) *suite.Outcome {
	t.Helper()
	out, err := suite.Run(p, []*policies.Suite{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rows writes the rows as provider/mode/interaction status.
func rows(o *suite.Outcome) []string {
	out := []string{}
	for _, s := range o.Suites {
		for _, r := range s.Results {
			out = append(out, evaluator.Cell{Provider: r.Provider.Name, Mode: r.Mode, Interaction: r.Interaction}.String()+" "+string(r.Status))
		}
	}
	return out
}

// A test is a row in every cell that it and the options choose.
func TestRows(t *testing.T) {
	s := tests(t, `  - {name: shell, providers: [opencode2, codex], modes: [auto, full-access], interaction: all, action: {kind: command, command: npm test}, expect: {effect: [ask, allow]}}
  - {name: later, action: {kind: question}, expect: {effect: deny}, skip: not decided}
`)
	o := everything()
	o.Dialects = o.Dialects[:1] // codex
	o.Modes = []evaluator.Mode{evaluator.Auto}
	out := run(t, policy(t, ""), s, o)
	want := []string{"codex/auto/default passed", "codex/auto/plan passed", "codex/auto/default skipped"}
	if d := cmp.Diff(want, rows(out)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if out.Counts != (suite.Counts{Passed: 2, Skipped: 1}) {
		t.Errorf("the counts are %+v", out.Counts)
	}
	o.Name = regexp.MustCompile("^she")
	if got := rows(run(t, policy(t, ""), s, o)); len(got) != 2 {
		t.Errorf("the filter lets %q run", got)
	}
	o.Name = regexp.MustCompile("nothing")
	if got := rows(run(t, policy(t, ""), s, o)); len(got) != 0 {
		t.Errorf("the filter lets %q run", got)
	}
}

// What a row expects is compared field by field.
func TestExpectations(t *testing.T) {
	for _, tt := range []struct {
		expect string
		missed string // fields
	}{
		{"{effect: ask}", ""},
		{"{effect: [deny, ask]}", ""},
		{"{effect: [deny, allow]}", "effect"},
		{"{effect: unknown}", "effect"},
		{"{confinement: none, decider: person, enforcer: provider-rule}", ""},
		{"{confinement: read-only, decider: [nobody, adapter], enforcer: instruction}", "confinement decider enforcer"},
		{"{rule: commands-ask}", ""},
		{"{rule: edits-ask}", "rule"},
		{`{rule: {effect: ask, action: shell, resource: "*"}}`, ""},
		{`{rule: {effect: ask, action: shell}}`, "rule"},
		{"{effect: allow, rule: edits-ask}", "effect rule"},
	} {
		s := tests(t, "  - {name: one, providers: [opencode2], modes: [approval-required], action: {kind: command, command: ls}, expect: "+tt.expect+"}\n")
		out := run(t, policy(t, ""), s, everything())
		missed := []string{}
		if f := out.Suites[0].Results[0].Failure; f != nil {
			for _, m := range f.Missed {
				missed = append(missed, m.Field)
			}
		}
		if got := strings.Join(missed, " "); got != tt.missed || out.Failed != min(1, len(missed)) {
			t.Errorf("%s misses %q (%+v), want %q", tt.expect, got, out.Counts, tt.missed)
		}
	}
}

// What can't be predicted meets no expectation, unless unknown is one of the
// effects that it lists.
func TestUnknownMeetsNothing(t *testing.T) {
	for _, tt := range []struct {
		expect string
		passes bool
	}{
		{"{effect: [allow, ask, review, deny]}", false},
		{"{confinement: none}", false},
		{"{decider: [person, provider-rule, provider-mode, provider-reviewer, provider-sandbox, adapter, nobody]}", false},
		{"{effect: unknown}", true},
		{"{effect: [ask, unknown]}", true},
		{"{effect: [ask, unknown], confinement: read-only}", false},
	} {
		// OpenCode 1.x can't be predicted on a text that its parser gives up on.
		s := tests(t, `  - {name: one, providers: [opencode], modes: [approval-required], action: {kind: command, command: 'echo "unclosed'}, expect: `+tt.expect+"}\n")
		out := run(t, policy(t, ""), s, everything())
		got := out.Suites[0].Results[0]
		if got.Got.Effect != evaluator.Unknown {
			t.Fatalf("the row's effect is %s", got.Got.Effect)
		}
		if (got.Status == suite.Passed) != tt.passes {
			t.Errorf("%s %s", tt.expect, got.Status)
		}
		if f := got.Failure; f != nil && len(f.Missed) != 1 {
			t.Errorf("%s misses %+v: of an unknown effect nothing else is told", tt.expect, f.Missed)
		}
	}
}

// A cell that can't be compiled, and a test that can't be asked, are problems with
// their places; nothing has run then.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ policy, test, want string }{
		{
			"rules:\n  - {id: no-writing, kind: file-change, match: src/**, effect: deny}\n  - {id: anything, kind: command, match: \"*\", effect: allow}\n", "action: {kind: command, command: ls}",
			"acme.yaml:5:5: gap opencode2.file-change.no-writing: the policy says deny, the provider does allow",
		},
		{"", "action: {kind: native, request: {tool: Bash}}", "acme_test.yaml:3:5: opencode2/auto/default can't be asked this: "},
		{"", "action: {kind: question}, env: {facts: {a: b}}", "acme_test.yaml:3:5: opencode2/auto/default can't be compiled for this test's session: "},
	} {
		s := tests(t, "  - {name: one, providers: [opencode2], modes: [auto], "+tt.test+", expect: {effect: ask}}\n")
		out, err := suite.Run(policy(t, tt.policy), []*policies.Suite{s}, everything())
		var problems diag.List
		if out != nil || !errors.As(err, &problems) || len(problems) != 1 || problems[0].Text == "" || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v and\n%v\nwant %s", out, err, tt.want)
		}
	}
}

// TestLaw holds the first law for tests: a row says what the cell's native bytes
// mean to somebody who never saw the policy.
func TestLaw(t *testing.T) {
	targets, err := policies.Targets("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	s := targets[0].Suite
	out := run(t, p, s, everything())
	seen := 0
	for _, r := range out.Suites[0].Results {
		i := slices.IndexFunc(s.Tests, func(one policies.Test) bool { return one.Name == r.Test })
		env := s.Tests[i].Session()
		d, _ := adapters.Find(r.Provider.Name)
		c, err := compiler.Compile(p, d, evaluator.Cell{Provider: r.Provider.Name, Mode: r.Mode, Interaction: r.Interaction}, compiler.Options{Env: env})
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Read(c.RuleSet.Native, compiler.Setting{Env: d.Env(r.Interaction, env)})
		if err != nil {
			t.Fatal(err)
		}
		v, err := evaluator.Evaluate(m, r.Action, false)
		if err != nil {
			t.Fatal(err)
		}
		if v.Effect != r.Got.Effect || v.Confinement != r.Got.Confinement || v.Decider != r.Got.Decider || v.Enforcer != r.Got.Enforcer || v.Reason != r.Got.Reason {
			t.Errorf("%s (%s): got %+v, alone %+v", r.Test, r.Cell(), r.Got, v)
		}
		seen++
	}
	if seen < 200 {
		t.Errorf("only %d rows", seen)
	}
}

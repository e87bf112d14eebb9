package policies_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gopkg.in/yaml.v3"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Every field arrives, in the words of the evaluator.
func TestSuiteFields(t *testing.T) {
	no, yes := false, true
	everywhere := policies.Test{
		Providers: evaluator.Providers(), Modes: evaluator.Modes(), Interactions: []evaluator.Interaction{evaluator.Default},
	}
	test := func(name string, line int, a evaluator.Action, e policies.Expect) policies.Test {
		out := everywhere
		out.Name, out.Action, out.Expect, out.Source = name, a, e, evaluator.Source{Line: line}
		return out
	}
	first := test("every field of a test", 3, evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/b.go"}, policies.Expect{
		Effects:      []evaluator.Effect{evaluator.Allow},
		Confinements: []evaluator.Confinement{evaluator.Unconfined, evaluator.ReadOnly},
		Deciders:     []evaluator.Decider{evaluator.ByRule},
		Enforcers:    []evaluator.Enforcer{evaluator.EnforcedByRule, evaluator.EnforcedByMode},
		Rule:         "edits-allow",
	})
	first.Providers = []evaluator.Provider{evaluator.OpenCode2}
	first.Modes = []evaluator.Mode{evaluator.Auto}
	first.Interactions = evaluator.Interactions()
	first.Skip = "not yet"
	first.Env = evaluator.Env{
		Workspace: "/work/app", Home: "/home/dev", Platform: "darwin", Agent: "build",
		Agents: []evaluator.Agent{
			{ID: "build", Permissions: []evaluator.AgentRule{{Action: "edit", Resource: "*", Effect: evaluator.Ask}}},
			{ID: "plan"},
		},
		Grants:   []evaluator.Grant{{Action: "edit", Resource: "src/*"}},
		Saved:    []evaluator.Grant{{Action: "shell", Resource: "ls *"}},
		Resolved: map[string]string{"src/a.go": "/outside/a.go"},
		Facts:    jsontext.Value(`{"trusted":true,"sources":["user","project"]}`),
	}
	last := test("facts with a number", 35, evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(`{"tool":"Bash","input":{"timeout":5000,"x":null}}`)},
		policies.Expect{Effects: []evaluator.Effect{evaluator.Unknown, evaluator.Deny}})
	last.Env = evaluator.Env{Facts: jsontext.Value(`{"depth":2}`), Agents: []evaluator.Agent{}}
	want := []policies.Test{
		first,
		test("a native rule is a mapping", 29, evaluator.Action{Kind: evaluator.Command, Command: "git status\ngit log", Cwd: "/tmp"},
			policies.Expect{Native: jsontext.Value(`{"action":"shell","resource":"*","effect":"ask"}`)}),
		test("a native rule is a text", 32, evaluator.Action{
			Kind: evaluator.MCPTool, Server: "github", Tool: "create_issue",
			Annotations: &evaluator.Annotations{Title: "Create", ReadOnlyHint: &no, OpenWorldHint: &yes},
		}, policies.Expect{Native: jsontext.Value(`"Bash(git push *)"`)}),
		last,
	}
	s, err := policies.ParseSuite(suiteFile(t, "good/everything.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	places := cmp.Options{
		cmpopts.IgnoreFields(policies.Expect{}, "Source"), cmpopts.IgnoreFields(evaluator.Source{}, "File", "Column"),
		cmp.Transformer("text", func(v jsontext.Value) string { return string(v) }),
	}
	if d := cmp.Diff(want, s.Tests, places); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// What a test doesn't say of its session is the same on every machine.
func TestSuiteSession(t *testing.T) {
	for _, tt := range []struct{ env, want evaluator.Env }{
		{evaluator.Env{}, evaluator.Env{Workspace: "/workspace", Home: "/home/user"}},
		{evaluator.Env{Workspace: "/w", Agent: "plan"}, evaluator.Env{Workspace: "/w", Home: "/home/user", Agent: "plan"}},
	} {
		if d := cmp.Diff(tt.want, policies.Test{Env: tt.env}.Session()); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	}
}

func suiteFile(t testing.TB, name string) policies.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "suite", name))
	if err != nil {
		t.Fatal(err)
	}
	return policies.File{Name: filepath.Base(name), Data: data}
}

func TestGoodSuites(t *testing.T) {
	for _, f := range testFiles(t, "suite/good") {
		if _, err := policies.ParseSuite(f); err != nil {
			t.Errorf("%s is refused:\n%v", f.Name, err)
		}
	}
}

// Each bad suite has one fault, and one problem tells of it.
func TestBadSuites(t *testing.T) {
	files := testFiles(t, "suite/bad")
	if len(files) < 80 {
		t.Errorf("only %d bad suites", len(files))
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(f.Name, ".yaml"), func(t *testing.T) {
			s, err := policies.ParseSuite(f)
			var problems diag.List
			if !errors.As(err, &problems) || s != nil {
				t.Fatalf("got suite %v and error %v, want no suite and a diag.List", s, err)
			}
			if len(problems) != 1 {
				t.Errorf("%d problems, want 1", len(problems))
			}
			checkProblems(t, f, problems)
			goldenErr(t, "suite/bad", f.Name, err)
		})
	}
}

// All problems of a suite are told at once.
func TestSuiteProblemsTogether(t *testing.T) {
	_, err := policies.ParseSuite(file("a_test.yaml", `apiVersion: modegate/v2
tests:
  - {name: one, action: {kind: command, path: a}, expect: {effect: no, rule: []}}
  - {name: one, providers: [a, b], expect: {}}
`))
	var problems diag.List
	if !errors.As(err, &problems) || len(problems) != 10 {
		t.Errorf("want 10 problems:\n%v", err)
	}
}

// suiteSchemaBlind are the bad suites whose fault a schema can't express, and why.
var suiteSchemaBlind = map[string]string{
	"action-request-is-no-json":     "a text",
	"action-request-repeats-a-name": "a text",
	"env-agent-twice":               "uniqueness by one key",
	"name-of-two-lines":             "a name is any text for the schema",
	"name-twice":                    "uniqueness by one key",
	"skip-blank":                    "a reason is any text for the schema",
	"text-invisible":                "a name is any text for the schema",
	"yaml-anchor":                   "gone after decoding",
	"yaml-merge-key":                "gone after decoding",
	"yaml-open-bracket":             "doesn't decode",
	"yaml-repeated-key":             "doesn't decode",
	"yaml-second-document":          "only the first document is decoded",
	"yaml-tag":                      "gone after decoding",
}

func TestSuiteSchemaIsTheParser(t *testing.T) {
	s := compileSchema(t, policies.SuiteSchema())
	for _, f := range testFiles(t, "suite/good") {
		if _, err := validate(s, f.Data); err != nil {
			t.Errorf("the schema refuses %s: %v", f.Name, err)
		}
	}
	seen := map[string]bool{}
	for _, f := range testFiles(t, "suite/bad") {
		name := strings.TrimSuffix(f.Name, ".yaml")
		seen[name] = true
		decoded, err := validate(s, f.Data)
		reason, blind := suiteSchemaBlind[name]
		switch {
		case !blind && (!decoded || err == nil):
			t.Errorf("the schema accepts %s (decoded: %t)", name, decoded)
		case blind && decoded && err != nil:
			t.Errorf("the schema sees %s after all (%q): %v", name, reason, err)
		}
	}
	for name := range suiteSchemaBlind {
		if !seen[name] {
			t.Errorf("there is no bad suite %s", name)
		}
	}
}

// The schema repeats the words of the evaluator: they mustn't drift apart.
func TestSuiteSchemaWords(t *testing.T) {
	var schema struct {
		Properties struct {
			APIVersion struct{ Const string } `yaml:"apiVersion"`
		}
		Definitions map[string]struct {
			Enum  []string
			OneOf []struct {
				Required   []string
				Properties map[string]struct{ Const string }
			} `yaml:"oneOf"`
		}
	}
	if err := yaml.Unmarshal(policies.SuiteSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	check(t, "apiVersion", schema.Properties.APIVersion.Const, policies.APIVersion)
	check(t, "modes", schema.Definitions["mode"].Enum, words(evaluator.Modes()))
	check(t, "providers", schema.Definitions["provider"].Enum, words(evaluator.Providers()))
	check(t, "interactions", schema.Definitions["interaction"].Enum, append(words(evaluator.Interactions()), "all"))
	var kinds []string
	for _, one := range schema.Definitions["action"].OneOf {
		kind := evaluator.Kind(one.Properties["kind"].Const)
		kinds = append(kinds, string(kind))
		required, optional := kind.Fields()
		check(t, string(kind)+" requires", strings.Join(one.Required, " "), strings.Join(required, " "))
		check(t, string(kind)+" has", len(one.Properties), 1+len(required)+len(optional))
		for _, name := range append(required, optional...) {
			if _, ok := one.Properties[name]; !ok {
				t.Errorf("the schema's %s has no %s", kind, name)
			}
		}
	}
	check(t, "kinds", kinds, words(evaluator.ActionKinds()))
	for _, word := range schema.Definitions["effect"].Enum {
		known(t, word, new(evaluator.Effect).UnmarshalText)
	}
	for _, word := range schema.Definitions["confinement"].Enum {
		known(t, word, new(evaluator.Confinement).UnmarshalText)
	}
	for _, word := range schema.Definitions["decider"].Enum {
		known(t, word, new(evaluator.Decider).UnmarshalText)
	}
	for _, word := range schema.Definitions["enforcer"].Enum {
		known(t, word, new(evaluator.Enforcer).UnmarshalText)
	}
	// And none is missing: what is refused names all that there are.
	for name, unmarshal := range map[string]func([]byte) error{
		"effect": new(evaluator.Effect).UnmarshalText, "confinement": new(evaluator.Confinement).UnmarshalText,
		"decider": new(evaluator.Decider).UnmarshalText, "enforcer": new(evaluator.Enforcer).UnmarshalText,
	} {
		_, list, _ := strings.Cut(unmarshal([]byte("?")).Error(), ": use ")
		check(t, name, schema.Definitions[name].Enum, strings.Split(list, ", "))
	}
}

func known(t *testing.T, word string, unmarshal func([]byte) error) {
	t.Helper()
	if err := unmarshal([]byte(word)); err != nil {
		t.Error(err)
	}
}

// Whatever the bytes are, ParseSuite returns a suite of complete tests or a list
// of problems with places in the file; and what it accepts, the schema accepts.
func FuzzParseSuite(f *testing.F) {
	for _, folder := range []string{"suite/good", "suite/bad"} {
		for _, seed := range testFiles(f, folder) {
			f.Add(seed.Data)
		}
	}
	schema := compileSchema(f, policies.SuiteSchema())
	f.Fuzz(func(t *testing.T, data []byte) {
		in := file("fuzz_test.yaml", string(data))
		s, err := policies.ParseSuite(in)
		if err != nil {
			var problems diag.List
			if !errors.As(err, &problems) || len(problems) == 0 || s != nil {
				t.Fatalf("got suite %v and error %v, want no suite and a diag.List", s, err)
			}
			checkProblems(t, in, problems)
			return
		}
		names := map[string]bool{}
		for _, test := range s.Tests {
			if test.Name == "" || names[test.Name] || test.Source.Line == 0 ||
				len(test.Providers)*len(test.Modes)*len(test.Interactions) == 0 {
				t.Errorf("an incomplete test, or a second one of its name: %+v", test)
			}
			names[test.Name] = true
			if err := errors.Join(test.Action.Check(), test.Session().Check()); err != nil {
				t.Errorf("%q: %v", test.Name, err)
			}
			for _, v := range []jsontext.Value{test.Action.Request, test.Env.Facts, test.Expect.Native} {
				if len(v) > 0 && !v.IsValid() {
					t.Errorf("%q has the JSON %q", test.Name, v)
				}
			}
		}
		if _, err := validate(schema, data); err != nil {
			t.Errorf("the schema refuses what ParseSuite accepts: %v", err)
		}
	})
}

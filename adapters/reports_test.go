package adapters_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// report is a fault that people reported, reduced to rules, a request and the
// right answer (testdata/reports.json). Rows in other providers' words are held
// by those providers' tests.
type report struct {
	ID       string
	Kind     string
	Input    reportInput
	Expected struct {
		Effect  string
		Effects json.RawMessage
	}
}

type reportInput struct {
	Provider    string
	Mode        evaluator.Mode
	Interaction evaluator.Interaction
	Workspace   string
	Home        string
	Rules       []evaluator.AgentRule
	FromAgent   []evaluator.AgentRule `json:"rules_from_agent"`
	Sample      struct {
		Action    string
		Resources []string
	}
	Samples []json.RawMessage
}

// single are the rows with one request and one effect. command says that the
// text is what the shell tool gets, path that it is what the edit tool gets, and
// not a request that was split already.
var single = []struct {
	id    string
	shell bool
	edit  bool
}{
	{id: "ORD-02"}, {id: "ORD-08"}, {id: "ORD-09"}, {id: "PAT-10"},
	{id: "PATH-05", edit: true}, {id: "PATH-12"},
	{id: "SH-04", shell: true}, {id: "SH-12", shell: true}, {id: "SH-13", shell: true}, {id: "SH-15", shell: true},
	{id: "CR-04"}, {id: "CR-06"}, {id: "PL-01"}, {id: "PL-08"}, {id: "EN-07"},
}

func reports(t *testing.T) map[string]report {
	t.Helper()
	var f struct{ Cases []json.RawMessage }
	load(t, "../testdata/reports.json", &f)
	out := map[string]report{}
	for _, raw := range f.Cases {
		var r report
		if err := json.Unmarshal(raw, &r); err != nil {
			continue // in another provider's words
		}
		out[r.ID] = r
	}
	return out
}

func TestReportedFaults(t *testing.T) {
	all := reports(t)
	for _, c := range single {
		r, ok := all[c.id]
		if !ok {
			t.Errorf("%s is missing", c.id)
			continue
		}
		a := native(t, r.Input.Sample.Action, r.Input.Sample.Resources)
		switch {
		case c.shell:
			a = evaluator.Action{Kind: evaluator.Command, Command: r.Input.Sample.Resources[0]}
		case c.edit:
			a = evaluator.Action{Kind: evaluator.FileChange, Path: r.Input.Sample.Resources[0]}
		}
		v := judgeReport(t, r.Input, a)
		if got := v.Effect.String(); got != r.Expected.Effect {
			t.Errorf("%s (%s): %s, want %s: %s", r.ID, r.Kind, got, r.Expected.Effect, v.Reason)
		}
	}
}

// several are the rows with a text for each effect, of requests of one action.
var several = map[string]string{"PAT-01": "shell", "PAT-03": "edit", "PAT-05": "edit", "PAT-08": "shell", "PAT-09": "shell", "PAT-13": "read", "LY-05": "bash"}

func TestReportedPatterns(t *testing.T) {
	all := reports(t)
	for id, action := range several {
		r := all[id]
		var want map[string]string
		if err := json.Unmarshal(r.Expected.Effects, &want); err != nil || len(want) == 0 {
			t.Errorf("%s: %v", id, err)
		}
		for text, effect := range want {
			v := judgeReport(t, r.Input, native(t, action, []string{text}))
			if v.Effect.String() != effect {
				t.Errorf("%s (%s): %q: %s, want %s: %s", id, r.Kind, text, v.Effect, effect, v.Reason)
			}
		}
	}
}

// TestReportedModes is MO-01 and MO-02: what each mode does, typed by hand.
func TestReportedModes(t *testing.T) {
	want := map[evaluator.Mode]string{
		evaluator.ApprovalRequired: "ask ask ask", evaluator.AutoAcceptEdits: "allow ask ask",
		evaluator.Auto: "ask ask ask", evaluator.FullAccess: "allow allow allow",
	}
	for mode, effects := range want {
		var got []string
		for _, q := range [][2]string{{"edit", "src/a.ts"}, {"shell", "ls"}, {"external_directory", "/opt/*"}} {
			v := judgeReport(t, reportInput{Provider: "opencode2", Mode: mode}, native(t, q[0], []string{q[1]}))
			got = append(got, v.Effect.String())
		}
		if s := strings.Join(got, " "); s != effects {
			t.Errorf("%s: %s, want %s", mode, s, effects)
		}
	}
}

// TestReportedOneByOne are the rows whose input has a form of its own.
func TestReportedOneByOne(t *testing.T) {
	ask := evaluator.AgentRule{Action: "shell", Resource: "*", Effect: evaluator.Ask}
	git := evaluator.AgentRule{Action: "shell", Resource: "git *", Effect: evaluator.Allow}
	rm := evaluator.AgentRule{Action: "shell", Resource: "rm *", Effect: evaluator.Deny}
	allow := evaluator.AgentRule{Action: "shell", Resource: "*", Effect: evaluator.Allow}
	for _, c := range []struct {
		id    string
		input reportInput
		texts []string
		want  evaluator.Effect
	}{
		{"ORD-04", reportInput{Rules: []evaluator.AgentRule{{Action: "shell", Resource: "git status", Effect: evaluator.Allow}, {Action: "shell", Resource: "git *", Effect: evaluator.Ask}}}, []string{"git status"}, evaluator.Ask},
		{"LY-01", reportInput{Rules: []evaluator.AgentRule{ask, allow}}, []string{"ls"}, evaluator.Allow},
		{"LY-01 reversed", reportInput{Rules: []evaluator.AgentRule{allow, ask}}, []string{"ls"}, evaluator.Ask},
		{"CR-07", reportInput{Rules: []evaluator.AgentRule{ask, git, rm}}, []string{"git status", "rm x"}, evaluator.Deny},
		{"CR-07", reportInput{Rules: []evaluator.AgentRule{ask, git, rm}}, []string{"git status", "ls"}, evaluator.Ask},
		{"CR-07", reportInput{Rules: []evaluator.AgentRule{ask, git, rm}}, []string{"git status", "git log"}, evaluator.Allow},
		{"PL-10", reportInput{Mode: evaluator.FullAccess, Interaction: evaluator.Plan}, nil, evaluator.Deny},
	} {
		c.input.Provider = "opencode2"
		a := evaluator.Action{Kind: evaluator.Subagent, Agent: "general"}
		if c.texts != nil {
			a = native(t, "shell", c.texts)
		}
		if v := judgeReport(t, c.input, a); v.Effect != c.want {
			t.Errorf("%s: %s, want %s: %s", c.id, v.Effect, c.want, v.Reason)
		}
	}
	d, _ := adapters.Find(evaluator.OpenCode2)
	m, err := d.Read([]byte("[]"), compiler.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evaluator.Evaluate(m, native(t, "shell", []string{}), false); err == nil {
		t.Error("CR-07: a request without resources is answered")
	}
}

// TestReportedAbsoluteRule is PATH-01: the answer of 1.18.33, and that newer
// versions of 2 may answer otherwise.
func TestReportedAbsoluteRule(t *testing.T) {
	r := reports(t)["PATH-01"]
	a := native(t, r.Input.Sample.Action, r.Input.Sample.Resources)
	v := judgeReport(t, r.Input, a)
	if v.Effect != evaluator.Allow || len(v.Differs) == 0 {
		t.Errorf("%s, and differs %v: want allow, and a version that differs", v.Effect, v.Differs)
	}
}

func native(t *testing.T, action string, resources []string) evaluator.Action {
	t.Helper()
	b, err := json.Marshal(map[string]any{"action": action, "resources": resources})
	if err != nil {
		t.Fatal(err)
	}
	return evaluator.Action{Kind: evaluator.Native, Request: b}
}

// judgeReport answers under the row's rules, sent as a session's, or under the
// built-in policy's cell when the row names a mode and no rules.
func judgeReport(t *testing.T, in reportInput, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	provider := map[string]evaluator.Provider{"opencode2": evaluator.OpenCode2, "opencode1": evaluator.OpenCode}[in.Provider]
	d, ok := adapters.Find(provider)
	if !ok {
		t.Fatalf("no provider %q", in.Provider)
	}
	env := evaluator.Env{Workspace: in.Workspace, Home: in.Home}
	if env.Workspace == "" {
		env.Workspace = "/work/app"
	}
	if in.FromAgent != nil || in.Rules != nil { // a row's rules are all that there are
		env.Agents = []evaluator.Agent{{ID: "build", Permissions: in.FromAgent}}
	}
	native := nativeRules(t, provider, in, env, d)
	m, err := d.Read(native, compiler.Setting{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, a, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func nativeRules(t *testing.T, provider evaluator.Provider, in reportInput, env evaluator.Env, d compiler.Dialect) []byte {
	t.Helper()
	if in.Rules == nil {
		return cellRules(t, provider, in, env, d)
	}
	var lines []string
	for _, r := range in.Rules {
		names := [3]string{"action", "resource", "effect"}
		if provider == evaluator.OpenCode {
			names = [3]string{"permission", "pattern", "action"}
		}
		lines = append(lines, fmt.Sprintf("{%q:%q,%q:%q,%q:%q}", names[0], r.Action, names[1], r.Resource, names[2], r.Effect))
	}
	return []byte("[" + strings.Join(lines, ",") + "]")
}

func cellRules(t *testing.T, provider evaluator.Provider, in reportInput, env evaluator.Env, d compiler.Dialect) []byte {
	t.Helper()
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	if in.Interaction == "" {
		in.Interaction = evaluator.Default
	}
	c, err := compiler.Compile(policy, d, evaluator.Cell{Provider: provider, Mode: in.Mode, Interaction: in.Interaction}, compiler.Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return c.RuleSet.Native
}

package adapters_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// corpusActions are the Actions of the corpora: native requests, and the shell
// texts whose asks were recorded.
func corpusActions(t *testing.T) []evaluator.Action {
	t.Helper()
	var out []evaluator.Action
	var requests struct {
		Cases []struct {
			Action    string   `json:"action"`
			Resources []string `json:"resources"`
		} `json:"cases"`
	}
	load(t, "../testdata/opencode/eval.json", &requests)
	for _, c := range requests.Cases {
		if len(c.Resources) == 0 {
			continue // refused at every edge
		}
		request, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(request)})
	}
	var texts struct {
		Cases []struct{ Command, Workdir string }
	}
	load(t, "../testdata/opencode/shell-1.18.33.json", &texts)
	for i, c := range texts.Cases {
		if c.Command != "" && i%4 == 0 {
			out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c.Command, Cwd: c.Workdir})
		}
	}
	for _, path := range []string{"src/a.go", ".env", "../x", "/etc/hosts", "/h/.opencode/plan/p.md"} {
		out = append(out, evaluator.Action{Kind: evaluator.FileRead, Path: path}, evaluator.Action{Kind: evaluator.FileChange, Path: path})
	}
	return append(out,
		evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"},
		evaluator.Action{Kind: evaluator.WebSearch, Query: "x"},
		evaluator.Action{Kind: evaluator.MCPTool, Server: "s", Tool: "t"},
		evaluator.Action{Kind: evaluator.Subagent, Agent: "general"},
		evaluator.Action{Kind: evaluator.Question},
	)
}

func load(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestNativeTextAlone holds the first law: what is said of a cell is what is
// said of its native bytes, read by somebody who never saw the policy.
func TestNativeTextAlone(t *testing.T) {
	actions := corpusActions(t)
	for _, name := range policies.BuiltinNames() {
		nativeTextAlone(t, builtin(t, name), actions)
	}
}

func nativeTextAlone(t *testing.T, policy *policies.Policy, actions []evaluator.Action) {
	t.Helper()
	env := evaluator.Env{Workspace: "/srv/ws", Home: "/h", Agents: agents()}
	for _, d := range adapters.Table() {
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
				c, err := compiler.Compile(policy, d, cell, compiler.Options{Env: env})
				if err != nil {
					t.Fatal(err)
				}
				alone, err := d.Read(c.RuleSet.Native, compiler.Setting{Env: d.Env(interaction, env)})
				if err != nil {
					t.Fatal(err)
				}
				step := 1
				if cell.Provider != evaluator.OpenCode && cell.Provider != evaluator.OpenCode2 {
					step = 20 // the corpora are OpenCode's
				}
				for i := 0; i < len(actions); i += step {
					sameVerdict(t, cell, c, alone, actions[i])
				}
			}
		}
	}
}

// sameVerdict compares all but what only a policy can add.
func sameVerdict(t *testing.T, cell evaluator.Cell, c *compiler.Compiled, alone evaluator.Meaning, a evaluator.Action) {
	t.Helper()
	want, errWant := c.Evaluate(a, false)
	got, errGot := evaluator.Evaluate(alone, a, false)
	if (errWant == nil) != (errGot == nil) {
		t.Fatalf("%s: %+v: %v, alone %v", cell, a, errWant, errGot)
	}
	want.Policy, want.Mode, want.Interaction, want.Proof, want.Gaps = "", "", "", nil, got.Gaps
	want.EachRule(func(string) *evaluator.Source { return nil })
	if w, g := encode(t, want), encode(t, got); w != g {
		t.Fatalf("%s: %+v:\n%s\nalone\n%s", cell, a, w, g)
	}
}

func encode(t *testing.T, v evaluator.Verdict) string {
	t.Helper()
	b, err := strictjson.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

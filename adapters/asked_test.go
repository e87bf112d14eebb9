package adapters_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/brokertest"
	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/adapters/cursor"
	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

var boundaries = map[evaluator.Provider]broker.Translator{
	evaluator.Codex: codex.Boundary(), evaluator.Claude: claude.Boundary(), evaluator.Cursor: cursor.Boundary(),
	evaluator.Grok: grok.Boundary(), evaluator.OpenCode: opencode.Boundary(), evaluator.OpenCode2: opencode2.Boundary(),
}

// recorded lists the requests of a provider by name: those of testdata/operations,
// and for 1.x those of its tools as 1.18.33 raises them.
func recorded(t *testing.T, p evaluator.Provider) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	if p == evaluator.OpenCode {
		for name, text := range map[string]string{
			"bash":               `{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["git push origin main"],"always":["git push *"],"metadata":{"command":"git push origin main"}}`,
			"bash-several":       `{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["npm test","rm -rf build"],"always":["npm test *","rm *"],"metadata":{"command":"npm test && rm -rf build"}}`,
			"edit":               `{"id":"per_1","sessionID":"ses_1","permission":"edit","patterns":["src/a.go"],"always":["*"],"metadata":{"filepath":"/work/app/src/a.go","diff":"d"}}`,
			"read":               `{"id":"per_1","sessionID":"ses_1","permission":"read","patterns":["src/a.go"],"always":["*"],"metadata":{}}`,
			"webfetch":           `{"id":"per_1","sessionID":"ses_1","permission":"webfetch","patterns":["https://example.test/"],"always":["*"],"metadata":{}}`,
			"task":               `{"id":"per_1","sessionID":"ses_1","permission":"task","patterns":["general"],"always":["*"],"metadata":{}}`,
			"external_directory": `{"id":"per_1","sessionID":"ses_1","permission":"external_directory","patterns":["/etc/*"],"always":["/etc/*"],"metadata":{}}`,
			"question":           `{"id":"que_1","sessionID":"ses_1","questions":[{"question":"Which?","header":"H","options":[]}]}`,
		} {
			out[name] = []byte(text)
		}
		return out
	}
	files, err := filepath.Glob(filepath.Join("../testdata/operations", string(p), "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no requests of %s: %v", p, err)
	}
	for _, file := range files {
		out[strings.TrimSuffix(filepath.Base(file), ".txt")] = brokertest.Native(t, file)
	}
	return out
}

// shown are the subjects that guardrails are asked about for a request.
func shown(t *testing.T, p evaluator.Provider, native []byte, workspace string) []evaluator.Action {
	t.Helper()
	r, err := boundaries[p].Request(native)
	if err != nil {
		t.Fatal(err)
	}
	var out []evaluator.Action
	for _, a := range broker.ActionsOf(boundaries[p], r) {
		out = append(out, subjects(a, workspace)...)
	}
	return out
}

func subjects(a evaluator.Action, workspace string) (out []evaluator.Action) {
	for _, in := range compiler.Subjects(evaluator.GuardrailInput{Action: a, Session: evaluator.GuardrailSession{Workspace: workspace}}) {
		out = append(out, in.Action)
	}
	return out
}

// TestActionsOfRequests holds what each provider's requests are about.
func TestActionsOfRequests(t *testing.T) {
	var b strings.Builder
	for _, p := range evaluator.Providers() {
		requests := recorded(t, p)
		for _, name := range sortedNames(requests) {
			fmt.Fprintf(&b, "%s/%s\n", p, name)
			for _, a := range shown(t, p, requests[name], "/work/app") {
				if a.Kind == evaluator.Native {
					fmt.Fprintf(&b, "  the request itself\n")
					continue
				}
				text, err := strictjson.Encode(a)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "  %s\n", text)
			}
		}
	}
	const golden = "../testdata/actions.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s\nrun with -update if that is meant", d)
	}
}

// TestAskedIsShown holds what a dialect says that a request shows against the
// request that the real provider made for the same Action.
func TestAskedIsShown(t *testing.T) {
	command := func(text string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.Command, Command: text}
	}
	for _, c := range []struct {
		provider  evaluator.Provider
		request   string
		workspace string
		action    evaluator.Action
		part      int
	}{
		{evaluator.Codex, "command", "/srv/ws", command("touch inside.txt"), 0},
		{evaluator.Codex, "file-change", "/srv/ws", evaluator.Action{Kind: evaluator.FileChange, Path: "a.txt"}, 0},
		{evaluator.Codex, "mcp-tool", "/srv/ws", evaluator.Action{Kind: evaluator.MCPTool, Server: "probe", Tool: "write_it"}, 0},
		{evaluator.Codex, "questions", "/srv/ws", evaluator.Action{Kind: evaluator.Question}, 0},
		{evaluator.Claude, "bash", "/work/app", command("mytool run"), 0},
		{evaluator.Claude, "write", "/work/app", evaluator.Action{Kind: evaluator.FileChange, Path: "n.txt"}, 0},
		{evaluator.Claude, "callback", "/work/app", evaluator.Action{Kind: evaluator.FileChange, Path: "a.txt"}, 1},
		{evaluator.Claude, "web-fetch", "/work/app", evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}, 0},
		{evaluator.Claude, "mcp-tool", "/work/app", evaluator.Action{Kind: evaluator.MCPTool, Server: "github", Tool: "create_issue"}, 0},
		{evaluator.Claude, "questions", "/work/app", evaluator.Action{Kind: evaluator.Question}, 0},
		{evaluator.Cursor, "execute", "/work/app", command("npm test"), 0},
		{evaluator.Cursor, "fetch", "/work/app", evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}, 0},
		{evaluator.Cursor, "questions", "/work/app", evaluator.Action{Kind: evaluator.Question}, 0},
		{evaluator.Grok, "execute", "/work/app", command("git push origin main"), 0},
		{evaluator.Grok, "write", "/work/app", evaluator.Action{Kind: evaluator.FileChange, Path: "n.txt"}, 0},
		{evaluator.Grok, "edit", "/work/app", evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.txt"}, 1},
		{evaluator.Grok, "questions", "/work/app", evaluator.Action{Kind: evaluator.Question}, 0},
		{evaluator.OpenCode, "bash", "/work/app", command("git push origin main"), 0},
		{evaluator.OpenCode, "bash-several", "/work/app", command("npm test && rm -rf build"), 0},
		{evaluator.OpenCode, "edit", "/work/app", evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go"}, 0},
		{evaluator.OpenCode, "read", "/work/app", evaluator.Action{Kind: evaluator.FileRead, Path: "src/a.go"}, 0},
		{evaluator.OpenCode, "webfetch", "/work/app", evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}, 0},
		{evaluator.OpenCode, "task", "/work/app", evaluator.Action{Kind: evaluator.Subagent, Agent: "general"}, 0},
		{evaluator.OpenCode2, "shell", "/work/app", command("echo FIRST"), 0},
		{evaluator.OpenCode2, "edit", "/work/app", evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go"}, 0},
		{evaluator.OpenCode2, "read", "/work/app", evaluator.Action{Kind: evaluator.FileRead, Path: ".env"}, 0},
	} {
		d, _ := adapters.Find(c.provider)
		v := judged(t, d, evaluator.Cell{Provider: c.provider, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default}, c.workspace, c.action)
		if c.part >= len(v.Parts) {
			t.Errorf("%s %s: only %d parts", c.provider, c.request, len(v.Parts))
			continue
		}
		live := map[string]bool{}
		for _, a := range shown(t, c.provider, recorded(t, c.provider)[c.request], c.workspace) {
			live[fmt.Sprintf("%+v", a)] = true
		}
		asked := d.(compiler.Gated).Asked(c.action, v.Parts[c.part].Request)
		if len(asked) == 0 {
			t.Errorf("%s %s: the request shows nothing", c.provider, c.request)
		}
		for _, a := range asked {
			for _, a := range subjects(a, c.workspace) {
				if !live[fmt.Sprintf("%+v", a)] {
					t.Errorf("%s %s: the real request doesn't show %+v: it shows %v", c.provider, c.request, a, live)
				}
			}
		}
	}
}

var t3code = func() *policies.Policy {
	p, err := policies.Load("builtin/t3code")
	if err != nil {
		panic(err)
	}
	return p
}()

// judged is the Verdict of one cell.
func judged(t *testing.T, d compiler.Dialect, cell evaluator.Cell, workspace string, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	c, err := compiler.Compile(t3code, d, cell, compiler.Options{Env: evaluator.Env{Workspace: workspace, Home: "/h"}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Evaluate(a, false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

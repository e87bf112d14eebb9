package cmd

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/loader"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/tester"
	"mvdan.cc/sh/v3/shell"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/evaluator/rego"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

var update = flag.Bool("update", false, "rewrite what docs/rego.md shows, and the goldens in testdata/check")

// TestRegoDoc holds what docs/rego.md shows: its Rego is that of the files beside
// it, its tables and its input are what the program comes to, and its commands
// print what stands there.
func TestRegoDoc(t *testing.T) {
	t.Chdir("..")
	const doc = "docs/rego.md"
	text, in := file(t, doc), guardrailInput(t)
	for path, want := range map[string]string{
		"docs/rego/input.json":            in,
		"docs/rego/guardrail.schema.json": string(rego.GuardrailSchema()),
		"docs/rego/invariant.schema.json": string(rego.InvariantSchema()),
	} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(file(t, path), want); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
	want := block(text, "json", 0, in)
	for i, path := range []string{"guardrails/push.rego", "guardrails/sandbox.rego", "invariants/no_remote_tools.rego", "compiled/compiled.rego"} {
		want = block(want, "rego", i, file(t, "docs/rego/"+path))
	}
	want = table(want, "| provider |", heldTable(t))
	want = table(want, "| invariant |", invariantTable(t))
	for i, part := range strings.Split(text, "```console\n")[1:] {
		command, _, _ := strings.Cut(part, "\n")
		want = block(want, "console", i, command+"\n"+piped(t, strings.TrimPrefix(command, "$ ")))
	}
	if *update {
		if err := os.WriteFile(doc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		text = want
	}
	if d := cmp.Diff(text, want); d != "" {
		t.Errorf("%s: %s\nrun with -update if that is meant", doc, d)
	}
}

func file(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// block puts a text into the n-th fenced block of a language.
func block(doc, language string, n int, text string) string {
	fence := "```" + language + "\n"
	parts := strings.Split(doc, fence)
	if n+1 >= len(parts) {
		return doc + fence + text // shows as a difference
	}
	_, after, _ := strings.Cut(parts[n+1], "```")
	parts[n+1] = text + "```" + after
	return strings.Join(parts, fence)
}

// table puts a table in the place of the one that begins so.
func table(doc, beginning, text string) string {
	return regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(beginning)+`.*\n(\|.*\n)*`).ReplaceAllLiteralString(doc, text)
}

// inMode is what a provider does with an Action in a mode of builtin/t3code.
func inMode(t *testing.T, d compiler.Dialect, mode evaluator.Mode, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	at := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: evaluator.Default}
	c, err := compiler.Compile(policy, d, at, compiler.Options{Env: evaluator.Env{Workspace: "/home/dev/app", Home: "/home/dev"}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Evaluate(a, false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// guardrailInput is what guardrails see of a push that Grok asks about in full
// access.
func guardrailInput(t *testing.T) string {
	t.Helper()
	a := evaluator.Action{Kind: evaluator.Command, Command: "git push origin main"}
	d, _ := adapters.Find(evaluator.Grok)
	v := inMode(t, d, evaluator.FullAccess, a)
	v.Policy = "" // any change of the policy changes it
	var seen jsontext.Value
	err := compiler.Guard(d, &v, a, evaluator.GuardrailSession{ID: "s1", Workspace: "/home/dev/app"}, false, func(in evaluator.GuardrailInput) (_ []evaluator.Said, err error) {
		seen, err = strictjson.Encode(in)
		return nil, err
	})
	if err == nil {
		err = seen.Indent(jsontext.WithIndent("  "))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(seen) + "\n"
}

// heldTable says what a guardrail that denies an Action comes to in each mode.
func heldTable(t *testing.T) string {
	t.Helper()
	out := "| provider | mode | push | change | read | fetch | MCP tool | subagent |\n|---|---|---|---|---|---|---|---|\n"
	for _, d := range adapters.Table() {
		for _, mode := range evaluator.Modes() {
			out += fmt.Sprintf("| %s | %s |", d.Provider(), mode)
			for _, a := range []evaluator.Action{
				{Kind: evaluator.Command, Command: "git push"}, {Kind: evaluator.FileChange, Path: "src/a.go"}, {Kind: evaluator.FileRead, Path: "src/a.go"},
				{Kind: evaluator.WebFetch, URL: "https://example.test/"}, {Kind: evaluator.MCPTool, Server: "s", Tool: "t"}, {Kind: evaluator.Subagent, Agent: "general"},
			} {
				out += " " + held(t, d, inMode(t, d, mode, a), a) + " |"
			}
			out += "\n"
		}
	}
	return out
}

func held(t *testing.T, d compiler.Dialect, v evaluator.Verdict, a evaluator.Action) string {
	t.Helper()
	err := compiler.Guard(d, &v, a, evaluator.GuardrailSession{Workspace: "/home/dev/app"}, false, func(in evaluator.GuardrailInput) ([]evaluator.Said, error) {
		s := evaluator.Said{Effect: evaluator.Allow}
		if in.Action.Kind == a.Kind && in.Action.Path == a.Path {
			s.Effect, s.Reason = evaluator.Deny, "r"
		}
		return []evaluator.Said{s}, nil
	})
	switch {
	case err != nil:
		t.Fatal(err)
	case len(v.Guardrails) == 0:
		return "denied"
	case v.Guardrails[0].Enforced:
		return "held"
	case v.Native.Effect == evaluator.Ask:
		return "unseen"
	}
	return "runs"
}

// invariantTable lists the shipped invariants by their titles.
func invariantTable(t *testing.T) string {
	t.Helper()
	in, err := invariants(nil)
	if err != nil {
		t.Fatal(err)
	}
	out := "| invariant | says |\n|---|---|\n"
	for _, name := range in.Names() {
		text, err := fs.ReadFile(policies.Invariants(), name+".rego")
		if err != nil {
			t.Fatal(err)
		}
		_, title, _ := strings.Cut(string(text), "# title: ")
		title, _, _ = strings.Cut(title, "\n")
		out += fmt.Sprintf("| `%s` | %s |\n", name, title)
	}
	return out
}

// piped runs a command line of a document: our own program in process, and opa by
// its packages. Where MODEGATE_OPA names the real program, it has to print the same.
// A line that ends in 2>&1 shows a failure, and has to fail.
func piped(t *testing.T, line string) string {
	t.Helper()
	line, fails := strings.CutSuffix(line, " 2>&1")
	var out []byte
	for part := range strings.SplitSeq(line, " | ") {
		args, err := shell.Fields(part, nil)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		in := out
		switch {
		case strings.HasPrefix(part, "go run . "):
			var printed, diagnostics bytes.Buffer
			code := Main(args[3:], bytes.NewReader(in), &printed, &diagnostics)
			if (code != 0) != fails {
				t.Errorf("%s: exit %d\n%s", part, code, &diagnostics)
			}
			if out = printed.Bytes(); fails {
				out = fmt.Appendf(diagnostics.Bytes(), "exit status %d\n", code) // go run's
			}
		case args[0] == "opa":
			out = opa(t, args[1:], in)
			sameAsReal(t, args[1:], in, out, fails)
		default:
			t.Fatalf("a command that can't be run here: %s", part)
		}
	}
	return string(out)
}

func sameAsReal(t *testing.T, args []string, in, ours []byte, fails bool) {
	t.Helper()
	program := os.Getenv("MODEGATE_OPA")
	if program == "" {
		return
	}
	c := exec.Command(program, args...)
	c.Stdin = bytes.NewReader(in)
	run := c.Output
	if fails {
		run = c.CombinedOutput
	}
	theirs, err := run()
	if (err != nil) != fails {
		t.Errorf("%s: %v", args, err)
	}
	if d := cmp.Diff(string(theirs), string(ours)); d != "" {
		t.Errorf("%s: the real program prints -, its packages +: %s", args, d)
	}
}

// opa is what opa test, opa eval and opa check print, as far as the documents use
// them.
func opa(t *testing.T, args []string, stdin []byte) []byte {
	t.Helper()
	flags := flag.NewFlagSet("opa", flag.ContinueOnError)
	data, input, format := flags.String("d", "", ""), flags.String("i", "", ""), flags.String("format", "", "")
	piped, schema := flags.Bool("I", false, ""), flags.String("schema", "", "")
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() != 1 {
		t.Fatalf("opa %s: %v", args, err)
	}
	ctx := context.Background()
	if args[0] == "check" {
		return opaCheck(t, *schema, flags.Arg(0))
	}
	if args[0] == "test" {
		results, err := tester.Run(ctx, flags.Arg(0))
		if err != nil {
			t.Fatal(err)
		}
		passed := 0
		for _, r := range results {
			if r.Pass() {
				passed++
			} else {
				t.Errorf("%s fails: %v", r.Name, r.Error)
			}
		}
		return fmt.Appendf(nil, "PASS: %d/%d\n", passed, len(results))
	}
	if !*piped {
		stdin = []byte(file(t, *input))
	}
	var value any
	if err := strictjson.Decode(stdin, &value); err != nil {
		t.Fatal(err)
	}
	result, err := oparego.New(oparego.Load([]string{*data}, nil), oparego.Query(flags.Arg(0)), oparego.Input(value)).Eval(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var shown any = map[string]any{"result": result}
	if *format == "pretty" {
		shown = result[0].Expressions[0].Value
	}
	text, err := strictjson.Indent(shown)
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// opaCheck is what opa check says about a folder under a schema of its input.
func opaCheck(t *testing.T, schema, dir string) []byte {
	t.Helper()
	schemas, err := loader.Schemas(schema)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := loader.NewFileLoader().Filtered([]string{dir}, func(path string, info fs.FileInfo, _ int) bool {
		return !info.IsDir() && !strings.HasSuffix(path, ".rego")
	})
	if err != nil {
		t.Fatal(err)
	}
	c := ast.NewCompiler().WithSchemas(schemas)
	if c.Compile(loaded.ParsedModules()); c.Failed() {
		return []byte(c.Errors.Error() + "\n")
	}
	return nil
}

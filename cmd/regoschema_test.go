package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/evaluator/rego"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
	"github.com/modegate/modegate/server"
)

// inputSchema is a schema of what Rego sees, under proof: whether every document
// is as it says, and whether everything that it names is in one.
type inputSchema struct {
	t        *testing.T
	schema   *jsonschema.Schema
	document map[string]any
	seen     map[string]bool
	count    int
}

func newInputSchema(t *testing.T, text []byte) *inputSchema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("input.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("input.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return &inputSchema{t: t, schema: schema, document: document.(map[string]any), seen: map[string]bool{}}
}

// see holds a document against the schema.
func (s *inputSchema) see(v any) {
	s.t.Helper()
	text, err := strictjson.Encode(v)
	if err != nil {
		s.t.Error(err)
		return
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.schema.Validate(document)
	}
	if err != nil && !s.t.Failed() { // one says it for thousands
		s.t.Errorf("%.400s: %v", text, err)
	}
	s.count++
	s.mark("", s.document, document)
}

// mark notes which of the schema's properties a document has.
func (s *inputSchema) mark(path string, schema map[string]any, v any) {
	if ref, ok := schema["$ref"].(string); ok {
		path = strings.TrimPrefix(ref, "#/definitions/")
		schema = s.document["definitions"].(map[string]any)[path].(map[string]any)
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			if inner, there := v[name]; there {
				s.seen[path+"/"+name] = true
				s.mark(path+"/"+name, p.(map[string]any), inner)
			}
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, one := range v {
			s.mark(path, items, one)
		}
	}
}

// unseen are the properties that no document had; open is where a schema of objects
// doesn't say which they have.
func (s *inputSchema) unseen() (names, open []string) {
	var walk func(path string, v any)
	walk = func(path string, v any) {
		schema := v.(map[string]any)
		if _, ok := schema["properties"]; ok && schema["additionalProperties"] != false {
			open = append(open, path)
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			if !s.seen[path+"/"+name] {
				names = append(names, path+"/"+name)
			}
			walk(path+"/"+name, p)
		}
		if items, ok := schema["items"]; ok {
			walk(path, items)
		}
	}
	walk("", s.document)
	for name, d := range s.document["definitions"].(map[string]any) {
		walk(name, d)
	}
	slices.Sort(names)
	return names, open
}

// done fails when the schema names what no document had. A reference to that
// would be taken, and never be there.
func (s *inputSchema) done(atLeast int) {
	s.t.Helper()
	names, open := s.unseen()
	if len(names) > 0 || len(open) > 0 || s.count < atLeast {
		s.t.Errorf("%d documents: none has %q; open: %q", s.count, names, open)
	}
}

// TestInvariantSchemaIsTrue: the matrix of every built-in policy is as the schema
// says that invariants see it.
func TestInvariantSchemaIsTrue(t *testing.T) {
	s := newInputSchema(t, rego.InvariantSchema())
	for _, p := range schemaPolicies(t) {
		m, err := compiler.NewMatrix(p, adapters.Table())
		if err != nil {
			t.Fatal(err)
		}
		s.see(m)
	}
	// No cell is compared on these Actions. They are as all others are.
	actions := append(everyAction(true), evaluator.Action{Kind: evaluator.Native, Request: []byte(`{"tool":"x"}`)})
	s.see(compiler.Matrix{Actions: actions, Env: evaluator.Env{Workspace: "/w", Home: "/h"}})
	s.done(3)
}

// schemaPolicies are the built-in ones.
func schemaPolicies(t *testing.T) (out []*policies.Policy) {
	t.Helper()
	for _, name := range policies.BuiltinNames() {
		p, err := policies.Load("builtin/" + name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// everyAction has an Action of each kind but native, with every field.
func everyAction(hint bool) []evaluator.Action {
	return []evaluator.Action{
		{Kind: evaluator.Command, Command: "git push origin main && ls", Cwd: "app"},
		{Kind: evaluator.Command, Command: "curl https://example.test/"},
		{Kind: evaluator.FileRead, Path: "src/a.go"},
		{Kind: evaluator.FileRead, Path: "/etc/passwd"},
		{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/b.go"},
		{Kind: evaluator.FileChange, Path: ".git/config"},
		{Kind: evaluator.WebFetch, URL: "https://example.test/"},
		{Kind: evaluator.WebSearch, Query: "q"},
		{Kind: evaluator.MCPTool, Server: "s", Tool: "t", Annotations: &evaluator.Annotations{
			Title: "T", ReadOnlyHint: &hint, DestructiveHint: &hint, IdempotentHint: &hint, OpenWorldHint: &hint,
		}},
		{Kind: evaluator.Subagent, Agent: "general"},
		{Kind: evaluator.Question, Text: "which?"},
	}
}

// TestGuardrailSchemaIsTrue: what guardrails are asked about every kind of Action
// on every provider in every mode, of every version, as a policy compiles and as
// settings are pasted, is as the schema says.
func TestGuardrailSchemaIsTrue(t *testing.T) {
	s := newInputSchema(t, rego.GuardrailSchema())
	for _, p := range schemaPolicies(t) {
		for _, d := range adapters.Table() {
			for _, version := range d.Versions() {
				for _, mode := range evaluator.Modes() {
					for _, interaction := range evaluator.Interactions() {
						s.cell(p, d, version, evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction})
					}
				}
			}
		}
	}
	s.gate()
	s.done(1000)
}

// cell sees what guardrails are asked in one cell, with the policy and without.
func (s *inputSchema) cell(p *policies.Policy, d compiler.Dialect, version string, at evaluator.Cell) {
	env := evaluator.Env{Workspace: "/home/dev/app", Home: "/home/dev"}
	c, err := compiler.Compile(p, d, at, compiler.Options{Env: env, Version: version, Proofs: s.proofs(d)})
	if err != nil {
		s.t.Fatal(err)
	}
	read, err := d.Read(c.RuleSet.Native, compiler.Setting{Version: version, Env: d.Env(at.Interaction, env)})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, hint := range []bool{false, true} {
		for _, a := range everyAction(hint) {
			judged, err := c.Evaluate(a, true)
			pasted, too := evaluator.Evaluate(read, a, true)
			if err != nil || too != nil {
				s.t.Fatal(err, too)
			}
			if !hint {
				s.guard(d, pasted, a, evaluator.GuardrailSession{})
				continue
			}
			s.guard(d, judged, a, evaluator.GuardrailSession{ID: "s", Workspace: "/home/dev/app", Parent: "p", Turn: "t"})
			for _, part := range judged.Parts {
				native := evaluator.Action{Kind: evaluator.Native, Request: part.Request}
				if v, err := c.Evaluate(native, true); err == nil {
					s.guard(d, v, native, evaluator.GuardrailSession{Workspace: "/home/dev/app"})
				}
			}
		}
	}
}

func (s *inputSchema) proofs(d compiler.Dialect) func(version string) []evaluator.Proof {
	proven, err := evidence.Embedded()
	if err != nil {
		s.t.Fatal(err)
	}
	return func(version string) []evaluator.Proof { return proven.Proofs(d, version) }
}

func (s *inputSchema) guard(d compiler.Dialect, v evaluator.Verdict, a evaluator.Action, session evaluator.GuardrailSession) {
	err := compiler.Guard(d, &v, a, session, true, func(in evaluator.GuardrailInput) ([]evaluator.Said, error) {
		s.see(in)
		return []evaluator.Said{{Effect: evaluator.Deny, Reason: "r"}}, nil
	})
	if err != nil {
		s.t.Error(err)
	}
}

// gate sees what guardrails are asked about a provider's requests: those with
// Actions, and those that no Action is like.
func (s *inputSchema) gate() {
	g := serveUnder(s.t, guardrailFlags{guardrailOnError: "error", guardrailTimeout: 10 * time.Second}, map[string]string{
		"a.rego": "package modegate.guardrails.a\n\ndecision := {\"effect\": \"ask\", \"reason\": \"r\"}\n",
	}, func(set server.GuardrailSet) server.GuardrailSet { return seeing{set, s} })
	before := s.count
	for session, one := range map[string][3]string{
		"a": {"grok", "full-access", strings.NewReplacer("ID", "1", "COMMAND", "cd app && git push").Replace(grokPush)},
		"b": {"grok", "approval-required", strings.NewReplacer("ID", "2", "execute", "other", "COMMAND", "x").Replace(grokPush)},
		"c": {"codex", "approval-required", `{"jsonrpc":"2.0","id":3,"method":"item/fileChange/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i","startedAtMs":1}}`},
	} {
		if code, got := g.call("PUT", "/v1/sessions/"+session, `{"provider":"`+one[0]+`","mode":"`+one[1]+`","workspace":"/home/dev/app"}`); code != 201 {
			s.t.Fatal(code, got)
		}
		asked := s.count
		if code, got := g.call("POST", "/v1/sessions/"+session+"/requests", one[2]); code != 201 || s.count == asked {
			s.t.Errorf("%s: %d %s", one[0], code, got)
		}
	}
	if s.count-before < 4 {
		s.t.Errorf("the gate asked %d times", s.count-before)
	}
}

// seeing are guardrails whose input is looked at.
type seeing struct {
	server.GuardrailSet
	schema *inputSchema
}

func (s seeing) Ask(ctx context.Context, in evaluator.GuardrailInput) []evaluator.Said {
	s.schema.see(in)
	return s.GuardrailSet.Ask(ctx, in)
}

// TestSchemaWords: the schemas repeat the words of the evaluator, and each other's
// definitions. They mustn't drift apart.
func TestSchemaWords(t *testing.T) {
	type schema struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	var guardrail, invariant schema
	for text, into := range map[string]*schema{string(rego.GuardrailSchema()): &guardrail, string(rego.InvariantSchema()): &invariant} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	shared := 0
	for name, text := range guardrail.Definitions {
		if other, ok := invariant.Definitions[name]; ok {
			shared++
			if d := cmp.Diff(string(text), string(other)); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
	if shared != 12 {
		t.Errorf("%d definitions are shared", shared)
	}
	words := func(name string) (out []string) {
		var one struct{ Enum []string }
		if err := json.Unmarshal(guardrail.Definitions[name], &one); err != nil {
			t.Fatal(err)
		}
		return one.Enum
	}
	same(t, words("mode"), evaluator.Modes())
	same(t, words("interaction"), evaluator.Interactions())
	same(t, words("provider"), evaluator.Providers())
	var action, gap struct {
		Properties struct{ Kind struct{ Enum []string } }
	}
	for name, into := range map[string]any{"action": &action, "gap": &gap} {
		if err := json.Unmarshal(guardrail.Definitions[name], into); err != nil {
			t.Fatal(err)
		}
	}
	same(t, action.Properties.Kind.Enum, evaluator.ActionKinds())
	for _, k := range append(evaluator.ActionKinds(), evaluator.RuleKinds()...) {
		if !slices.Contains(gap.Properties.Kind.Enum, string(k)) {
			t.Errorf("no gap has the kind %s", k)
		}
	}
}

func same[T ~string](t *testing.T, got []string, want []T) {
	t.Helper()
	words := make([]string, len(want))
	for i, w := range want {
		words[i] = string(w)
	}
	if d := cmp.Diff(words, got); d != "" {
		t.Error(d)
	}
}

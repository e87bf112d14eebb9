package adapters_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// TestUnmatchedIsTheProvidersDefault is EN-07 for its whole kind: what no rule
// matches, and what nobody has measured, is never allowed by a default of ours.
func TestUnmatchedIsTheProvidersDefault(t *testing.T) {
	for _, p := range []evaluator.Provider{evaluator.OpenCode, evaluator.OpenCode2} {
		d, _ := adapters.Find(p)
		names := [3]string{"permission", "pattern", "action"}
		request := func(action string) any { return map[string]any{"permission": action, "patterns": []string{"x"}} }
		if p == evaluator.OpenCode2 {
			names = [3]string{"action", "resource", "effect"}
			request = func(action string) any { return map[string]any{"action": action, "resources": []string{"x"}} }
		}
		for _, rules := range [][][3]string{nil, {{"shell", "*", "deny"}}, {{"shell", "*", "allow"}, {"bash", "*", "allow"}}, {{"brand_new_tools", "*", "allow"}}, {{"brand_new_tool", "y", "allow"}}} {
			list := []map[string]string{}
			for _, r := range rules {
				list = append(list, map[string]string{names[0]: r[0], names[1]: r[1], names[2]: r[2]})
			}
			m, err := d.Read(encoded(t, list), compiler.Setting{Env: evaluator.Env{Workspace: "/w", Agent: "a", Agents: []evaluator.Agent{{ID: "a"}}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, action := range []string{"brand_new_tool", "Brand_new_tool", "mcp_x", "subagents"} {
				v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Native, Request: encoded(t, request(action))}, true)
				if err != nil {
					t.Fatal(err)
				}
				if v.Effect != evaluator.Ask || v.Rule != nil || !strings.Contains(v.Reason, "no rule matches, and that is OpenCode's default") {
					t.Errorf("%s, %v, %s: %s by %v: %s", p, rules, action, v.Effect, v.Rule, v.Reason)
				}
				for _, s := range v.Trace {
					if s.Matched || s.Decided {
						t.Errorf("%s, %v, %s: %+v", p, rules, action, s)
					}
				}
			}
		}
	}
	for p, request := range map[evaluator.Provider]string{
		evaluator.Codex: `{"tool":"brand_new_tool"}`, evaluator.Claude: `{"tool":"brand_new_tool","input":{}}`, evaluator.Grok: `{"tool":"brand_new_tool","input":{}}`,
	} {
		d, _ := adapters.Find(p)
		for _, mode := range evaluator.Modes() {
			a := evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(request)}
			if v := judged(t, d, evaluator.Cell{Provider: p, Mode: mode, Interaction: evaluator.Default}, "/w", a); v.Effect != evaluator.Unknown || v.Reason == "" {
				t.Errorf("%s, %s: %s: %s", p, mode, v.Effect, v.Reason)
			}
		}
	}
}

func encoded(t *testing.T, v any) jsontext.Value {
	t.Helper()
	text, err := strictjson.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

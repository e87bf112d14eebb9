package adapters_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TestRandomNative holds the first law for policies that nobody wrote: what is
// said of a cell is what is said of its native bytes.
func TestRandomNative(t *testing.T) {
	for _, d := range adapters.Table() {
		t.Run(string(d.Provider()), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				p, cell, env := drawCell(rt, d)
				c, err := compiler.Compile(accepting(rt, d, p, cell, env), d, cell, compiler.Options{Env: env})
				if err != nil {
					rt.Fatalf("%s\n%s: %v", p.yaml(), cell, err)
				}
				alone, err := d.Read(c.RuleSet.Native, compiler.Setting{Env: d.Env(cell.Interaction, env)})
				if err != nil {
					rt.Fatalf("%s\n%s: %v", p.yaml(), cell, err)
				}
				in := compiler.Lower(p.parse(rt), cell)
				for i, probe := range in.Probes(env) {
					if i%7 == 0 {
						sameVerdict(t, cell, c, alone, probe.Action)
					}
				}
			})
		})
	}
}

func drawCell(t *rapid.T, d compiler.Dialect) (randomPolicy, evaluator.Cell, evaluator.Env) {
	p := drawPolicy(t, d.Provider())
	cell := evaluator.Cell{Provider: d.Provider(), Mode: oneOf(t, "mode", evaluator.Modes()...), Interaction: oneOf(t, "interaction", evaluator.Interactions()...)}
	return p, cell, drawEnv(t, d.Provider())
}

// accepting is the policy with all of its wider gaps in a cell acknowledged.
func accepting(t *rapid.T, d compiler.Dialect, p randomPolicy, cell evaluator.Cell, env evaluator.Env) *policies.Policy {
	_, err := compiler.Compile(p.parse(t), d, cell, compiler.Options{Env: env})
	if err == nil {
		return p.parse(t)
	}
	var ids []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if _, rest, ok := strings.Cut(line, ": gap "); ok {
			id, _, _ := strings.Cut(rest, ":")
			ids = append(ids, id)
		}
	}
	if ids == nil {
		t.Fatalf("%s\n%s: %v", p.yaml(), cell, err)
	}
	p.profiles += "acknowledge:\n"
	for _, id := range ids {
		p.profiles += fmt.Sprintf("  - {gap: %s, reason: drawn}\n", id)
	}
	return p.parse(t)
}

// TestRandomActions tries Actions that the compiler doesn't: where one isn't what
// the policy says, the gap was declared.
func TestRandomActions(t *testing.T) {
	for _, d := range adapters.Table() {
		t.Run(string(d.Provider()), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p, cell, env := drawCell(t, d)
				env = d.Env(cell.Interaction, env)
				in := compiler.Lower(p.parse(t), cell)
				in.PlanFiles = d.PlanFiles(env)
				w, err := d.Write(in, env)
				if err != nil {
					t.Fatalf("%s\n%s: %v", p.yaml(), cell, err)
				}
				m, err := d.Read(w.Native, compiler.Setting{Env: env})
				if err != nil {
					t.Fatalf("%s\n%s: %v", p.yaml(), cell, err)
				}
				declared := ids(w.Gaps())
				o := opinion{p.of(cell), in.PlanFiles, env}
				for range 20 {
					a := drawAction(t)
					v, err := evaluator.Evaluate(m, a, false)
					if err != nil {
						t.Fatalf("%+v: %v", a, err)
					}
					id := o.gap(cell, compiler.Probe{Action: a}, v)
					if id != "" && !slices.Contains(declared, id) {
						t.Fatalf("%s\n%s: %+v: %s (%s): %s isn't among the declared %v\n%s", p.yaml(), cell, a, v.Effect, v.Reason, id, declared, w.Native)
					}
				}
			})
		})
	}
}

// drawAction draws an Action from what patterns are made of.
func drawAction(t *rapid.T) evaluator.Action {
	kind := oneOf(t, "kind of action", evaluator.Command, evaluator.Command, evaluator.FileRead, evaluator.FileChange, evaluator.FileChange,
		evaluator.WebFetch, evaluator.WebSearch, evaluator.MCPTool, evaluator.Subagent, evaluator.Question)
	text := func(kind evaluator.Kind) string {
		s := oneOf(t, "text", matches[kind]...)
		if strings.HasPrefix(s, "@") || s == "*" {
			s = "x"
		}
		s = strings.NewReplacer("**", oneOf(t, "folders", "x", "x/y", "src"), "*", oneOf(t, "name", "x", "y.go", "origin"), "?", "b", "~/", "/h/").Replace(s)
		return s + oneOf(t, "more", "", "", "x")
	}
	path := func() string {
		return oneOf(t, "where", "", "", "src/", "/ws/", "../", "/shared/", "x/../") + strings.TrimPrefix(text(oneOf(t, "of", evaluator.FileRead, evaluator.FileChange)), "/")
	}
	a := evaluator.Action{Kind: kind}
	switch kind {
	case evaluator.Command:
		a.Command = text(kind) + oneOf(t, "arguments", "", " x", " --force origin")
		if rapid.Bool().Draw(t, "compound") {
			a.Command = text(kind) + " && " + a.Command
		}
	case evaluator.FileRead:
		a.Path = path()
	case evaluator.FileChange:
		a.Path = path()
		if rapid.Bool().Draw(t, "moved") {
			a.To = path()
		}
	case evaluator.WebFetch:
		a.URL = "https://" + oneOf(t, "host", "example.test", "docs.example.test", "h.test", "other.test") + "/" + oneOf(t, "page", "", "a", "a/b")
	case evaluator.WebSearch:
		a.Query = text(kind)
	case evaluator.MCPTool:
		a.Server, a.Tool = oneOf(t, "server", "github", "example", "gitlab", "my srv", "e"), oneOf(t, "tool", "create_issue", "write", "delete", "do.it", "x")
	case evaluator.Subagent:
		a.Agent = oneOf(t, "agent", "general", "explore", "gen", "other")
	case evaluator.Question:
		a.Text = oneOf(t, "question", "", "deploy now", "x")
	}
	return a
}

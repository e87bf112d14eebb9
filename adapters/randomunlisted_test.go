package adapters_test

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// TestRandomUnlisted holds that no probe is missing: of Actions that nobody listed,
// none runs that a rule would stop, unless the writer declared that rule's gap. The
// Actions are made of what the policy's patterns match, in any spelling.
func TestRandomUnlisted(t *testing.T) {
	for _, d := range adapters.Table() {
		if !slices.Contains([]evaluator.Provider{evaluator.Claude, evaluator.Codex, evaluator.Grok, evaluator.OpenCode, evaluator.OpenCode2}, d.Provider()) {
			continue
		}
		t.Run(string(d.Provider()), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p, cell, env := drawCell(t, d)
				env = d.Env(cell.Interaction, env)
				in, w, m := written(t, d, p, cell, env)
				wider := map[string]bool{}
				for _, g := range w.Gaps() {
					wider[g.ID] = wider[g.ID] || g.Direction == evaluator.Wider
				}
				for range 12 {
					a := drawUnlisted(t, p)
					if answered[d.Provider()] && !shellReads(a.Command) {
						continue
					}
					want := in.Want(a, env)
					v, err := evaluator.Evaluate(m, a, false)
					if err != nil || want.Against(a, v) != evaluator.Wider || v.Effect == evaluator.Ask {
						continue
					}
					if g := compiler.NewGap(cell.Provider, want.Kind, *want.Rule, evaluator.Wider); !wider[g.ID] {
						t.Fatalf("%s\n%s: %s isn't declared, and %+v is %s: %s\n%s", p.yaml(), cell, g.ID, a, v.Effect, v.Reason, w.Native)
					}
				}
			})
		})
	}
}

// answered are the providers whose callback judges a text by the policy itself, with
// the folder that it runs in before it: what no shell reads runs nowhere, and our
// callback reads it as nothing in particular.
var answered = map[evaluator.Provider]bool{evaluator.Claude: true, evaluator.Grok: true}

func shellReads(text string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	return err == nil
}

// drawUnlisted draws an Action of what a policy's patterns match, or just don't.
func drawUnlisted(t *rapid.T, p randomPolicy) evaluator.Action {
	like := func(kinds ...evaluator.Kind) string {
		list := []string{"src/a.go"}
		for _, r := range p.rules {
			if slices.Contains(kinds, r.kind) && r.match != "@plan-files" {
				list = append(list, r.match, r.match)
			}
		}
		return filled(t, oneOf(t, "pattern", append(list, matches[kinds[0]][0])...))
	}
	a := evaluator.Action{Kind: oneOf(t, "kind", evaluator.Command, evaluator.Command, evaluator.FileRead, evaluator.FileChange, evaluator.WebFetch, evaluator.WebSearch, evaluator.MCPTool, evaluator.Subagent)}
	switch a.Kind {
	case evaluator.Command:
		command := func() string { return spelled(t, strings.TrimSpace(like(a.Kind))) }
		a.Command = command()
		if rapid.Bool().Draw(t, "two") {
			a.Command += oneOf(t, "operator", " && ", "; ", " | ", "\n", " || ", "\r\n", "\n\\\n") + command()
		}
		a.Cwd = oneOf(t, "folder", "", "", "", "src", "/elsewhere")
	case evaluator.FileRead, evaluator.FileChange:
		path := func() string {
			s := like(evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace)
			s = strings.Replace(s, "~/", "/h/", 1)
			if !strings.HasPrefix(s, "/") {
				s = oneOf(t, "before", "", "", "./", "/ws/", "a/../", "../ws/", "sub/") + s
			}
			return strings.TrimRight(s+oneOf(t, "behind", "", "", "/x", "x"), "/") + oneOf(t, "name", "", "a")
		}
		a.Path = path()
		if a.Kind == evaluator.FileChange && rapid.IntRange(0, 3).Draw(t, "moved") == 0 {
			a.To = path()
		}
		if a.Path == "" || a.Path == "/" {
			a.Path = "a"
		}
	case evaluator.WebFetch:
		a.URL = like(a.Kind)
	case evaluator.WebSearch:
		a.Query = like(a.Kind)
	case evaluator.MCPTool:
		server, tool, _ := strings.Cut(like(a.Kind), "/")
		a.Server, a.Tool = server+oneOf(t, "server", "", "_x", "x"), oneOf(t, "tool", "", "x_", "x")+tool+"x"
	case evaluator.Subagent:
		a.Agent = like(a.Kind)
	}
	return a
}

// filled puts texts for the wildcards of a pattern.
func filled(t *rapid.T, pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString(oneOf(t, "folders", "", "a/", "a/b/", ".git/", "src/"))
			i += 2
		case pattern[i] == '*':
			b.WriteString(oneOf(t, "any", "x", "", "a", ".env", "x y", "a.go", "x_y", "é", "x/y", "X"))
		case pattern[i] == '?':
			b.WriteString(oneOf(t, "one", "b", "/", "é", "."))
		default:
			b.WriteByte(pattern[i])
		}
	}
	return b.String()
}

// spelled writes a command in one of many ways.
func spelled(t *rapid.T, c string) string {
	if c == "" {
		c = "ls"
	}
	name, rest, _ := strings.Cut(c, " ")
	return oneOf(t, "spelling", c, c, c, c+" x", strings.ReplaceAll(c, " ", "  "), strings.ReplaceAll(c, " ", "\t"), strings.ReplaceAll(c, " ", " \\\n"),
		"A=1 "+c, c+" > out", "("+c+")", "echo $("+c+")", c+" # x", "! "+c, "if "+c+"; then ls; fi", "\\"+c, "'"+name+"' "+rest, c+" <<E\nx\nE\n", c+" &", c+"\r")
}

package diff_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// fixed are Actions that no probe maker has made.
func fixed() []evaluator.Action {
	var out []evaluator.Action
	words := []string{"git", "push", "status", "--force", "npm"}
	for _, a := range words {
		for _, b := range append(words, "") {
			for _, c := range append(words, "") {
				out = append(out, evaluator.Action{Kind: evaluator.Command, Command: strings.TrimSpace(a + " " + b + " " + c)})
			}
		}
	}
	for _, folder := range []string{"", "src/", "docs/", "src/docs/", "/opt/", "/opt/src/"} {
		for _, name := range []string{"a.go", "b.ts", ".env", "docs"} {
			out = append(out, evaluator.Action{Kind: evaluator.FileRead, Path: folder + name}, evaluator.Action{Kind: evaluator.FileChange, Path: folder + name})
		}
	}
	for _, server := range []string{"github", "git", "db"} {
		for _, tool := range []string{"create", "read", "x"} {
			out = append(out, evaluator.Action{Kind: evaluator.MCPTool, Server: server, Tool: tool})
		}
	}
	return out
}

var patterns = map[string][]string{
	"command":     {"*", "git *", "git push *", "git push --force *", "git status", "npm *", "npm push"},
	"file-change": {"*", "src/**", "**/*.go", "docs/*", "src/*.ts", "/opt/**", "**/.env"},
	"file-read":   {"*", "src/**", "**/*.go", "docs/*", "/opt/*", "**/.env"},
	"mcp-tool":    {"*", "github/*", "github/create", "db/*"},
}

// anyPolicy draws a policy of a few rules that overlap, every gap acknowledged.
func anyPolicy(t *rapid.T, label string) *policies.Policy {
	kinds := []string{"command", "file-change", "file-read", "mcp-tool"}
	var rules, gaps strings.Builder
	for i := range rapid.IntRange(0, 4).Draw(t, label+" rules") {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		match := rapid.SampledFrom(patterns[kind]).Draw(t, "match")
		effect := rapid.SampledFrom([]string{"allow", "ask", "review", "deny"}).Draw(t, "effect")
		fmt.Fprintf(&rules, "  - {id: r%d, kind: %s, match: %q, effect: %s}\n", i, kind, match, effect)
		for _, p := range evaluator.Providers() {
			fmt.Fprintf(&gaps, "  - {gap: %s.%s.r%d, reason: x}\n", p, kind, i)
		}
	}
	if rules.Len() == 0 {
		return parse(t, "")
	}
	// A rule may undo what the mode's own rules say, too.
	for _, p := range evaluator.Providers() {
		for _, gap := range []string{"command.commands-review", "file-change.edits-review", "outside-workspace.outside-review"} {
			fmt.Fprintf(&gaps, "  - {gap: %s.%s, reason: x}\n", p, gap)
		}
	}
	return parse(t, "rules:\n"+rules.String()+"acknowledge:\n"+gaps.String())
}

// TestProperties holds, for policies of any overlapping rules: a policy doesn't
// differ from itself; the other way round every change is turned; each change's
// witness has the two answers; and whatever Action of a fixed list is answered
// otherwise, a change of its kind and effects tells of it.
func TestProperties(t *testing.T) {
	actions := fixed()
	rapid.Check(t, func(t *rapid.T) {
		o := options(rapid.SampledFrom(evaluator.Providers()).Draw(t, "provider"))
		o.Modes, o.Interactions = []evaluator.Mode{evaluator.Auto}, []evaluator.Interaction{evaluator.Default}
		a, b := anyPolicy(t, "old"), anyPolicy(t, "new")
		old, new := side(t, "old", a, o), side(t, "new", b, o)
		if r, err := diff.Compare(context.Background(), old, side(t, "again", a, o)); err != nil || r.Differs() {
			t.Fatalf("a policy differs from itself: %v %v", err, r)
		}
		r, err := diff.Compare(context.Background(), old, new)
		if err != nil {
			t.Fatal(err)
		}
		back, err := diff.Compare(context.Background(), new, old)
		if err != nil {
			t.Fatal(err)
		}
		if len(back.Changes) != len(r.Changes) {
			t.Fatalf("there %q, back %q", short(r), short(back))
		}
		for i := range back.Changes {
			c := &back.Changes[i]
			c.Old, c.New = c.New, c.Old
			turned := map[evaluator.Direction]evaluator.Direction{evaluator.Wider: evaluator.Narrower, evaluator.Narrower: evaluator.Wider, diff.Changed: diff.Changed}
			c.Direction = turned[c.Direction]
			c.Widens = r.Changes[i].Widens // what is unknown isn't turned
		}
		if d := cmp.Diff(r.Changes, back.Changes); d != "" {
			t.Fatalf("the other way round: -there +back\n%s", d)
		}
		for _, d := range o.Dialects {
			checkCell(t, r, d, a, b, actions)
		}
	})
}

// checkCell asks both policies by themselves.
func checkCell(t *rapid.T, r *diff.Report, d compiler.Dialect, a, b *policies.Policy, actions []evaluator.Action) {
	cell := evaluator.Cell{Provider: d.Provider(), Mode: evaluator.Auto, Interaction: evaluator.Default}
	compiled := func(p *policies.Policy) *compiler.Compiled {
		c, err := compiler.Compile(p, d, cell, compiler.Options{Env: session})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before, after := compiled(a), compiled(b)
	ask := func(c *compiler.Compiled, action evaluator.Action) evaluator.Verdict {
		v, err := c.Evaluate(action, false)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	type kind struct {
		of       evaluator.Kind
		old, new evaluator.Effect
	}
	told := map[kind]bool{}
	for _, c := range r.Changes {
		if c.Provider != cell.Provider {
			continue
		}
		told[kind{c.Witness.Kind, c.Old.Effect, c.New.Effect}] = true
		if old, new := ask(before, c.Witness), ask(after, c.Witness); old.Effect != c.Old.Effect || new.Effect != c.New.Effect ||
			old.Decider != c.Old.Decider || new.Decider != c.New.Decider {
			t.Fatalf("%s: %+v: %s -> %s, the report says %s -> %s", cell, c.Witness, old.Effect, new.Effect, c.Old.Effect, c.New.Effect)
		}
	}
	for _, action := range actions {
		old, new := ask(before, action), ask(after, action)
		if old.Effect != new.Effect && !told[kind{action.Kind, old.Effect, new.Effect}] {
			t.Fatalf("%s: %+v: %s -> %s isn't told\n%s\n%s", cell, action, old.Effect, new.Effect, before.RuleSet.Native, after.RuleSet.Native)
		}
	}
}

package codex

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TestBuiltinGaps pins that for the built-in policies what is declared is found,
// no more and no less.
func TestBuiltinGaps(t *testing.T) {
	for _, name := range policies.BuiltinNames() {
		p, err := policies.Load("builtin/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, env := range []evaluator.Env{{}, {Workspace: "/w"}, {Workspace: "/w", Home: "/h"}} {
			for _, mode := range evaluator.Modes() {
				for _, interaction := range evaluator.Interactions() {
					cell := evaluator.Cell{Provider: evaluator.Codex, Mode: mode, Interaction: interaction}
					declared, found, err := compiler.Compare(New(), compiler.Lower(p, cell), compiler.Setting{Env: env})
					if err != nil {
						t.Fatalf("%s, %s: %v", name, cell, err)
					}
					if d := cmp.Diff(gapIDs(declared), gapIDs(found)); d != "" {
						t.Errorf("%s, %s: %s", name, cell, d)
					}
				}
			}
		}
	}
}

func gapIDs(gaps []evaluator.Gap) []string {
	var out []string
	for _, g := range gaps {
		out = append(out, g.ID+" "+string(g.Direction))
	}
	slices.Sort(out)
	return out
}

// TestGaps writes random policies and compares what Write declares with what a
// comparison through Read finds: every gap that is found was declared, and what
// was declared is found, except for rewordings, protected folders and forced
// removal by itself, which no probe tries.
func TestGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 100 {
		text := randomPolicy(r)
		p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte(text)})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				cell := evaluator.Cell{Provider: evaluator.Codex, Mode: mode, Interaction: interaction}
				declared, found, err := compiler.Compare(New(), compiler.Lower(p, cell), compiler.Setting{})
				if err != nil {
					t.Fatalf("%s\n%s: %v", text, cell, err)
				}
				if d := difference(declared, found); d != "" {
					t.Fatalf("%s\n%s: %s", text, cell, d)
				}
			}
		}
	}
}

var untried = regexp.MustCompile(`rewording|read-only at the top|rm -f style`)

func difference(declared, found []evaluator.Gap) string {
	has := func(list []evaluator.Gap, g evaluator.Gap) bool {
		for _, o := range list {
			if o.ID == g.ID && o.Direction == g.Direction {
				return true
			}
		}
		return false
	}
	var out []string
	for _, g := range found {
		if !has(declared, g) {
			out = append(out, fmt.Sprintf("not declared: %s %s, want %s, got %s: %s", g.ID, g.Direction, g.Want, g.Got, g.Reason))
		}
	}
	for _, g := range declared {
		if !has(found, g) && !untried.MatchString(g.Reason) {
			out = append(out, fmt.Sprintf("not found: %s %s, want %s, got %s: %s", g.ID, g.Direction, g.Want, g.Got, g.Reason))
		}
	}
	return strings.Join(out, "\n")
}

func randomPolicy(r *rand.Rand) string {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	var b strings.Builder
	b.WriteString("apiVersion: modegate/v1\nname: random\nextends: builtin/t3code\nrules:\n")
	n := 0
	for range 1 + r.IntN(5) {
		kind, match := pick("command", "command", "file-change", "file-read", "outside-workspace", "web-fetch", "mcp-tool", "question", "any", "subagent", "web-search"), "*"
		if r.IntN(3) > 0 {
			switch kind {
			case "command":
				match = pick("git push *", "git push --force", "ls", "npm test", "git *", "rm -rf *", "git push origin", "cat *", "curl *")
			case "file-change", "file-read":
				match = pick("src/**", "**/.env", "/outside/x", "~/notes/*", "**/*.png")
			case "mcp-tool":
				match = pick("github/*", "a/b")
			}
		}
		fmt.Fprintf(&b, "  - {id: r%d, kind: %s, match: %q, effect: %s}\n", n, kind, match, pick("allow", "ask", "review", "deny"))
		n++
	}
	b.WriteString("providers:\n  codex:\n    modes:\n")
	for _, mode := range evaluator.Modes() {
		approval := pick("untrusted", "on-request", "never", "{granular: {sandbox_approval: true, rules: false, mcp_elicitations: true}}", "{granular: {sandbox_approval: false, rules: true, mcp_elicitations: true}}")
		sandbox := pick("read-only", "workspace-write", "danger-full-access")
		extra := ""
		if sandbox != "danger-full-access" && r.IntN(3) == 0 {
			extra = ", networkAccess: true"
		}
		fmt.Fprintf(&b, "      %s: {approvalPolicy: %s, sandbox: %s, approvalsReviewer: %s%s}\n", mode, approval, sandbox, pick("user", "auto_review"), extra)
	}
	if r.IntN(2) == 0 {
		b.WriteString("    plan: {sandbox: read-only}\n")
	}
	return b.String()
}

package cursor_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/cursor"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TestDeclaredGaps holds that what the writer declares is what a comparison
// finds, for the built-in policy and for profiles that it doesn't use.
func TestDeclaredGaps(t *testing.T) {
	for name, overlay := range map[string]string{
		"t3code": "",
		"flags": `
providers:
  cursor:
    modes:
      auto: {argv: ["--auto-review", acp]}
      full-access: {argv: ["--force", acp]}`,
		"rules": `
rules:
  - {kind: command, match: "git push *", effect: deny}
  - {kind: command, match: ls, effect: ask}
  - {kind: file-read, match: "**/.env", effect: ask}
  - {kind: file-change, match: "docs/**", effect: allow}
  - {kind: mcp-tool, match: "github/*", effect: deny}
  - {kind: subagent, match: "*", effect: ask}
  - {kind: question, match: "*", effect: deny}
  - {kind: web-search, match: "*", effect: deny}`,
	} {
		p := policy(t, overlay)
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				cell := evaluator.Cell{Provider: evaluator.Cursor, Mode: mode, Interaction: interaction}
				for _, facts := range []string{"", `{"approvalMode":"allowlist"}`, `{"modes":[{"id":"code","name":"Code"},{"id":"plan"},{"id":"ask"}]}`} {
					s := compiler.Setting{Env: evaluator.Env{Facts: jsontext.Value(facts)}}
					declared, found, err := compiler.Compare(cursor.New(), compiler.Lower(p, cell), s)
					if err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(gapIDs(found), gapIDs(declared)); d != "" {
						t.Errorf("%s, %s, %s: found (-) and declared (+) part: %s", name, cell, facts, d)
					}
				}
			}
		}
	}
}

// policy is the built-in policy with more on top.
func policy(t testing.TB, overlay string) *policies.Policy {
	t.Helper()
	base, err := policies.Builtin("t3code")
	if err != nil {
		t.Fatal(err)
	}
	files := []policies.File{base}
	if overlay != "" {
		files = append(files, policies.File{Name: "overlay.yaml", Data: []byte("apiVersion: modegate/v1\n" + overlay)})
	}
	p, err := policies.Parse(files...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func gapIDs(gaps []evaluator.Gap) []string {
	var out []string
	for _, g := range gaps {
		out = append(out, string(g.Direction)+" "+g.ID+" "+g.Got.String())
	}
	slices.Sort(out)
	return out
}

package compiler_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

const nearestPolicy = `apiVersion: modegate/v1
name: near
modes:
  auto:
    rules:
      - {id: all, kind: any, match: "*", effect: ask}
rules:
  - {id: force, kind: command, match: git push --force *, effect: deny}
  - {id: status, kind: command, match: git status, effect: allow}
  - {id: claude-alone, kind: command, match: npm test, effect: allow, providers: [claude]}
  - {id: supervised-alone, kind: command, match: make, effect: allow, modes: [approval-required]}
  - {id: early, kind: command, match: go test *, effect: allow}
  - {id: late, kind: command, match: go *, effect: deny}
  - {id: keys, kind: file-read, match: "secrets/**/*.pem", effect: deny}
  - {id: one, kind: file-change, match: "src/*.go", effect: allow}
  - {id: opt, kind: outside-workspace, match: "/opt/*", effect: allow}
  - {id: docs, kind: web-fetch, match: "https://docs.example.test/*", effect: allow}
interactions:
  plan:
    rules:
      - {id: plan-files, kind: file-change, match: "@plan-files", effect: allow}
`

// The nearest rule is the one that a person would look at first, and the reason
// says what keeps it from deciding.
func TestNearest(t *testing.T) {
	p, err := policies.Parse(policies.File{Name: "near.yaml", Data: []byte(nearestPolicy)})
	if err != nil {
		t.Fatal(err)
	}
	env := evaluator.Env{Workspace: "/w", Home: "/h"}
	command := func(c string) evaluator.Action { return evaluator.Action{Kind: evaluator.Command, Command: c} }
	read := func(p string) evaluator.Action { return evaluator.Action{Kind: evaluator.FileRead, Path: p} }
	change := func(p string) evaluator.Action { return evaluator.Action{Kind: evaluator.FileChange, Path: p} }
	for _, tt := range []struct {
		action     evaluator.Action
		id, reason string
	}{
		{command("git push origin"), "force", "`git push origin` differs from `git push --force *` at word 3: \"origin\", not \"--force\""},
		{command("git push"), "force", "`git push` ends before word 3 of `git push --force *`, \"--force\""},
		{command("git status -s"), "status", "`git status -s` goes on after `git status`: a last * in the match takes further words"},
		{command("ls && git push  -f"), "force", "`git push -f` differs from `git push --force *` at word 3: \"-f\", not \"--force\""},
		{command("npm test"), "claude-alone", "it is for other providers: claude"},
		{command("make"), "supervised-alone", "it is for other modes: approval-required"},
		{command("go test ./..."), "early", "rule late of near.yaml:13:5, a later or a stricter one, decides"},
		{read("secrets/a/key.txt"), "keys", "secrets/a/key.txt differs from secrets/**/*.pem at \"key.txt\", which isn't \"*.pem\""},
		{read("src/key.pem"), "keys", "src/key.pem differs from secrets/**/*.pem at name 1: \"src\", not \"secrets\""},
		{read("/w"), "keys", " differs from secrets/**/*.pem at name 1: \"\", not \"secrets\""},
		{change("src/a/b.go"), "one", "src/a/b.go differs from src/*.go at name 2: \"a\", not \"*.go\""},
		{change("src"), "one", "src ends before name 2 of src/*.go, \"*.go\""},
		{change("/opt/a/b"), "opt", "/opt/a/b goes on after /opt/*: end it with /**"},
		{change("/srv/x.go"), "opt", "/srv/x.go differs from /opt/* at name 1: \"srv\", not \"opt\""},
		{evaluator.Action{Kind: evaluator.WebFetch, URL: "https://doc.example.test/"}, "docs", "\"https://doc.example.test/\" differs from \"https://docs.example.test/*\" at character 12"},
		{evaluator.Action{Kind: evaluator.WebSearch, Query: "x"}, "", ""},
		{evaluator.Action{Kind: evaluator.Native, Request: []byte(`{"a":"b"}`)}, "", ""},
	} {
		cell := evaluator.Cell{Provider: evaluator.Codex, Mode: evaluator.Auto, Interaction: evaluator.Plan}
		all := compiler.Nearest(p, compiler.Lower(p, cell), tt.action, env)
		id, reason := "", ""
		if len(all) > 0 {
			id, reason = all[0].Rule.ID, all[0].Reason
		}
		if id != tt.id || reason != tt.reason {
			t.Errorf("%+v:\ngot  %s: %s\nwant %s: %s", tt.action, id, reason, tt.id, tt.reason)
		}
		for _, n := range all {
			if n.Reason == "" || strings.Contains(n.Reason, "%!") {
				t.Errorf("%+v: rule %s has the reason %q", tt.action, n.Rule.ID, n.Reason)
			}
		}
	}
}

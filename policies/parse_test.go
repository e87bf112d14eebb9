package policies_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

const head = "apiVersion: modegate/v1\nname: acme\n"

func file(name, text string) policies.File {
	return policies.File{Name: name, Data: []byte(text)}
}

// parse parses texts as the layers 0.yaml, 1.yaml, …
func parse(t *testing.T, texts ...string) *policies.Policy {
	t.Helper()
	p, err := policies.Parse(files(texts)...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func files(texts []string) []policies.File {
	var out []policies.File
	for i, text := range texts {
		out = append(out, file(fmt.Sprintf("%d.yaml", i), text))
	}
	return out
}

// refused parses texts as layers and returns their problems.
func refused(t *testing.T, texts ...string) diag.List {
	t.Helper()
	p, err := policies.Parse(files(texts)...)
	var problems diag.List
	if !errors.As(err, &problems) || p != nil {
		t.Fatalf("got policy %v and error %v, want no policy and a diag.List", p, err)
	}
	return problems
}

func places(problems diag.List) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Place())
	}
	return out
}

// Everything that a file says arrives with its place.
func TestParsePlaces(t *testing.T) {
	p := parse(t, head+`modes:
  auto:
    label: Auto
    rules:
      - {id: a, kind: command, match: "git *", effect: review, providers: [codex]}
rules:
  - kind: any
    match: "*"
    effect: ask
    modes: [auto, full-access]
interactions:
  plan:
    rules:
      - {kind: file-change, match: "@plan-files", effect: allow}
providers:
  claude:
    modes: {auto: {callback: "true", skip: true, list: [x]}}
acknowledge:
  - {gap: codex.command.a, reason: because}
`)
	at := func(line, column int, id string) evaluator.Source {
		return evaluator.Source{File: "0.yaml", Line: line, Column: column, ID: id}
	}
	scalar := func(text string, quoted bool, line, column int) *policies.Node {
		return &policies.Node{Kind: policies.Scalar, Text: text, Quoted: quoted, Source: at(line, column, "")}
	}
	mapping := func(line, column int, fields ...policies.Field) *policies.Node {
		return &policies.Node{Kind: policies.Mapping, Source: at(line, column, ""), Fields: fields}
	}
	field := func(name string, line, column int, v *policies.Node) policies.Field {
		return policies.Field{Name: name, Source: at(line, column, ""), Value: v}
	}
	check(t, "modes", p.Modes, map[evaluator.Mode]policies.ModePolicy{evaluator.Auto: {
		Label:  "Auto",
		Source: at(4, 3, ""),
		Rules: []policies.Rule{{
			ID: "a", Kind: evaluator.Command, Match: "git *", Effect: evaluator.Review,
			Providers: []evaluator.Provider{evaluator.Codex}, Source: at(7, 9, "a"),
		}},
	}})
	check(t, "rules", p.Rules, []policies.Rule{{
		ID: "rules-1", Kind: evaluator.AnyKind, Match: "*", Effect: evaluator.Ask,
		Modes: []evaluator.Mode{evaluator.Auto, evaluator.FullAccess}, Source: at(9, 5, "rules-1"),
	}})
	check(t, "interactions", p.Interactions, map[evaluator.Interaction][]policies.Rule{evaluator.Plan: {{
		ID: "plan-1", Kind: evaluator.FileChange, Match: "@plan-files", Effect: evaluator.Allow, Source: at(16, 9, "plan-1"),
	}}})
	list := &policies.Node{Kind: policies.Sequence, Source: at(19, 56, ""), Items: []*policies.Node{scalar("x", false, 19, 57)}}
	check(t, "profiles", p.Profiles, map[evaluator.Provider]*policies.Node{evaluator.Claude: mapping(19, 5,
		field("modes", 19, 5, mapping(19, 12,
			field("auto", 19, 13, mapping(19, 19,
				field("callback", 19, 20, scalar("true", true, 19, 30)),
				field("skip", 19, 38, scalar("true", false, 19, 44)),
				field("list", 19, 50, list),
			)))))})
	check(t, "acknowledgements", p.Acknowledge, []policies.Acknowledgement{{Gap: "codex.command.a", Reason: "because", Source: at(21, 5, "")}})
	check(t, "files", p.Files, []string{"0.yaml"})
}

func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: -want +got\n%s", what, d)
	}
}

// One run reports every problem of every file, each at its place.
func TestAllProblemsAtOnce(t *testing.T) {
	problems := refused(t, `apiVersion: modegate/v1
Name: acme
modes:
  auto:
    label: no
    rules:
      - {id: A, kind: shell, effect: block}
      - {kind: command, match: "a  b", effect: ask, when: now}
  supervised: {}
providers: {codex: {a: &x 1.5, b: *x, b: !t c}}
`, `name: [1]
rules:
  - [
`, `name: "a b"
extends: builtin/t3code
acknowledge: []
`)
	check(t, "places", places(problems), []string{
		"0.yaml:1:1",                   // no name
		"0.yaml:2:1",                   // Name
		"0.yaml:5:12",                  // no
		"0.yaml:7:9",                   // no match
		"0.yaml:7:14",                  // A
		"0.yaml:7:23",                  // shell
		"0.yaml:7:38",                  // block
		"0.yaml:8:32",                  // two spaces
		"0.yaml:8:53",                  // when
		"0.yaml:9:3",                   // supervised
		"0.yaml:10:24", "0.yaml:10:24", // an anchor, a number
		"0.yaml:10:35", // an alias
		"0.yaml:10:39", // b again
		"1.yaml:3:3",   // not YAML
		"2.yaml:1:1",   // no apiVersion
		"2.yaml:1:7",   // a b
		"2.yaml:2:10",  // extends
		"2.yaml:3:14",  // nothing acknowledged
	})
	if t.Failed() {
		t.Log(problems)
	}
}

// A caret stands under the character that is meant, whatever precedes it.
func TestCaretsInFiles(t *testing.T) {
	for _, tt := range []struct{ line, caret string }{
		{`modes: {auto: {label: no}}`, `                      ^`},
		{"modes:\t{auto:\t{label:\tno}}", "      \t      \t       \t^"},
		{`providers: {codex: {"é": no}}`, `                         ^`},
		{`providers: {codex: {"日本": no}}`, `                            ^`},
		{`providers: {codex: {"🔒": no}}`, `                          ^`},
		{"providers: {codex: {\"e\u0301\": no}}", `                         ^`},
	} {
		problems := refused(t, head+tt.line+"\n")
		lines := strings.Split(problems[0].String(), "\n")
		if len(problems) != 1 || len(lines) != 3 || lines[1] != "  "+tt.line || lines[2] != "  "+tt.caret {
			t.Errorf("got\n%v\nwant\n  %s\n  %s", problems, tt.line, tt.caret)
		}
	}
}

func TestLimits(t *testing.T) {
	rules := func(n int) string {
		return head + "rules:\n" + strings.Repeat("- {kind: any, match: '*', effect: ask}\n", n)
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = head
	}
	parse(t, rules(10_000))
	for _, tt := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"large file", []string{head + strings.Repeat("#\n", 1<<19)}, "0.yaml: the file is larger than 1 MiB"},
		{"many rules", []string{rules(10_001)}, "0.yaml:10004:3: the policy has more than 10000 rules"},
		{"many rules together", []string{rules(6000), rules(6000)}, "1.yaml:4004:3: the policy has more than 10000 rules"},
		{"many files", many, "100.yaml: the policy has more than 100 files"},
		{"deep lists", []string{strings.Repeat("[", 1<<19)}, "0.yaml:1:1: this isn't YAML: exceeded max depth"},
		{"deep flow", []string{head + "providers: {codex: {a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}}\n"}, "nested deeper than 50"},
		{"many problems", []string{head + "rules: [" + strings.Repeat("a,", 100_000) + "]\n"}, "too many problems"},
		{"wide line of problems", []string{head + "providers: {codex: [" + strings.Repeat("&a no,", 100_000) + "]}\n"}, "too many problems"},
		{"no file", nil, "no policy file is given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			problems := refused(t, tt.texts...)
			last := problems[len(problems)-1]
			if !strings.Contains(problems.Error(), tt.want) {
				t.Errorf("want %q, got %d problems, the last: %.300s", tt.want, len(problems), last)
			}
		})
	}
}

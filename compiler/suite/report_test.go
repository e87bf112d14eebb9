package suite_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/suite"
	"github.com/modegate/modegate/evaluator"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const mixed = `rules:
  - {id: no-push, kind: command, match: git push --force *, effect: deny}
  - {id: status, kind: command, match: git status, effect: allow, providers: [opencode2]}
  - {id: fetches-review, kind: web-fetch, match: "*", effect: review, providers: [opencode2]}
acknowledge:
  - {gap: codex.command.no-push, reason: rewordings aren't matched}
`

const mixedTests = `  - name: a force push is denied
    providers: [codex, opencode2]
    modes: [auto]
    action: {kind: command, command: git push --force origin}
    expect: {effect: deny, rule: no-push}
  - name: fetches are reviewed
    providers: [opencode2]
    modes: [auto]
    action: {kind: web-fetch, url: "https://example.test/"}
    expect: {effect: review, rule: fetches-review}
  - name: any push is denied
    providers: [codex]
    modes: [approval-required]
    action: {kind: command, command: git push origin}
    expect: {effect: deny}
  - name: status runs & "reads" <nothing>
    providers: [codex, opencode2]
    modes: [approval-required]
    action: {kind: command, command: git status}
    expect: {effect: allow, decider: provider-rule}
  - name: the reviewer decides
    providers: [codex]
    modes: [auto]
    action: {kind: mcp-tool, server: s, tool: t}
    expect: {effect: review}
    skip: not settled
`

// TestReports holds the report in its forms; the table shows for each failure the
// deciding rule, what the policy says, and the nearest rule.
func TestReports(t *testing.T) {
	o := everything()
	o.Dialects = slices.DeleteFunc(o.Dialects, func(d compiler.Dialect) bool {
		return d.Provider() != evaluator.Codex && d.Provider() != evaluator.OpenCode2
	})
	o.Modes, o.Coverage = []evaluator.Mode{evaluator.ApprovalRequired, evaluator.Auto}, true
	r := &suite.Report{Untested: []string{"other.yaml"}}
	r.Add(run(t, policy(t, mixed), tests(t, mixedTests), o))
	var table, junit bytes.Buffer
	if err := errors.Join(r.Table(&table), r.JUnit(&junit)); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", table.Bytes())
	golden(t, "junit.xml", junit.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("-%s +got\n%s", name, d)
	}
}

// TestJUnitForm holds the JUnit form: its elements and attributes, its sums, and
// that no name or reason can break it.
func TestJUnitForm(t *testing.T) {
	nasty := "a \x00\x1b[31m \ufffe <b> & \"c\" ]]>"
	o := &suite.Outcome{Counts: suite.Counts{Failed: 1, Skipped: 1, Passed: 1}, Suites: []suite.Results{{
		File: nasty, Counts: suite.Counts{Failed: 1, Skipped: 1, Passed: 1},
		Results: []suite.Result{
			{Test: nasty, Status: suite.Failed, Got: &suite.Got{Reason: nasty}, Failure: &suite.Failure{Missed: []suite.Missed{{Field: "effect", Want: []string{nasty}, Got: nasty}}}},
			{Test: nasty, Status: suite.Skipped, Skip: nasty},
			{Test: nasty, Status: suite.Passed, Got: &suite.Got{}},
		},
	}}}
	r := &suite.Report{}
	r.Add(o)
	var b bytes.Buffer
	if err := r.JUnit(&b); err != nil {
		t.Fatal(err)
	}
	for _, c := range b.String() {
		if c < ' ' && c != '\n' && c != '\t' || c == 0xfffe || c == 0xffff {
			t.Errorf("XML can't hold %U", c)
		}
	}
	allowed := map[string]string{
		"testsuites": "name tests failures errors skipped",
		"testsuite":  "name tests failures errors skipped",
		"testcase":   "name classname file line",
		"failure":    "message type", "skipped": "message",
	}
	seen := map[string]int{}
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			seen[e.Name.Local]++
			for _, a := range e.Attr {
				if !slices.Contains(strings.Fields(allowed[e.Name.Local]), a.Name.Local) {
					t.Errorf("<%s> has the attribute %s", e.Name.Local, a.Name.Local)
				}
			}
		}
	}
	want := map[string]int{"testsuites": 1, "testsuite": 1, "testcase": 3, "failure": 1, "skipped": 1}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("the elements: -want +got\n%s", d)
	}
}

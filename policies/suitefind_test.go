package policies_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/policies"
)

const oneTest = "apiVersion: modegate/v1\ntests:\n  - {name: one, action: {kind: question}, expect: {effect: ask}}\n"

// folder makes a folder with the named files and works in it.
func folder(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(oneTest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pairs writes targets as POLICY:SUITE.
func pairs(targets []policies.Target) []string {
	out := []string{}
	for _, target := range targets {
		suite := ""
		if target.Suite != nil {
			suite = target.Suite.File
		}
		out = append(out, target.Policy+":"+suite)
	}
	return out
}

func TestTargets(t *testing.T) {
	folder(t,
		"acme.yaml", "acme_test.yaml", "alone_test.yml", "untested.yml", "notes.md",
		"team/base.yml", "team/base_test.yaml", ".hidden.yaml", ".git/x_test.yaml", "builtin/t3code_test.yaml")
	for _, tt := range []struct {
		paths string
		want  []string
	}{
		{"acme_test.yaml", []string{"acme.yaml:acme_test.yaml"}},
		{"acme.yaml", []string{"acme.yaml:acme_test.yaml"}},
		{"./acme.yaml acme_test.yaml acme.yaml", []string{"acme.yaml:acme_test.yaml"}},
		{"alone_test.yml", []string{":alone_test.yml"}},
		{"untested.yml", []string{"untested.yml:"}},
		{"team", []string{"team/base.yml:team/base_test.yaml"}},
		{"builtin/t3code", []string{"builtin/t3code:t3code_test.yaml"}},
		{"./builtin", []string{":./builtin/t3code_test.yaml"}},
		{".", []string{
			"acme.yaml:acme_test.yaml", ":alone_test.yml", ":./builtin/t3code_test.yaml",
			"team/base.yml:team/base_test.yaml", "untested.yml:",
		}},
	} {
		got, err := policies.Targets(strings.Fields(tt.paths)...)
		if err != nil {
			t.Errorf("%s: %v", tt.paths, err)
		} else if d := cmp.Diff(tt.want, pairs(got)); d != "" {
			t.Errorf("%s: -want +got\n%s", tt.paths, d)
		}
	}
}

func TestTargetsRefuse(t *testing.T) {
	folder(t, "empty/notes.md", "twice/a_test.yaml", "twice/a_test.yml", "bad_test.yaml", "worse_test.yaml")
	for _, name := range []string{"bad_test.yaml", "worse_test.yaml"} {
		if err := os.WriteFile(name, []byte("apiVersion: modegate/v1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		paths string
		want  []string // one of each problem
	}{
		{"missing_test.yaml", []string{"missing_test.yaml: no such file"}},
		{"empty", []string{"empty: the folder holds neither policies nor test files"}},
		{"empty/notes.md", []string{"empty/notes.md: use a folder, a .yaml file or builtin/NAME"}},
		{"builtin/nothing", []string{`builtin/nothing: there is no built-in policy "nothing"`}},
		{"builtin/t3code_test", []string{`there is no built-in policy "t3code_test"`}},
		{"twice", []string{"twice/a_test.yml: this suite has two files"}},
		{"bad_test.yaml worse_test.yaml missing", []string{`bad_test.yaml:1:1: the suite has no "tests"`, "missing: no such file", `worse_test.yaml:1:1: the suite has no "tests"`}},
	} {
		_, err := policies.Targets(strings.Fields(tt.paths)...)
		if err == nil {
			t.Errorf("%s is accepted", tt.paths)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in\n%v", tt.paths, want, err)
			}
		}
	}
}

package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/compiler/suite"
	"github.com/modegate/modegate/policies"
)

func runMain(args ...string) (code int, out, diagnostics string) {
	var o, d bytes.Buffer
	code = Main(args, strings.NewReader(""), &o, &d)
	return code, o.String(), d.String()
}

// Every built-in policy has a suite beside it, policies/builtin/NAME_test.yaml,
// which passes and has a row in every cell.
func TestBuiltinSuites(t *testing.T) {
	for _, name := range policies.BuiltinNames() {
		code, out, diagnostics := runMain("test", "--require-tests", "--coverage", "-o", "json", "builtin/"+name)
		if code != 0 {
			t.Errorf("builtin/%s: exit %d\n%s", name, code, diagnostics)
			continue
		}
		var report suite.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
		if report.Failed > 0 || report.Ran() < 48 {
			t.Errorf("builtin/%s: %s", name, report.Counts)
		}
		covered := report.Policies[0].Coverage
		if len(covered.MissingCells) > 0 {
			t.Errorf("builtin/%s: no test in %s", name, strings.Join(covered.MissingCells, ", "))
		}
		for _, each := range covered.Each {
			for _, rows := range each.Providers {
				if !rows.Covered() {
					t.Errorf("builtin/%s: no test of rule %s (line %d) on %s", name, each.Rule.ID, each.Rule.Line, rows.Provider)
				}
			}
		}
	}
}

// The exit codes: 0 fine, 1 the answer is no, 2 wrong usage or unreadable input.
func TestTestExits(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.yaml":       "apiVersion: modegate/v1\nname: a\nextends: builtin/t3code\n",
		"a_test.yaml":  "apiVersion: modegate/v1\ntests:\n  - {name: good, providers: [codex], modes: [auto], action: {kind: command, command: ls}, expect: {effect: allow}}\n  - {name: bad, providers: [codex], modes: [auto], action: {kind: command, command: ls}, expect: {effect: deny}}\n",
		"b.yaml":       "apiVersion: modegate/v1\nname: b\nextends: builtin/t3code\n",
		"odd_test.yml": "tests: []\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		code int
	}{
		{"a.yaml --run good", 0},
		{"a.yaml", 1},
		{"a.yaml b.yaml --run good", 0},
		{"a.yaml b.yaml --run good --require-tests", 1},
		{"b.yaml --require-tests", 1},
		{"b.yaml", 2},
		{"a.yaml --run neither", 2},
		{"a.yaml -m full-access", 2},
		{"a.yaml --run neither --require-tests", 1},
		{"odd_test.yml", 2},
		{"missing.yaml", 2},
		{"", 2},
		{"a.yaml -o xml", 2},
		{"a.yaml --policy missing.yaml", 2},
	} {
		if code, _, diagnostics := runMain(append([]string{"test"}, strings.Fields(tt.args)...)...); code != tt.code || code == 2 && diagnostics == "" {
			t.Errorf("test %s: exit %d, want %d\n%s", tt.args, code, tt.code, diagnostics)
		}
	}
}

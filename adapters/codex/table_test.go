package codex

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// cell reads what Write makes of T3 Code's profile for a cell.
func cell(t testing.TB, mode evaluator.Mode, interaction evaluator.Interaction, env evaluator.Env) evaluator.Meaning {
	t.Helper()
	w, err := New().Write(compiler.Intent{Cell: evaluator.Cell{Provider: evaluator.Codex, Mode: mode, Interaction: interaction}, Profile: t3profile()}, env)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New().Read(w.Native, compiler.Setting{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func native(request string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.Native, Request: jsontext.Value(request)}
}

func exec(cmd string) evaluator.Action {
	b, _ := request{Tool: execCommand, Cmd: cmd}.native()
	return native(string(b))
}

func escalate(cmd string) evaluator.Action {
	b, _ := request{Tool: execCommand, Cmd: cmd, Permissions: escalated}.native()
	return native(string(b))
}

func patchFile(verb, path string) evaluator.Action {
	body := map[string]string{"Add": "+x\n", "Delete": ""}[verb]
	b, _ := request{Tool: applyPatch, Input: "*** Begin Patch\n*** " + verb + " File: " + path + "\n" + body + "*** End Patch"}.native()
	return native(string(b))
}

// short writes a verdict as the table does: S sandboxed, N unsandboxed, U the
// person is asked, R the reviewer, X rejected; then where it runs once approved.
func short(v evaluator.Verdict) string {
	out := map[evaluator.Effect]string{evaluator.Ask: "U", evaluator.Review: "R", evaluator.Deny: "X", evaluator.Unknown: "?"}[v.Effect]
	if v.Effect == evaluator.Allow {
		out = "S"
		if v.Confinement == evaluator.Unconfined {
			out = "N"
		}
	}
	if v.Then != nil {
		out += map[string]string{runsSandboxed: " S", runsUnsandboxed: " N", runsTwice: " S?N"}[v.Then.Runs]
	}
	return out
}

// TestT3Modes holds the observed table of the four T3 modes, typed by hand:
// 0.171.0, 2026-11-30. The columns are approval-required, auto-accept-edits, auto
// and full-access. S?N runs sandboxed and, when that fails in a way that looks
// like a denial, again outside.
func TestT3Modes(t *testing.T) {
	env := evaluator.Env{Workspace: "/srv/ws"}
	for _, c := range []struct {
		name    string
		action  evaluator.Action
		columns string
	}{
		{"ls", exec("ls"), "U S?N|S|S|N"},
		{"cat", exec("cat file"), "U S?N|S|S|N"},
		{"git status", exec("git status"), "U S?N|S|S|N"},
		{"touch inside", exec("touch inside"), "U S?N|S|S|N"},
		{"redirect", exec("echo x > inside"), "U S?N|S|S|N"},
		{"rm", exec("rm file"), "U S?N|S|S|N"},
		{"touch outside", exec("touch /srv/outside/o"), "U S?N|S|S|N"},
		{"git commit", exec("git commit -m x"), "U S?N|S|S|N"},
		{"curl", exec("curl http://127.0.0.1/"), "U S?N|S|S|N"},
		{"rm -rf", exec("rm -rf x"), "U S?N|U S|R S|X"},
		{"nested rm -rf", exec("bash -c 'rm -rf x'"), "U S?N|U S|R S|X"},
		{"patch inside", patchFile("Add", "p1"), "U|S|S|N"},
		{"delete inside", patchFile("Delete", "file"), "U|S|S|N"},
		{"patch outside", patchFile("Add", "/srv/outside/p"), "U|U|R|N"},
		{"patch .git", patchFile("Add", ".git/p"), "U|U|R|N"},
		{"patch .codex", patchFile("Add", ".codex/p"), "U|U|R|N"},
		{"patch /tmp", patchFile("Add", "/tmp/p"), "U|S|S|N"},
		{"escalated", escalate("touch /srv/outside/o"), "U N|U N|R N|X"},
		{"escalated rm -rf", escalate("rm -rf x"), "U N|U N|R N|X"},
		{"request_user_input", native(`{"tool":"request_user_input"}`), "X|X|X|X"},
		{"MCP read", native(`{"tool":"mcp:r","annotations":{"readOnlyHint":true}}`), "N|N|N|N"},
		{"MCP closed", native(`{"tool":"mcp:c","annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}}`), "N|N|N|N"},
		{"MCP write", native(`{"tool":"mcp:w","annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}}`), "U|U|R|N"},
		{"MCP plain", native(`{"tool":"mcp:p"}`), "U|U|R|N"},
		{"MCP elicitation", native(`{"tool":"mcp:e","annotations":{"readOnlyHint":true},"elicits":true}`), "U|U|U|X"},
	} {
		for _, interaction := range evaluator.Interactions() {
			var got []string
			for _, mode := range evaluator.Modes() {
				v, err := evaluator.Evaluate(cell(t, mode, interaction, env), c.action, true)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				got = append(got, short(v))
			}
			want := c.columns
			if c.name == "request_user_input" && interaction == evaluator.Plan {
				want = "U|U|U|U" // the one cell that plan changes
			}
			if s := strings.Join(got, "|"); s != want {
				t.Errorf("%s in %s: %s, want %s", c.name, interaction, s, want)
			}
		}
	}
}

package web_test

import (
	"strings"
	"testing"
)

// nativeRows are the lines of the native settings, each with what stands beside it.
const nativeRows = `[...document.querySelectorAll("table.native tbody tr")].map((r) => [...r.cells].map((c) => c.textContent.replace(/\s+/g, " ").trim()).join(" ← "))`

func TestCell(t *testing.T) {
	p := open(t)
	p.visit("#/cell/opencode2/approval-required/default", "OpenCode 2 · Supervised · Default")
	rows := get[[]string](p, nativeRows)
	want := `{"action":"shell","resource":"*","effect":"ask"}, ← t3code.yaml:18- {id: commands-ask, kind: command, match: "*", effect: ask}`
	if len(rows) != 6 || rows[1] != want {
		t.Errorf("the rows are %q, the second should be %q", rows, want)
	}
	p.until(`document.querySelector(".checked").textContent === "The digest was computed here from these bytes, and agrees."`)
	text := get[string](p, `document.querySelector("main").innerText`)
	for _, part := range []string{"Gaps (", "no agent list: rules are compiled without the agent's own paths", "rule semantics", "OpenCode's documented defaults", "/v1/rulesets/opencode2/approval-required/default"} {
		if !strings.Contains(text, part) {
			t.Errorf("the cell doesn't show %q", part)
		}
	}

	p.turn("#/cell/codex/auto/plan", "Codex · Auto · Plan")
	rows = get[[]string](p, nativeRows)
	for i, want := range map[int]string{
		1:  `"approvalPolicy": "on-request", ← t3code.yaml:52auto: {approvalPolicy: on-request, sandbox: workspace-write, approvalsReviewer: auto_review}`,
		11: `"collaborationMode": {"mode":"plan"}, ← the dialect's own value for this cell`,
	} {
		if len(rows) <= i || rows[i] != want {
			t.Errorf("row %d of %q should be %q", i, rows, want)
		}
	}
	gap := get[string](p, `document.querySelector("#gaps").parentElement.querySelectorAll("tbody tr")[1].innerText.replace(/\s+/g, " ")`)
	for _, part := range []string{"wider", "file-change", "deny", "t3code.yaml:42", "codex.file-change.plan-edits-deny", "yes: Plan is an instruction to the model"} {
		if !strings.Contains(gap, part) {
			t.Errorf("the gap %q doesn't say %q", gap, part)
		}
	}
	// A place leads to its line.
	p.run(`document.querySelector("table.native a.place").click()`)
	p.heading("Policy t3code")
	if got := get[string](p, `document.querySelector(".line.chosen code").textContent.trim()`); !strings.HasPrefix(got, "auto: {approvalPolicy: on-request") {
		t.Errorf("the line is %q", got)
	}
}

// Codex's rules are a text of several lines: each rule has the policy line that
// it came from.
func TestRulesInsideOfAText(t *testing.T) {
	p := open(t, folder(t, rulesPolicy))
	p.visit("#/cell/codex/auto/default", "Codex · Auto · Default")
	rows := strings.Join(get[[]string](p, nativeRows), "\n")
	for _, want := range []string{
		`prefix_rule(pattern=["git","push","--force"], decision="forbidden"`,
		`← …/policy.yaml:5- {id: no-force-push, kind: command,`,
		`← …/policy.yaml:6- {id: no-rm, kind: command,`,
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q isn't in\n%s", want, rows)
		}
	}
	p.until(`document.querySelector(".checked").textContent.endsWith("agrees.")`)
}

const rulesPolicy = `apiVersion: modegate/v1
name: acme
extends: builtin/t3code
rules:
  - {id: no-force-push, kind: command, match: "git push --force *", effect: deny, providers: [codex]}
  - {id: no-rm, kind: command, match: "rm *", effect: deny, providers: [codex]}
acknowledge:
  - {gap: codex.command.no-force-push, reason: "a rewording passes"}
  - {gap: codex.command.no-rm, reason: "a rewording passes"}
`

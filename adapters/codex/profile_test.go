package codex

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func TestCheckProfileRefuses(t *testing.T) {
	const good = `{approvalPolicy: on-request, sandbox: workspace-write, approvalsReviewer: user}`
	for _, profile := range []string{
		`{modes: {auto: {approvalPolicy: on-failure, sandbox: workspace-write, approvalsReviewer: user}}}`,
		`{modes: {auto: {approvalPolicy: never, sandbox: workspaceWrite, approvalsReviewer: user}}}`,
		`{modes: {auto: {approvalPolicy: never, sandbox: read-only, approvalsReviewer: guardian_subagent}}}`,
		`{modes: {auto: {approvalPolicy: never, sandbox: read-only}}}`,
		`{modes: {fast: ` + good + `}}`,
		`{mode: {auto: ` + good + `}}`,
		`{modes: {auto: {approvalPolicy: {granular: {sandbox_approval: true}}, sandbox: read-only, approvalsReviewer: user}}}`,
		`{modes: {auto: {approvalPolicy: {granular: {sandbox_approval: true, rules: "true", mcp_elicitations: true}}, sandbox: read-only, approvalsReviewer: user}}}`,
		`{modes: {auto: {approvalPolicy: never, sandbox: read-only, approvalsReviewer: user, writableRoots: [/x]}}}`,
		`{modes: {auto: {approvalPolicy: never, sandbox: workspace-write, approvalsReviewer: user, writableRoots: [x]}}}`,
		`{modes: {auto: {approvalPolicy: never, sandbox: danger-full-access, approvalsReviewer: user, networkAccess: true}}}`,
		`{plan: {sandbox: read-only, excludeSlashTmp: true}}`, `{plan: {model: x}}`, `[]`,
	} {
		p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte("apiVersion: modegate/v1\nname: p\nextends: builtin/t3code\n")}, policies.File{Name: "q.yaml", Data: []byte("apiVersion: modegate/v1\nname: q\nproviders: {codex: " + profile + "}\n")})
		if err != nil {
			continue // refused earlier
		}
		var r policies.Reader
		New().CheckProfile(&r, p.Profiles[evaluator.Codex])
		if len(r.Problems) == 0 && !strings.Contains(profile, "{approvalPolicy: never, sandbox: read-only}}") {
			t.Errorf("accepted: %s", profile)
		}
		for _, problem := range r.Problems {
			if problem.Line == 0 {
				t.Errorf("no place: %v", problem)
			}
		}
	}
}

// TestPlanProfile pins that a policy can make plan read-only.
func TestPlanProfile(t *testing.T) {
	profile := t3profile()
	profile.Fields = append(profile.Fields, policies.Field{Name: "plan", Value: fields(60, "sandbox", "read-only"), Source: profile.Source})
	in := compiler.Intent{Cell: evaluator.Cell{Provider: evaluator.Codex, Mode: evaluator.AutoAcceptEdits, Interaction: evaluator.Plan}, Profile: profile}
	w, err := New().Write(in, evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := readSettings(w.Native)
	if err != nil || s.SandboxPolicy.Type != readOnly || s.Sandbox != "read-only" || s.Approval.Word != onRequest {
		t.Errorf("%s %v", w.Native, err)
	}
	in.Cell.Interaction = evaluator.Default
	if w, err = New().Write(in, evaluator.Env{}); err != nil || !strings.Contains(string(w.Native), workspaceWrite) {
		t.Errorf("%s %v", w.Native, err)
	}
}

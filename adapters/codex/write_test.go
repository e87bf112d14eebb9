package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// scalar, fields and t3profile build the profile of builtin/t3code as the policy
// reader would, with a line for each mode.
func scalar(text string, line int) *policies.Node {
	return &policies.Node{Kind: policies.Scalar, Text: text, Source: evaluator.Source{File: "t3code.yaml", Line: line, Column: 7}}
}

func fields(line int, pairs ...any) *policies.Node {
	n := &policies.Node{Kind: policies.Mapping, Source: evaluator.Source{File: "t3code.yaml", Line: line, Column: 1}}
	for i := 0; i < len(pairs); i += 2 {
		v, ok := pairs[i+1].(*policies.Node)
		if !ok {
			v = scalar(pairs[i+1].(string), line)
		}
		n.Fields = append(n.Fields, policies.Field{Name: pairs[i].(string), Source: n.Source, Value: v})
	}
	return n
}

func t3profile() *policies.Node {
	mode := func(line int, approval, sandbox, reviewer string) *policies.Node {
		return fields(line, "approvalPolicy", approval, "sandbox", sandbox, "approvalsReviewer", reviewer)
	}
	return fields(1, "modes", fields(2,
		"approval-required", mode(50, "untrusted", "read-only", "user"),
		"auto-accept-edits", mode(51, "on-request", "workspace-write", "user"),
		"auto", mode(52, "on-request", "workspace-write", "auto_review"),
		"full-access", mode(53, "never", "danger-full-access", "user")))
}

// TestWrite holds the mode table of T3 Code's two Codex adapters, typed by hand:
// approvalPolicy, sandbox (thread/start), sandboxPolicy.type (turn/start) and
// approvalsReviewer. Plan changes the collaboration mode alone.
func TestWrite(t *testing.T) {
	const (
		ro = `{"type":"readOnly","networkAccess":false}`
		ww = `{"type":"workspaceWrite","writableRoots":[],"networkAccess":false,"excludeSlashTmp":false,"excludeTmpdirEnvVar":false}`
		fa = `{"type":"dangerFullAccess"}`
	)
	for _, c := range []struct {
		mode                                  evaluator.Mode
		approval, sandbox, policy, reviewedBy string
		line                                  int
	}{
		{evaluator.ApprovalRequired, "untrusted", "read-only", ro, "user", 50},
		{evaluator.AutoAcceptEdits, "on-request", "workspace-write", ww, "user", 51},
		{evaluator.Auto, "on-request", "workspace-write", ww, "auto_review", 52},
		{evaluator.FullAccess, "never", "danger-full-access", fa, "user", 53},
	} {
		for _, interaction := range evaluator.Interactions() {
			cell := evaluator.Cell{Provider: evaluator.Codex, Mode: c.mode, Interaction: interaction}
			w, err := New().Write(compiler.Intent{Cell: cell, Profile: t3profile()}, evaluator.Env{})
			if err != nil {
				t.Fatalf("%s: %v", cell, err)
			}
			want := `{"approvalPolicy":"` + c.approval + `","sandbox":"` + c.sandbox + `","sandboxPolicy":` + c.policy +
				`,"approvalsReviewer":"` + c.reviewedBy + `","collaborationMode":{"mode":"` + string(interaction) + `"},"rules":""}`
			if d := cmp.Diff(want, string(w.Native)); d != "" {
				t.Errorf("%s: %s", cell, d)
			}
			if w.Sources[0].Pointer != "/approvalPolicy" || w.Sources[0].Line != c.line {
				t.Errorf("%s: sources %v", cell, w.Sources)
			}
			if _, err := New().Read(w.Native, compiler.Setting{}); err != nil {
				t.Errorf("%s: read back: %v", cell, err)
			}
		}
	}
}

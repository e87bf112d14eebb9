package codex

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/evaluator"
)

// report is a fault that people reported, reduced to an input and the right value.
type report struct {
	ID    string
	Input struct {
		Mode, Interaction, Workspace string
		Rules                        []struct {
			Prefix   []string
			Decision string
		}
		Sample  struct{ Resources []string }
		Samples [][2]string
	}
	Expected struct {
		Effect, Outcome string
		Matched         []string
		Effects         map[string]string
	}
}

func reports(t *testing.T) map[string]report {
	t.Helper()
	data, err := os.ReadFile("../../testdata/codex/reports.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []report }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	out := map[string]report{}
	for _, r := range file.Cases {
		out[r.ID] = r
	}
	return out
}

func (r report) rules() string {
	var b strings.Builder
	for _, rule := range r.Input.Rules {
		b.WriteString(`prefix_rule(pattern=["` + strings.Join(rule.Prefix, `", "`) + `"], decision="` + rule.Decision + "\")\n")
	}
	return b.String()
}

func change(path string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.FileChange, Path: path}
}

// TestReportRuleOrder: the strictest rule wins, so that a narrower allow makes no
// exception; both matches are shown.
func TestReportRuleOrder(t *testing.T) {
	r := reports(t)["ORD-07"]
	v := judge(t, withRules(t, evaluator.Env{}, r.rules()), evaluator.Action{Kind: evaluator.Command, Command: r.Input.Sample.Resources[0]})
	var matched []string
	for _, s := range v.Trace {
		if s.Matched {
			var native struct {
				Pattern  []string
				Decision string
			}
			if err := json.Unmarshal(s.Native, &native); err != nil {
				t.Fatal(err)
			}
			matched = append(matched, strings.Join(native.Pattern, " ")+" "+native.Decision)
		}
	}
	if d := cmp.Diff(r.Expected.Matched, matched); d != "" || v.Effect.String() != r.Expected.Effect {
		t.Errorf("%s: %s %s", v.Effect, v.Reason, d)
	}
}

// TestReportPlan: plan is only an instruction, and the verdict says so.
func TestReportPlan(t *testing.T) {
	r := reports(t)["PL-07"]
	v := judge(t, cell(t, evaluator.Mode(r.Input.Mode), evaluator.Interaction(r.Input.Interaction), evaluator.Env{Workspace: "/work/app"}), change(r.Input.Sample.Resources[0]))
	if v.Effect != evaluator.Allow || v.Enforcer != evaluator.EnforcedByInstruction {
		t.Errorf("%s, enforced by %s", v.Effect, v.Enforcer)
	}
}

// TestReportOutside: a patch outside of the writable roots asks.
func TestReportOutside(t *testing.T) {
	r := reports(t)["MO-17"]
	v := judge(t, cell(t, evaluator.Mode(r.Input.Mode), evaluator.Default, evaluator.Env{Workspace: r.Input.Workspace}), change(r.Input.Sample.Resources[0]))
	if v.Effect.String() != r.Expected.Effect {
		t.Errorf("%s: %s", v.Effect, v.Reason)
	}
}

// TestReportProtected: some folders of the workspace stay read-only.
func TestReportProtected(t *testing.T) {
	r := reports(t)["MO-18"]
	m := cell(t, evaluator.Mode(r.Input.Mode), evaluator.Default, evaluator.Env{Workspace: r.Input.Workspace})
	got := map[string]string{}
	for _, s := range r.Input.Samples {
		got[s[1]] = judge(t, m, change(s[1])).Effect.String()
	}
	if d := cmp.Diff(r.Expected.Effects, got); d != "" {
		t.Error(d)
	}
}

// TestReportExplained: when the mode overrides a rule, the answer has both.
func TestReportExplained(t *testing.T) {
	r := reports(t)["EX-02"]
	m := withRules(t, evaluator.Env{}, r.rules(), `"on-request"`, `"never"`, `"sandbox":"workspace-write"`, `"sandbox":"danger-full-access"`,
		`{"type":"workspaceWrite","writableRoots":[],"networkAccess":false,"excludeSlashTmp":false,"excludeTmpdirEnvVar":false}`, `{"type":"dangerFullAccess"}`)
	v := judge(t, m, evaluator.Action{Kind: evaluator.Command, Command: r.Input.Sample.Resources[0]})
	if v.Effect != evaluator.Deny || v.Rule == nil || !strings.Contains(v.Reason, "git: prompt") || !strings.Contains(v.Reason, "approvalPolicy never") {
		t.Errorf("%s by %+v: %s", v.Effect, v.Rule, v.Reason)
	}
}

package claude

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// TestReports holds publicly reported faults.
func TestReports(t *testing.T) {
	data, err := os.ReadFile("../../testdata/claude/reports.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		About string `json:"about"`
		Cases []struct {
			ID          string         `json:"id"`
			Source      string         `json:"source"`
			Fault       string         `json:"fault"`
			Mode        *Mode          `json:"mode"`
			Turn        *Mode          `json:"turn"`
			Workspace   string         `json:"workspace"`
			Permissions Permissions    `json:"permissions"`
			Facts       jsontext.Value `json:"facts"`
			Error       string         `json:"error"`
			Calls       []struct {
				Tool   string            `json:"tool"`
				Input  jsontext.Value    `json:"input"`
				Effect evaluator.Effect  `json:"effect"`
				Native *evaluator.Effect `json:"native"`
				Rule   string            `json:"rule"`
			} `json:"calls"`
		} `json:"cases"`
	}
	if err := strictjson.Decode(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		native, err := strictjson.Encode(Native{
			PermissionMode: c.Mode, TurnPermissionMode: c.Turn, Permissions: c.Permissions,
			Callback: Callback{AskUserQuestion: answerQuestion, ExitPlanMode: answerPlan, Default: answerAsk},
		})
		if err != nil {
			t.Fatal(err)
		}
		m, err := New().Read(native, compiler.Setting{Env: evaluator.Env{Workspace: c.Workspace, Facts: c.Facts}})
		if c.Error != "" {
			if err == nil || !strings.Contains(err.Error(), c.Error) {
				t.Errorf("%s: error %v, want one about %q", c.ID, err, c.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		for _, call := range c.Calls {
			v := judge(t, m, call.Tool, string(call.Input))
			if v.Effect != call.Effect || call.Native != nil && v.Native.Effect != *call.Native {
				t.Errorf("%s (%s): %s %s: %s, want %s: %s", c.ID, c.Source, call.Tool, call.Input, v.Effect, call.Effect, v.Reason)
			}
			if call.Rule != "" && (v.Rule == nil || string(v.Rule.Native) != `"`+call.Rule+`"`) {
				t.Errorf("%s (%s): decided by %+v, want %s", c.ID, c.Source, v.Rule, call.Rule)
			}
		}
	}
}

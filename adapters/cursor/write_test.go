package cursor_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/cursor"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func write(p *policies.Policy, mode evaluator.Mode, i evaluator.Interaction, facts string) (compiler.Written, error) {
	in := compiler.Lower(p, evaluator.Cell{Provider: evaluator.Cursor, Mode: mode, Interaction: i})
	return cursor.New().Write(in, evaluator.Env{Facts: []byte(facts)})
}

// TestDefaultRow is the table of T3 Code's default row, typed by hand.
func TestDefaultRow(t *testing.T) {
	const (
		supervised = `["ask","code","agent","default","chat","implement"]`
		implement  = `["code","agent","default","chat","implement","ask"]`
		plan       = `["plan","architect"]`
	)
	p := policy(t, "")
	for _, c := range []struct {
		mode               evaluator.Mode
		aliases, permitted string
	}{
		{evaluator.ApprovalRequired, supervised, "ask"},
		{evaluator.AutoAcceptEdits, implement, "ask"},
		{evaluator.Auto, implement, "ask"},
		{evaluator.FullAccess, implement, "allow"},
	} {
		for i, aliases := range map[evaluator.Interaction]string{evaluator.Default: c.aliases, evaluator.Plan: plan} {
			w, err := write(p, c.mode, i, "")
			if err != nil {
				t.Fatal(err)
			}
			want := `{"argv":["acp"],"modeAliases":` + aliases + `,"callback":{"permission":"` + c.permitted + `"}}`
			if string(w.Native) != want {
				t.Errorf("%s/%s: %s, want %s", c.mode, i, w.Native, want)
			}
			if len(w.Sources) != 3 || len(w.Assumed) > 0 {
				t.Errorf("%s/%s: sources %v, assumed %v", c.mode, i, w.Sources, w.Assumed)
			}
			for _, s := range w.Sources {
				if s.File == "" || s.Line == 0 {
					t.Errorf("%s/%s: %s has no place", c.mode, i, s.Pointer)
				}
			}
		}
	}
}

// TestPlanRow has values for plan, instead of the mode's.
func TestPlanRow(t *testing.T) {
	p := policy(t, `
providers:
  cursor:
    modes:
      auto: {argv: [--auto-review, acp]}
      full-access: {argv: [--force, acp]}
    plan: {argv: [acp], permission: ask}`)
	for mode, argv := range map[evaluator.Mode]string{evaluator.Auto: `["--auto-review","acp"]`, evaluator.FullAccess: `["--force","acp"]`} {
		for i, want := range map[evaluator.Interaction]string{evaluator.Default: `{"argv":` + argv, evaluator.Plan: `{"argv":["acp"],"modeAliases":["plan","architect"],"callback":{"permission":"ask"}}`} {
			w, err := write(p, mode, i, "")
			if err != nil || !strings.HasPrefix(string(w.Native), want) {
				t.Errorf("%s/%s: %s, %v, want %s", mode, i, w.Native, err, want)
			}
		}
	}
}

// TestReportStartOptions is MO-03 of testdata/reports.json: later Cursor versions start differently by mode, as an
// optional profile; the built-in row sends no option.
func TestReportStartOptions(t *testing.T) {
	p := policy(t, `
providers:
  cursor:
    modes:
      auto: {argv: ["--auto-review", acp]}
      full-access: {argv: ["--force", acp]}`)
	for mode, argv := range map[evaluator.Mode]string{
		evaluator.ApprovalRequired: `["acp"]`, evaluator.AutoAcceptEdits: `["acp"]`,
		evaluator.Auto: `["--auto-review","acp"]`, evaluator.FullAccess: `["--force","acp"]`,
	} {
		w, err := write(p, mode, evaluator.Default, "")
		if err != nil || !strings.HasPrefix(string(w.Native), `{"argv":`+argv+`,`) {
			t.Errorf("%s: %s, %v", mode, w.Native, err)
		}
	}
}

// TestReportNoMatchingMode: the permissive mode isn't picked for want of a
// matching one; the session isn't started.
func TestReportNoMatchingMode(t *testing.T) {
	p := policy(t, "")
	const yolo = `{"modes":[{"id":"yolo"}]}`
	for _, c := range []struct {
		mode  evaluator.Mode
		plan  evaluator.Interaction
		fails bool
	}{
		{evaluator.ApprovalRequired, evaluator.Default, true},
		{evaluator.Auto, evaluator.Plan, true},
		{evaluator.FullAccess, evaluator.Plan, true},
		{evaluator.FullAccess, evaluator.Default, false},
	} {
		_, err := write(p, c.mode, c.plan, yolo)
		if (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), "nothing would enforce it") {
			t.Errorf("%s/%s: %v", c.mode, c.plan, err)
		}
	}
}

func TestNoProfile(t *testing.T) {
	p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte("apiVersion: modegate/v1\nname: bare\n")})
	if err != nil {
		t.Fatal(err)
	}
	w, err := write(p, evaluator.FullAccess, evaluator.Default, "")
	if err != nil || string(w.Native) != `{"argv":["acp"],"modeAliases":[],"callback":{"permission":"ask"}}` || len(w.Assumed) != 3 {
		t.Errorf("%s, assumed %q, %v", w.Native, w.Assumed, err)
	}
}

func TestProfileIsStrict(t *testing.T) {
	for profile, want := range map[string]string{
		"{alias: {}}":                                            `unknown key "alias"`,
		"{aliases: {edit: [x]}}":                                 `unknown key "edit"`,
		"{aliases: {plan: []}}":                                  "is an empty list",
		"{aliases: {approval: [true]}}":                          "must be a text",
		"{modes: {auto: {prefer: [plan]}}}":                      `unknown prefer "plan"`,
		"{modes: {auto: {prefer: [implement]}}}":                 "has no aliases",
		"{modes: {auto: {permission: never}}}":                   `unknown permission "never"`,
		"{modes: {full: {permission: ask}}}":                     `unknown key "full"`,
		"{argv: acp}":                                            "must be a list",
		"{plan: {prefer: [approval]}}":                           `unknown key "prefer"`,
		"{modes: {auto: {sessionMeta: {}}}, aliases: {plan: x}}": `unknown key "sessionMeta"`,
	} {
		text := "apiVersion: modegate/v1\nname: x\nproviders:\n  cursor: " + profile + "\n"
		p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte(text)})
		if err == nil {
			err = compiler.Validate(p, []compiler.Dialect{cursor.New()})
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p.yaml:4:") {
			t.Errorf("%s: %v, want %q with its place", profile, err, want)
		}
	}
}

func TestReadIsStrict(t *testing.T) {
	good := `{"argv":["acp"],"modeAliases":[],"callback":{"permission":"ask"}}`
	if _, err := cursor.New().Read([]byte(good), compiler.Setting{}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		``, `{}`, `null`, good + "1",
		`{"argv":["acp"],"callback":{"permission":"ask"}}`,
		`{"argv":["acp"],"modeAliases":null,"callback":{"permission":"ask"}}`,
		`{"argv":["acp"],"modeAliases":[],"callback":{"permission":"ask","x":1}}`,
		`{"argv":["acp"],"modeAliases":[],"callback":{"permission":"maybe"}}`,
		`{"argv":["acp"],"modeAliases":[],"modealiases":[],"callback":{"permission":"ask"}}`,
	} {
		if _, err := cursor.New().Read([]byte(bad), compiler.Setting{}); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	for _, facts := range []string{`{"approvalMode":"yolo"}`, `{"approval":1}`, `{"modes":[{"name":"x"}]}`} {
		if _, err := cursor.New().Read([]byte(good), compiler.Setting{Env: evaluator.Env{Facts: []byte(facts)}}); err == nil {
			t.Errorf("facts %s are read", facts)
		}
	}
	if _, err := cursor.New().Read([]byte(good), compiler.Setting{Version: "1"}); err == nil {
		t.Error("version 1 is read")
	}
}

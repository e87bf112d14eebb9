package grok_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// write makes the native settings of one cell.
func write(t testing.TB, p *policies.Policy, mode evaluator.Mode, i evaluator.Interaction) compiler.Written {
	t.Helper()
	w, err := grok.New().Write(compiler.Lower(p, evaluator.Cell{Provider: evaluator.Grok, Mode: mode, Interaction: i}), evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestDefaultRow is the table of T3 Code's default row, typed by hand: no flag,
// no session mode, plan has no effect, and full access only answers differently.
func TestDefaultRow(t *testing.T) {
	const ask = `{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`
	const allow = `{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"allow"}}`
	want := map[evaluator.Mode]string{
		evaluator.ApprovalRequired: ask, evaluator.AutoAcceptEdits: ask, evaluator.Auto: ask, evaluator.FullAccess: allow,
	}
	p := policy(t, "")
	for mode, native := range want {
		for _, i := range evaluator.Interactions() {
			w := write(t, p, mode, i)
			if string(w.Native) != native {
				t.Errorf("%s/%s: %s, want %s", mode, i, w.Native, native)
			}
			pointers := ""
			for _, s := range w.Sources {
				if s.File == "" || s.Line == 0 {
					t.Errorf("%s: %s has no place", mode, s.Pointer)
				}
				pointers += s.Pointer + " "
			}
			if pointers != "/argv /callback/permission " || len(w.Assumed) > 0 {
				t.Errorf("%s: sources %sassumed %v", mode, pointers, w.Assumed)
			}
		}
	}
}

// TestLaterRow is the row of T3 Code's later code, as an optional profile.
func TestLaterRow(t *testing.T) {
	p := policy(t, `
providers:
  grok:
    modes:
      approval-required: {argv: ["--permission-mode", default, agent, stdio]}
      auto: {argv: ["--permission-mode", auto, agent, stdio], sessionMeta: {yoloMode: false}}
      full-access: {argv: [agent, "--always-approve", stdio], permission: ask}`)
	for mode, native := range map[evaluator.Mode]string{
		evaluator.ApprovalRequired: `{"argv":["--permission-mode","default","agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`,
		evaluator.AutoAcceptEdits:  `{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`,
		evaluator.Auto:             `{"argv":["--permission-mode","auto","agent","stdio"],"sessionMeta":{"yoloMode":false},"callback":{"permission":"ask"}}`,
		evaluator.FullAccess:       `{"argv":["agent","--always-approve","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`,
	} {
		if w := write(t, p, mode, evaluator.Default); string(w.Native) != native {
			t.Errorf("%s: %s, want %s", mode, w.Native, native)
		}
	}
}

// TestPlanRow has values for plan, instead of the mode's.
func TestPlanRow(t *testing.T) {
	p := policy(t, `
providers:
  grok:
    sessionMeta: {yoloMode: false}
    modes:
      full-access: {argv: [agent, "--always-approve", stdio], permission: allow}
    plan: {argv: ["--permission-mode", default, agent, stdio], permission: ask}`)
	for i, native := range map[evaluator.Interaction]string{
		evaluator.Default: `{"argv":["agent","--always-approve","stdio"],"sessionMeta":{"yoloMode":false},"callback":{"permission":"allow"}}`,
		evaluator.Plan:    `{"argv":["--permission-mode","default","agent","stdio"],"sessionMeta":{"yoloMode":false},"callback":{"permission":"ask"}}`,
	} {
		if w := write(t, p, evaluator.FullAccess, i); string(w.Native) != native {
			t.Errorf("%s: %s, want %s", i, w.Native, native)
		}
	}
}

// TestNoProfile takes the most cautious values, and says so.
func TestNoProfile(t *testing.T) {
	p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte("apiVersion: modegate/v1\nname: bare\n")})
	if err != nil {
		t.Fatal(err)
	}
	w := write(t, p, evaluator.FullAccess, evaluator.Default)
	if string(w.Native) != `{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}` || len(w.Assumed) != 2 {
		t.Errorf("%s, assumed %q", w.Native, w.Assumed)
	}
}

func TestProfileIsStrict(t *testing.T) {
	for profile, want := range map[string]string{
		"{argvs: [agent]}":                                 `unknown key "argvs"`,
		"{argv: []}":                                       "is an empty list",
		"{argv: [true]}":                                   "must be a text",
		"{argv: agent}":                                    "must be a list",
		"{modes: {yolo: {permission: ask}}}":               `unknown key "yolo"`,
		"{modes: {auto: {permission: deny}}}":              `unknown permission "deny"`,
		"{modes: {auto: {prefer: [ask]}}}":                 `unknown key "prefer"`,
		"{plan: {permission: deny}}":                       `unknown permission "deny"`,
		`{sessionMeta: {yoloMode: "true"}}`:                "use true or false",
		"{sessionMeta: {model: x}}":                        `unknown key "model"`,
		"{modes: {auto: {sessionMeta: {autoMode: yes!}}}}": "use true or false",
	} {
		text := "apiVersion: modegate/v1\nname: x\nproviders:\n  grok: " + profile + "\n"
		p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte(text)})
		if err == nil {
			err = compiler.Validate(p, []compiler.Dialect{grok.New()})
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p.yaml:4:") {
			t.Errorf("%s: %v, want %q with its place", profile, err, want)
		}
	}
}

func TestReadIsStrict(t *testing.T) {
	good := `{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`
	if _, err := grok.New().Read([]byte(good), compiler.Setting{}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		``, `null`, `{}`, `[]`,
		`{"argv":["agent","stdio"],"sessionMeta":{}}`,
		`{"argv":null,"sessionMeta":{},"callback":{"permission":"ask"}}`,
		`{"argv":["agent","stdio"],"callback":{"permission":"ask"}}`,
		`{"argv":["agent","stdio"],"sessionMeta":{},"callback":{}}`,
		`{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"deny"}}`,
		`{"argv":["agent","stdio"],"sessionMeta":{"model":"x"},"callback":{"permission":"ask"}}`,
		`{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"},"mode":"plan"}`,
		good + good,
	} {
		if _, err := grok.New().Read([]byte(bad), compiler.Setting{}); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	for name, s := range map[string]compiler.Setting{
		"version":  {Version: "0.9"},
		"facts":    {Env: evaluator.Env{Facts: []byte(`{"permission_mode":"ask"}`)}},
		"mode":     {Env: evaluator.Env{Facts: []byte(`{"claudeDefaultMode":"yolo"}`)}},
		"layer":    {Env: evaluator.Env{Facts: []byte(`{"rules":[{"layer":"x","effect":"deny","rule":"Bash"}]}`)}},
		"a review": {Env: evaluator.Env{Facts: []byte(`{"rules":[{"layer":"user","effect":"review","rule":"Bash"}]}`)}},
	} {
		if _, err := grok.New().Read([]byte(good), s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

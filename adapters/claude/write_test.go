package claude

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func text(s string) *policies.Node { return &policies.Node{Kind: policies.Scalar, Text: s} }

func mapping(pairs ...any) *policies.Node {
	n := &policies.Node{Kind: policies.Mapping}
	for i := 0; i < len(pairs); i += 2 {
		n.Fields = append(n.Fields, policies.Field{Name: pairs[i].(string), Value: pairs[i+1].(*policies.Node)})
	}
	return n
}

// t3code is the default row of the mode tables, as a policy says it.
var t3code = mapping("modes", mapping(
	"approval-required", mapping("permissionMode", text("blank"), "callback", text("ask")),
	"auto-accept-edits", mapping("permissionMode", text("acceptEdits"), "callback", text("ask")),
	"auto", mapping("permissionMode", text("auto"), "callback", text("ask")),
	"full-access", mapping("permissionMode", text("bypassPermissions"), "callback", text("allow"), "allowDangerouslySkipPermissions", text("true")),
))

// TestWrite compares every byte with the default row, typed by hand.
func TestWrite(t *testing.T) {
	const rules = `"permissions":{"allow":[],"ask":[],"deny":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":`
	for _, c := range []struct {
		mode        evaluator.Mode
		interaction evaluator.Interaction
		want        string
	}{
		{evaluator.ApprovalRequired, evaluator.Default, `{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":"default",` + rules + `"ask"}}`},
		{evaluator.ApprovalRequired, evaluator.Plan, `{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":"plan",` + rules + `"ask"}}`},
		{evaluator.AutoAcceptEdits, evaluator.Default, `{"permissionMode":"acceptEdits","allowDangerouslySkipPermissions":false,"turnPermissionMode":"acceptEdits",` + rules + `"ask"}}`},
		{evaluator.AutoAcceptEdits, evaluator.Plan, `{"permissionMode":"acceptEdits","allowDangerouslySkipPermissions":false,"turnPermissionMode":"plan",` + rules + `"ask"}}`},
		{evaluator.Auto, evaluator.Default, `{"permissionMode":"auto","allowDangerouslySkipPermissions":false,"turnPermissionMode":"auto",` + rules + `"ask"}}`},
		{evaluator.Auto, evaluator.Plan, `{"permissionMode":"auto","allowDangerouslySkipPermissions":false,"turnPermissionMode":"plan",` + rules + `"ask"}}`},
		{evaluator.FullAccess, evaluator.Default, `{"permissionMode":"bypassPermissions","allowDangerouslySkipPermissions":true,"turnPermissionMode":"bypassPermissions",` + rules + `"allow"}}`},
		{evaluator.FullAccess, evaluator.Plan, `{"permissionMode":"bypassPermissions","allowDangerouslySkipPermissions":true,"turnPermissionMode":"plan",` + rules + `"allow"}}`},
	} {
		cell := evaluator.Cell{Provider: evaluator.Claude, Mode: c.mode, Interaction: c.interaction}
		w, err := New().Write(compiler.Intent{Cell: cell, Profile: t3code}, evaluator.Env{})
		if err != nil {
			t.Fatalf("%s: %v", cell, err)
		}
		if d := cmp.Diff(c.want, string(w.Native)); d != "" {
			t.Errorf("%s: %s", cell, d)
		}
		if _, err := New().Read(w.Native, compiler.Setting{}); err != nil {
			t.Errorf("%s: can't be read back: %v", cell, err)
		}
	}
}

// TestWriteInsists: what is asked of a whole kind becomes an ask rule where the
// profile says so, and a rule of the callback, and so does a review where there is
// no classifier; and plan has values of its own.
func TestWriteInsists(t *testing.T) {
	insisting := mapping(
		"modes", mapping("full-access", mapping("permissionMode", text("bypassPermissions"), "callback", text("allow"), "allowDangerouslySkipPermissions", text("true"))),
		"plan", mapping("permissionMode", text("default"), "callback", text("ask"), "insist", text("true")),
	)
	rule := func(kind evaluator.Kind, e evaluator.Effect, s compiler.Section) compiler.Rule {
		return compiler.Rule{Rule: policies.Rule{ID: string(kind), Kind: kind, Match: compiler.Everything, Effect: e}, Section: s}
	}
	rules := []compiler.Rule{
		rule(evaluator.AnyKind, evaluator.Allow, compiler.ModeRules),
		rule(evaluator.Command, evaluator.Ask, compiler.InteractionRules),
		rule(evaluator.FileChange, evaluator.Deny, compiler.InteractionRules),
		rule(evaluator.WebFetch, evaluator.Review, compiler.InteractionRules),
	}
	for interaction, want := range map[evaluator.Interaction]string{
		evaluator.Default: `{"permissionMode":"bypassPermissions","allowDangerouslySkipPermissions":true,"turnPermissionMode":"bypassPermissions","permissions":{"allow":[],"ask":[],"deny":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"allow"}}`,
		evaluator.Plan:    `{"permissionMode":"default","allowDangerouslySkipPermissions":false,"turnPermissionMode":"plan","permissions":{"allow":[],"ask":["Bash","WebFetch"],"deny":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"ask","rules":[{"kind":"any","match":"*","effect":"allow"},{"kind":"command","match":"*","effect":"ask"},{"kind":"file-change","match":"*","effect":"deny"},{"kind":"web-fetch","match":"*","effect":"ask"}]}}`,
	} {
		cell := evaluator.Cell{Provider: evaluator.Claude, Mode: evaluator.FullAccess, Interaction: interaction}
		w, err := New().Write(compiler.Intent{Cell: cell, Profile: insisting, Rules: rules}, evaluator.Env{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(w.Native)); d != "" {
			t.Errorf("%s: %s", cell, d)
		}
	}
}

func TestProfileIsStrict(t *testing.T) {
	for name, n := range map[string]*policies.Node{
		"unknown key":      mapping("mode", mapping()),
		"unknown mode":     mapping("modes", mapping("yolo", mapping())),
		"unknown word":     mapping("modes", mapping("auto", mapping("permissionMode", text("yes"), "callback", text("ask")))),
		"no callback":      mapping("modes", mapping("auto", mapping("permissionMode", text("auto")))),
		"deny as callback": mapping("modes", mapping("auto", mapping("permissionMode", text("auto"), "callback", text("deny")))),
		"bypass unasked":   mapping("modes", mapping("auto", mapping("permissionMode", text("bypassPermissions"), "callback", text("ask")))),
		"blank plan":       mapping("plan", mapping("callback", text("ask"))),
		"odd insistence":   mapping("modes", mapping("auto", mapping("permissionMode", text("auto"), "callback", text("ask"), "insist", text("yes")))),
		"not a mapping":    text("x"),
	} {
		r := &policies.Reader{}
		New().CheckProfile(r, n)
		if r.Problems.Err() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	r := &policies.Reader{}
	if New().CheckProfile(r, t3code); r.Problems.Err() != nil {
		t.Error(r.Problems.Err())
	}
}

func TestReadIsStrict(t *testing.T) {
	const good = `{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":null,"permissions":{"allow":[],"ask":[],"deny":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"ask"}}`
	if _, err := New().Read([]byte(good), compiler.Setting{}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		``, `[]`, `null`, `{}`, good + `{}`,
		`{"permissionMode":"yolo"` + good[len(`{"permissionMode":null`):],
		`{"extra":1,` + good[1:],
		`{"permissions":{"allow":[]},` + good[1:],
		`{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":null,"permissions":{"allow":[],"ask":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"ask"}}`,
		`{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":null,"permissions":{"allow":[],"ask":[],"deny":[]},"callback":{"AskUserQuestion":"allow","ExitPlanMode":"capture-plan-then-deny","default":"ask"}}`,
	} {
		if _, err := New().Read([]byte(bad), compiler.Setting{}); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
	if _, err := New().Read([]byte(good), compiler.Setting{Version: "2.0.0"}); err == nil {
		t.Error("an unknown version was accepted")
	}
}

package grok_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/evaluator"
)

// These are faults that people reported in public about agents' permissions, each
// as the question that a reviewer would ask of Grok.

// A project's rules, deny included, are skipped while the folder isn't trusted.
func TestReportInertRule(t *testing.T) {
	const rules = `"rules":[{"layer":"project","effect":"deny","rule":"Bash(rm -rf *)"}]`
	for trusted, want := range map[string]evaluator.Effect{"true": evaluator.Deny, "false": evaluator.Allow} {
		v := evaluate(t, always, `{"trusted":`+trusted+`,`+rules+`}`, command("rm -rf build"))
		if v.Effect != want {
			t.Errorf("trusted %s: %s, want %s", trusted, v.Effect, want)
		}
		if trusted == "true" {
			continue
		}
		if v.Enforcer != evaluator.EnforcedByNobody || !strings.Contains(v.Reason, "not enforced until the folder is trusted") {
			t.Errorf("untrusted: held by %s: %s", v.Enforcer, v.Reason)
		}
		if s := v.Trace[0]; s.Layer != "project" || s.Matched || !strings.Contains(s.Reason, "not enforced until") {
			t.Errorf("untrusted: trace %+v", s)
		}
	}
}

// Rules in the arguments aren't applied over agent stdio either.
func TestReportArgumentsAreIgnored(t *testing.T) {
	deny := `{"argv":["--deny","Bash(ls)","agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`
	v := evaluate(t, deny, "", command("ls"))
	if v.Effect != evaluator.Allow || v.Enforcer != evaluator.EnforcedByNobody || !strings.Contains(v.Reason, "--deny") {
		t.Errorf("--deny: %s, held by %s: %s", v.Effect, v.Enforcer, v.Reason)
	}
	for _, flag := range []string{"acceptEdits", "dontAsk", "plan"} {
		native := strings.Replace(flagged, "default", flag, 1)
		v := evaluate(t, native, "", change("a.go"))
		if v.Effect != evaluator.Ask || !strings.Contains(v.Reason, flag) {
			t.Errorf("%s: %s: %s", flag, v.Effect, v.Reason)
		}
	}
	before := `{"argv":["--always-approve","agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`
	if v := evaluate(t, before, "", change("a.go")); v.Effect != evaluator.Ask {
		t.Errorf("--always-approve before agent: %s", v.Effect)
	}
}

// The user's own always-approve wins over Supervised, unless a flag takes it back;
// the user's bypass in Claude's settings wins over the flag too.
func TestReportModeMapping(t *testing.T) {
	for _, c := range []struct {
		native, facts string
		effect        evaluator.Effect
		enforcer      evaluator.Enforcer
	}{
		{supervised, `{"permissionMode":"always-approve"}`, evaluator.Allow, evaluator.EnforcedByNobody},
		{flagged, `{"permissionMode":"always-approve"}`, evaluator.Ask, evaluator.EnforcedByAdapter},
		{supervised, `{"claudeDefaultMode":"bypassPermissions"}`, evaluator.Allow, evaluator.EnforcedByNobody},
		{flagged, `{"claudeDefaultMode":"bypassPermissions"}`, evaluator.Allow, evaluator.EnforcedByNobody},
		{always, `{"alwaysApproveLocked":true}`, evaluator.Ask, evaluator.EnforcedByAdapter},
	} {
		v := evaluate(t, c.native, c.facts, command("mytool run"))
		if v.Effect != c.effect || v.Enforcer != c.enforcer {
			t.Errorf("%s with %s: %s, held by %s; want %s, %s (%s)", c.native, c.facts, v.Effect, v.Enforcer, c.effect, c.enforcer, v.Reason)
		}
		if c.enforcer == evaluator.EnforcedByNobody && !strings.Contains(v.Reason, "isn't enforced") {
			t.Errorf("%s with %s: the reason doesn't say it: %s", c.native, c.facts, v.Reason)
		}
	}
}

// A rule's effect decides, not its place: deny, then ask, then allow.
func TestReportRuleOrder(t *testing.T) {
	const facts = `{"trusted":true,"rules":[
		{"layer":"user","effect":"allow","rule":"Bash(*)"},
		{"layer":"claude-project","effect":"ask","rule":"Bash(git *)"},
		{"layer":"project","effect":"deny","rule":"Bash(git push *)"}]}`
	for text, want := range map[string]struct {
		effect evaluator.Effect
		layer  string
	}{
		"mytool x":          {evaluator.Allow, "user"},
		"git fetch":         {evaluator.Ask, "claude-project"},
		"git push origin x": {evaluator.Deny, "project"},
	} {
		v := evaluate(t, supervised, facts, command(text))
		if v.Effect != want.effect || v.Rule == nil || v.Rule.Layer != want.layer {
			t.Errorf("%s: %s by %+v, want %s by %s", text, v.Effect, v.Rule, want.effect, want.layer)
		}
		decided := 0
		for _, s := range v.Trace {
			if s.Decided {
				decided++
			}
		}
		if len(v.Trace) < 3 || decided != 1 {
			t.Errorf("%s: %d steps, %d decided", text, len(v.Trace), decided)
		}
	}
}

// An allow for one command doesn't cover what is chained to it, an allow prefix
// ends at a word, and what can't be read is never looser.
func TestReportShellComposition(t *testing.T) {
	const facts = `{"rules":[{"layer":"user","effect":"allow","rule":"Bash(cargo:*)"},{"layer":"user","effect":"deny","rule":"Bash(aws *)"}]}`
	for text, want := range map[string]evaluator.Effect{
		"cargo test":                   evaluator.Allow,
		"cargo test && cargo fmt":      evaluator.Allow,
		"cargo test && mytool":         evaluator.Ask,
		"cargo test\nmytool":           evaluator.Ask,
		"cargo test | sh":              evaluator.Ask,
		"cargo test > out":             evaluator.Ask,
		"cargo $(mytool)":              evaluator.Ask,
		"cargofake":                    evaluator.Ask,
		"cargo \"unclosed":             evaluator.Ask,
		"AWS_PROFILE=p aws s3 rm x":    evaluator.Deny,
		"bash -c \"aws s3 rm x\"":      evaluator.Deny,
		"cargo test && (aws s3 rm x)":  evaluator.Deny,
		"echo `aws s3 ls`":             evaluator.Deny,
		"timeout 5 env A=1 aws s3 ls":  evaluator.Deny,
		"sudo aws s3 rm x":             evaluator.Ask, // a deny that doesn't see it
		"/usr/local/bin/aws s3 rm x":   evaluator.Ask,
		"cd tofu && tofu apply -auto ": evaluator.Ask,
	} {
		if v := evaluate(t, supervised, facts, command(text)); v.Effect != want {
			t.Errorf("%s: %s, want %s (%s)", text, v.Effect, want, v.Reason)
		}
	}
}

// Path patterns: no anchors, a star stays in its folder, ".." is taken out first.
func TestReportPathForm(t *testing.T) {
	const facts = `{"rules":[
		{"layer":"user","effect":"deny","rule":"Edit(src/*)"},
		{"layer":"user","effect":"deny","rule":"Edit(**/.env)"},
		{"layer":"user","effect":"deny","rule":"Edit(~/x)"},
		{"layer":"user","effect":"deny","rule":"Edit(app/[id]/page.tsx)"}]}`
	for path, want := range map[string]evaluator.Effect{
		"src/a.go":           evaluator.Deny,
		"src/b/a.go":         evaluator.Ask,
		"docs/../src/a.go":   evaluator.Deny,
		"/w/src/a.go":        evaluator.Deny,
		"/other/src/a.go":    evaluator.Ask,
		"a/b/.env":           evaluator.Deny,
		"/other/.env":        evaluator.Deny,
		"/h/x":               evaluator.Ask,
		"app/i/page.tsx":     evaluator.Deny, // brackets are a class
		"app/[id]/page.tsx":  evaluator.Ask,
		"app/xx/page.tsx":    evaluator.Ask,
		"../w/src/generated": evaluator.Deny,
	} {
		if v := evaluate(t, supervised, facts, change(path)); v.Effect != want {
			t.Errorf("%s: %s, want %s (%s)", path, v.Effect, want, v.Reason)
		}
	}
}

// A rule on reading also holds for the shell that reads, and a rule on editing for
// the shell that writes; a rule on the shell holds for no other tool.
func TestReportOneRuleOtherTools(t *testing.T) {
	const facts = `{"rules":[{"layer":"user","effect":"deny","rule":"Read(**/.env)"},{"layer":"user","effect":"deny","rule":"Edit(src/**)"},{"layer":"user","effect":"deny","rule":"Bash(curl *)"}]}`
	for _, c := range []struct {
		action evaluator.Action
		want   evaluator.Effect
	}{
		{evaluator.Action{Kind: evaluator.FileRead, Path: ".env"}, evaluator.Deny},
		{command("cat .env"), evaluator.Deny},
		{command("bash -c 'cat .env'"), evaluator.Deny},
		{command("echo x > src/a.go"), evaluator.Deny},
		{command("cd src && cat a.go"), evaluator.Ask},
		{evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}, evaluator.Ask},
	} {
		if v := evaluate(t, supervised, facts, c.action); v.Effect != c.want {
			t.Errorf("%+v: %s, want %s (%s)", c.action, v.Effect, c.want, v.Reason)
		}
	}
}

// Plan isn't sent to Grok; when the model enters it by itself, the edit tools are
// stopped in every mode and the shell in none.
func TestReportPlanNotEnforced(t *testing.T) {
	for _, mode := range evaluator.Modes() {
		p := policy(t, "")
		if a, b := write(t, p, mode, evaluator.Default), write(t, p, mode, evaluator.Plan); string(a.Native) != string(b.Native) {
			t.Errorf("%s: plan changes the settings: %s", mode, b.Native)
		}
	}
	for _, native := range []string{supervised, anything, always, auto} {
		if v := evaluate(t, native, `{"planMode":true}`, change("a.go")); v.Effect != evaluator.Deny {
			t.Errorf("%s: an edit in plan: %s", native, v.Effect)
		}
	}
	if v := evaluate(t, always, `{"planMode":true}`, command("echo x > a.go")); v.Effect != evaluator.Allow {
		t.Errorf("the shell in plan: %s", v.Effect)
	}
}

// An explanation holds both: the rule that matched and the mode that decided.
func TestReportExplainability(t *testing.T) {
	const facts = `{"permissionMode":"always-approve","rules":[{"layer":"user","effect":"ask","rule":"Edit"}]}`
	v := evaluate(t, supervised, facts, change("a.go"))
	if v.Effect != evaluator.Allow || v.Trace[0].Layer != "user" || !v.Trace[0].Matched || v.Trace[0].Decided {
		t.Errorf("%s, trace %+v", v.Effect, v.Trace)
	}
	last := v.Trace[len(v.Trace)-1]
	if last.Layer != "mode" || !last.Decided || !strings.Contains(v.Reason, "always-approve") {
		t.Errorf("the mode isn't named: %+v: %s", last, v.Reason)
	}
}

package codex

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

const goodNative = `{"approvalPolicy":"on-request","sandbox":"workspace-write","sandboxPolicy":{"type":"workspaceWrite","writableRoots":[],"networkAccess":false,"excludeSlashTmp":false,"excludeTmpdirEnvVar":false},"approvalsReviewer":"user","collaborationMode":{"mode":"default"},"rules":""}`

// read reads goodNative with its parts replaced.
func read(t testing.TB, env evaluator.Env, replace ...string) evaluator.Meaning {
	t.Helper()
	m, err := New().Read([]byte(strings.NewReplacer(replace...).Replace(goodNative)), compiler.Setting{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// withRules reads goodNative with rules.
func withRules(t testing.TB, env evaluator.Env, rules string, replace ...string) evaluator.Meaning {
	t.Helper()
	b, err := strictjson.Encode(rules)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, env, append(replace, `"rules":""`, `"rules":`+string(b))...)
}

func judge(t testing.TB, m evaluator.Meaning, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	v, err := evaluator.Evaluate(m, a, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReadRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{`"approvalPolicy":"on-request",`, ``},
		{`"on-request"`, `"on-failure"`},
		{`"on-request"`, `{"granular":{"sandbox_approval":true,"rules":true}}`},
		{`"on-request"`, `{"granular":{"sandbox_approval":true,"rules":true,"mcp_elicitations":true,"x":true}}`},
		{`"on-request"`, `null`},
		{`"workspace-write"`, `"workspaceWrite"`},
		{`"type":"workspaceWrite"`, `"type":"readOnly"`},
		{`"type":"workspaceWrite"`, `"type":"workspace-write"`},
		{`"writableRoots":[]`, `"writableRoots":["x"]`},
		{`"networkAccess":false`, `"networkAccess":"enabled"`},
		{`"networkAccess"`, `"networkAcess"`},
		{`"approvalsReviewer":"user"`, `"approvalsReviewer":"nobody"`},
		{`"mode":"default"`, `"mode":"code"`},
		{`"rules":""`, `"rules":"","model":"x"`},
		{`"rules":""`, `"rules":null`},
		{`,"rules":""`, ``},
	} {
		bad := strings.Replace(goodNative, c[0], c[1], 1)
		if bad == goodNative {
			t.Fatalf("%s isn't in the settings", c[0])
		}
		if _, err := New().Read([]byte(bad), compiler.Setting{}); err == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
	if _, err := New().Read([]byte(goodNative), compiler.Setting{Version: "0.170.0"}); err == nil {
		t.Error("an unknown version was accepted")
	}
	for _, facts := range []string{`{"model":"x"}`, `{"mcpApproval":{"s":"never"}}`, `{"tmpDir":"tmp"}`, `{"userRules":[{"name":"rules","text":""}]}`} {
		if _, err := New().Read([]byte(goodNative), compiler.Setting{Env: evaluator.Env{Facts: jsontext.Value(facts)}}); err == nil {
			t.Errorf("accepted facts: %s", facts)
		}
	}
}

func TestRequestRefuses(t *testing.T) {
	m := read(t, evaluator.Env{})
	for _, q := range []string{
		`{}`, `{"tool":"exec_command"}`, `{"tool":"exec_command","cmd":"ls","sandbox_permissions":"escalate"}`, `{"tool":"exec_command","command":"ls"}`,
		`{"tool":"exec_command","cmd":"ls","annotations":{}}`, `{"tool":"apply_patch"}`, `{"tool":"mcp:x","cmd":"ls"}`, `[]`,
	} {
		if v, err := evaluator.Evaluate(m, native(q), false); err == nil {
			t.Errorf("%s: %v", q, v.Effect)
		}
	}
}

// TestBrokenRules pins that one broken file drops the rules of all, as Codex does,
// and that the verdict says so.
func TestBrokenRules(t *testing.T) {
	forbid := `prefix_rule(pattern=["ls"], decision="forbidden")`
	if v := judge(t, withRules(t, evaluator.Env{}, forbid), exec("ls")); v.Effect != evaluator.Deny || v.Rule == nil || !strings.Contains(v.Reason, "best effort") {
		t.Errorf("the rule doesn't hold: %+v", v)
	}
	env := evaluator.Env{Facts: jsontext.Value(`{"userRules":[{"name":"a.rules","text":"nonsense("}]}`)}
	v := judge(t, withRules(t, env, forbid), exec("ls"))
	if v.Effect != evaluator.Allow || !strings.Contains(v.Reason, "a.rules:1") {
		t.Errorf("a broken file: %s, %s", v.Effect, v.Reason)
	}
	// A project's file counts only when the project is trusted.
	for trust, want := range map[string]evaluator.Effect{"true": evaluator.Deny, "false": evaluator.Allow} {
		env := evaluator.Env{Facts: jsontext.Value(`{"trustedProject":` + trust + `,"projectRules":[{"name":"p.rules","text":"prefix_rule(pattern=[\"ls\"], decision=\"forbidden\")"}]}`)}
		if v := judge(t, read(t, env), exec("ls")); v.Effect != want {
			t.Errorf("trusted %s: %s", trust, v.Effect)
		}
	}
	if v := judge(t, withRules(t, evaluator.Env{}, `prefix_rule(pattern=[f"ls"])`), exec("ls")); v.Effect != evaluator.Unknown {
		t.Errorf("rules that can't be read here: %s", v.Effect)
	}
}

// TestWriteRules pins the rules of a policy, their sources, and what they mean. A
// prefix has no end, so that an allow of one command alone isn't written.
func TestWriteRules(t *testing.T) {
	p, err := policies.Parse(policies.File{Name: "p.yaml", Data: []byte(`apiVersion: modegate/v1
name: p
extends: builtin/t3code
rules:
  - {id: push, kind: command, match: "git push *", effect: ask}
  - {id: force, kind: command, match: "git push --force *", effect: deny}
  - {id: test, kind: command, match: "npm test *", effect: allow}
  - {id: exactly, kind: command, match: "npm run lint", effect: allow}
`)})
	if err != nil {
		t.Fatal(err)
	}
	in := compiler.Lower(p, evaluator.Cell{Provider: evaluator.Codex, Mode: evaluator.AutoAcceptEdits, Interaction: evaluator.Default})
	w, err := New().Write(in, evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := readSettings(w.Native)
	if err != nil {
		t.Fatal(err)
	}
	const want = `prefix_rule(pattern=["git","push"], decision="prompt", justification="policy rule push", match=[["git","push"],["git","push","x"]], not_match=[["git","push-x"]])
prefix_rule(pattern=["git","push","--force"], decision="forbidden", justification="policy rule force", match=[["git","push","--force"],["git","push","--force","x"]], not_match=[["git","push","--force-x"]])
prefix_rule(pattern=["npm","test"], decision="allow", justification="policy rule test", match=[["npm","test"],["npm","test","x"]], not_match=[["npm","test-x"]])
`
	if s.Rules != want {
		t.Errorf("rules:\n%s", s.Rules)
	}
	m, err := New().Read(w.Native, compiler.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	for cmd, c := range map[string]struct {
		effect evaluator.Effect
		index  int
		line   int
	}{
		"git push origin":           {evaluator.Ask, 0, 5},
		"git push --force origin":   {evaluator.Deny, 1, 6},
		"npm test":                  {evaluator.Allow, 2, 7},
		"cd x && git push --force":  {evaluator.Deny, 1, 6},
		"npm test; git push origin": {evaluator.Ask, 0, 5},
	} {
		v := judge(t, m, evaluator.Action{Kind: evaluator.Command, Command: cmd})
		if v.Effect != c.effect || v.Rule == nil || v.Rule.Index != c.index {
			t.Errorf("%s: %s by %+v", cmd, v.Effect, v.Rule)
			continue
		}
		found := false
		for _, src := range w.Sources {
			found = found || src.Pointer == v.Rule.Pointer && src.Line == c.line
		}
		if !found {
			t.Errorf("%s: no source for %s among %v", cmd, v.Rule.Pointer, w.Sources)
		}
	}
	if v := judge(t, m, evaluator.Action{Kind: evaluator.Command, Command: "npm run lint --fix"}); v.Rule != nil {
		t.Errorf("npm run lint --fix: %s by %+v", v.Effect, v.Rule)
	}
	wider := false
	for _, g := range w.Gaps() {
		wider = wider || g.ID == "codex.command.force" && g.Direction == evaluator.Wider
	}
	if !wider {
		t.Error("that a rewording walks around the deny isn't declared")
	}
}

// TestConfinementOfChanges pins what a change of a file comes to where the
// sandbox decides.
func TestConfinementOfChanges(t *testing.T) {
	env := evaluator.Env{Workspace: "/work/app", Resolved: map[string]string{"vendor": "/outside"}}
	change := func(p string) evaluator.Action { return evaluator.Action{Kind: evaluator.FileChange, Path: p} }
	onRequest := read(t, env)
	never := read(t, env, `"on-request"`, `"never"`)
	askAll := `{"granular":{"sandbox_approval":true,"rules":true,"mcp_elicitations":true}}`
	for _, c := range []struct {
		m    evaluator.Meaning
		path string
		want evaluator.Effect
	}{
		{onRequest, "src/a.go", evaluator.Allow}, {onRequest, "/work/app/../app/a", evaluator.Allow}, {onRequest, "../b", evaluator.Ask}, {onRequest, "/tmp/x", evaluator.Allow},
		{onRequest, ".aws/c", evaluator.Ask}, {onRequest, "sub/.git/c", evaluator.Allow}, {onRequest, ".github/c", evaluator.Allow}, {onRequest, "vendor/a", evaluator.Ask},
		{never, "src/a.go", evaluator.Allow}, {never, "../b", evaluator.Deny}, {never, ".git/c", evaluator.Deny}, {never, "vendor/a", evaluator.Deny},
		{read(t, env, `"writableRoots":[]`, `"writableRoots":["/data"]`), "/data/x", evaluator.Allow},
		{read(t, env, `"writableRoots":[]`, `"writableRoots":["/data"]`), "/data/.git/x", evaluator.Ask},
		{read(t, env, `"excludeSlashTmp":false`, `"excludeSlashTmp":true`), "/tmp/x", evaluator.Ask},
		{read(t, env, `"on-request"`, askAll), "../b", evaluator.Ask},
	} {
		if v := judge(t, c.m, change(c.path)); v.Effect != c.want {
			t.Errorf("%s: %s (%s), want %s", c.path, v.Effect, v.Reason, c.want)
		}
	}
	if v := judge(t, never, change("../b")); v.Visible == nil || *v.Visible {
		t.Error("a silent rejection isn't marked as invisible")
	}
	fetch := evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}
	if v := judge(t, onRequest, fetch); v.Effect != evaluator.Ask || v.Then == nil || v.Then.Runs != runsUnsandboxed {
		t.Errorf("fetch: %s %v", v.Effect, v.Then)
	}
	if v := judge(t, never, fetch); v.Effect != evaluator.Deny {
		t.Errorf("fetch under never: %s", v.Effect)
	}
	if v := judge(t, read(t, env, `"networkAccess":false`, `"networkAccess":true`), fetch); v.Effect != evaluator.Allow || v.Confinement != evaluator.WorkspaceWrite {
		t.Errorf("fetch with network: %s %s", v.Effect, v.Confinement)
	}
}

// TestUnreadable pins that a script which only Codex's parser may read isn't
// guessed at.
func TestUnreadable(t *testing.T) {
	if v := judge(t, read(t, evaluator.Env{}), exec("rm -rf 'x")); v.Effect != evaluator.Unknown {
		t.Errorf("%s: %s", v.Effect, v.Reason)
	}
	if v := judge(t, read(t, evaluator.Env{}, `"on-request"`, `"untrusted"`), exec("rm -rf 'x")); v.Effect != evaluator.Ask {
		t.Errorf("untrusted: %s", v.Effect)
	}
}

// TestDiffers pins what older versions answered.
func TestDiffers(t *testing.T) {
	env := evaluator.Env{Workspace: "/srv/ws"}
	for _, c := range []struct {
		mode    evaluator.Mode
		action  evaluator.Action
		version string
		effect  evaluator.Effect
	}{
		{evaluator.FullAccess, exec("rm -rf x"), "0.142.5", evaluator.Allow},
		{evaluator.ApprovalRequired, exec("ls && git status"), "0.148.0", evaluator.Allow},
		{evaluator.ApprovalRequired, escalate("ls"), "0.149.1", evaluator.Deny},
		{evaluator.ApprovalRequired, exec("touch x"), "", 0},
		{evaluator.AutoAcceptEdits, exec("rm -rf x"), "", 0},
	} {
		v := judge(t, cell(t, c.mode, evaluator.Default, env), c.action)
		if c.version == "" && v.Differs != nil || c.version != "" && (len(v.Differs) != 1 || v.Differs[0].Version != c.version || v.Differs[0].Effect != c.effect) {
			t.Errorf("%s: %+v", c.mode, v.Differs)
		}
	}
}

// TestParts pins the requests that an Action becomes, in Codex's own form.
func TestParts(t *testing.T) {
	v := judge(t, read(t, evaluator.Env{}), evaluator.Action{Kind: evaluator.FileChange, Path: "a b", To: "c"})
	var got []string
	for _, p := range v.Parts {
		got = append(got, string(p.Request))
	}
	want := []string{
		`{"tool":"apply_patch","input":"*** Begin Patch\n*** Update File: a b\n*** Move to: c\n@@\n-…\n+…\n*** End Patch"}`,
		`{"tool":"exec_command","cmd":"cat < 'a b' > c && unlink 'a b'"}`,
		`{"tool":"exec_command","cmd":"cat < 'a b' > c && unlink 'a b'","sandbox_permissions":"require_escalated"}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, p := range v.Parts {
		if _, err := evaluator.Evaluate(read(t, evaluator.Env{}), evaluator.Action{Kind: evaluator.Native, Request: p.Request}, false); err != nil {
			t.Errorf("%s: %v", p.Request, err)
		}
	}
}

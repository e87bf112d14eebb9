package adapters_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// settingsIn reads settings files as people give them: each a layer, a name and a
// text.
func settingsIn(t *testing.T, p evaluator.Provider, env evaluator.Env, files ...[3]string) (evaluator.Meaning, error) {
	t.Helper()
	d, _ := adapters.Find(p)
	reader, ok := d.(compiler.SettingsReader)
	if !ok {
		t.Fatalf("%s reads no settings files", p)
	}
	if env.Workspace == "" {
		env.Workspace, env.Home = "/work/app", "/home/u"
	}
	var list []compiler.SettingsFile
	for _, f := range files {
		list = append(list, compiler.SettingsFile{Layer: f[0], Name: f[1], Path: "/work/app/" + f[1], Text: []byte(f[2])})
	}
	m, _, err := compiler.ReadSettings(reader, list, evaluator.Default, compiler.Setting{Env: env})
	return m, err
}

func verdictIn(t *testing.T, m evaluator.Meaning, err error, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, a, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// rulePlace is the place of the deciding rule.
func rulePlace(v evaluator.Verdict) string {
	if v.Rule == nil || v.Rule.Source == nil {
		return ""
	}
	return diag.Problem{File: v.Rule.Source.File, Line: v.Rule.Source.Line, Column: v.Rule.Source.Column}.Place()
}

func shellCommand(text string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.Command, Command: text}
}

// TestReportedLayersOfFiles is LY-01: the layer that is loaded later is later, and
// the answer names its file; on Claude no layer's allow beats another's ask.
func TestReportedLayersOfFiles(t *testing.T) {
	list := func(effect string) string {
		return fmt.Sprintf(`{"permissions":[{"action":"shell","resource":"*","effect":%q}]}`, effect)
	}
	object := func(effect string) string { return fmt.Sprintf(`{"permission":{"bash":%q}}`, effect) }
	claude := func(effect string) string { return fmt.Sprintf(`{"permissions":{%q:["Bash(mytool *)"]}}`, effect) }
	for _, c := range []struct {
		provider      evaluator.Provider
		under, over   string
		text          func(string) string
		first, second string // effects of the two layers
		want          evaluator.Effect
		decides       string
	}{
		{evaluator.OpenCode2, "global", "project", list, "ask", "allow", evaluator.Allow, "over.json"},
		{evaluator.OpenCode2, "global", "project", list, "allow", "ask", evaluator.Ask, "over.json"},
		{evaluator.OpenCode, "global", "project", object, "ask", "allow", evaluator.Allow, "over.json"},
		{evaluator.OpenCode, "project", "folder", object, "allow", "ask", evaluator.Ask, "over.json"},
		{evaluator.Claude, "user", "local", claude, "ask", "allow", evaluator.Ask, "under.json"},
		{evaluator.Claude, "user", "project", claude, "allow", "deny", evaluator.Deny, "over.json"},
	} {
		// The order of the command line doesn't count: layers are what they are.
		for _, files := range [][][3]string{
			{{c.under, "under.json", c.text(c.first)}, {c.over, "over.json", c.text(c.second)}},
			{{c.over, "over.json", c.text(c.second)}, {c.under, "under.json", c.text(c.first)}},
		} {
			m, err := settingsIn(t, c.provider, evaluator.Env{}, files...)
			v := verdictIn(t, m, err, shellCommand("mytool x"))
			if v.Effect != c.want || !strings.HasPrefix(rulePlace(v), c.decides) {
				t.Errorf("%s, %s %s under %s %s: %s at %q, want %s at %s", c.provider, c.under, c.first, c.over, c.second, v.Effect, rulePlace(v), c.want, c.decides)
			}
		}
	}
}

// TestReportedOrderOfObjects is LY-05: names that are whole numbers come first,
// whatever the file's order; in a list nothing moves.
func TestReportedOrderOfObjects(t *testing.T) {
	r := reports(t)["LY-05"]
	var patterns, rules []string
	for _, rule := range r.Input.Rules {
		patterns = append(patterns, fmt.Sprintf("%q:%q", rule.Resource, rule.Effect))
		rules = append(rules, fmt.Sprintf(`{"action":"shell","resource":%q,"effect":%q}`, rule.Resource, rule.Effect))
	}
	var want map[string]string
	if err := json.Unmarshal(r.Expected.Effects, &want); err != nil || len(want) < 2 {
		t.Fatalf("%v %v", want, err)
	}
	for text, effect := range want {
		m, err := settingsIn(t, evaluator.OpenCode2, evaluator.Env{}, [3]string{"", "opencode.json", `{"permissions":[` + strings.Join(rules, ",") + "]}"})
		if v := verdictIn(t, m, err, native(t, "shell", []string{text})); v.Effect.String() != effect {
			t.Errorf("%s in a list: %s, want %s", text, v.Effect, effect)
		}
		m, err = settingsIn(t, evaluator.OpenCode, evaluator.Env{}, [3]string{"", "opencode.json", `{"permission":{"bash":{` + strings.Join(patterns, ",") + "}}}"})
		if v := verdictIn(t, m, err, native(t, "bash", []string{text})); v.Effect != evaluator.Ask || rulePlace(v) != "opencode.json:1:24" {
			t.Errorf(`%s in an object: %s at %q, want what "*" says, which comes last`, text, v.Effect, rulePlace(v))
		}
	}
}

// TestReportedMalformedFiles are IN-04, IN-05, IN-14 and LY-06: a word that isn't
// one, a text that breaks off, a name that stands twice. Each is refused with its
// place, and never read as a file without rules.
func TestReportedMalformedFiles(t *testing.T) {
	known := map[string]bool{}
	var all struct{ Cases []struct{ ID string } }
	load(t, "../testdata/reports.json", &all)
	for _, c := range all.Cases {
		known[c.ID] = true
	}
	for _, c := range []struct {
		id       string
		provider evaluator.Provider
		text     string
		want     []string
	}{
		{"IN-04", evaluator.OpenCode2, "{\"permissions\":[\n{\"action\":\"shell\",\"resource\":\"*\",\"effect\":\"denied\"},\n{\"action\":\"edit\",\"resource\":\"*\",\"effect\":null}]}",
			[]string{`f:2:43: unknown effect "denied": use allow, ask, deny`, "f:3:42: effect must be a text"}},
		{"IN-04", evaluator.OpenCode, "{\"permission\":{\"bash\":\"denied\",\n\"edit\":{\"a\":true}}}",
			[]string{`f:1:23: unknown permission.bash "denied": use ask, allow, deny`, "f:2:13: permission.edit.a must be a text"}},
		{"IN-04", evaluator.Claude, `{"permissions":{"defaultMode":"yolo","disableBypassPermissionsMode":"off"}}`,
			[]string{`f:1:31: unknown permissions.defaultMode "yolo": use manual, default`, `f:1:69: unknown permissions.disableBypassPermissionsMode "off": use disable`}},
		{"IN-04", evaluator.Codex, "approval_policy = \"sometimes\"\nsandbox_mode = \"open\"\n",
			[]string{`f:1:19: unknown approval_policy "sometimes": use on-request, never`, `f:2:16: unknown sandbox_mode "open": use read-only`}},
		{"IN-05", evaluator.OpenCode2, "{\"permissions\":[\n{\"action\":\"shell\",\"resource\":\"*\",\"effect\":\"deny\"", []string{"f:2:49: this isn't JSON"}},
		{"IN-05", evaluator.OpenCode, "{\"permission\":{\n\"bash\":\"deny\"", []string{"f:2:14: this isn't JSON"}},
		{"IN-05", evaluator.Claude, "{\"permissions\":{\n\"deny\":[\"Bash(rm *)\"]", []string{"f:2:22: this isn't JSON"}},
		{"IN-05", evaluator.Codex, "approval_policy = \"on-request\"\nsandbox_mode = \"read-only\n", []string{"f:2:"}},
		{"IN-14", evaluator.OpenCode2, `{"permissions":[{"action":"edit","resource":"src/*","effect":"deny","effect":"allow"}]}`, []string{`f:1:69: the name "effect" stands here a second time (first on line 1)`}},
		{"IN-14", evaluator.Claude, "{\"permissions\":{\"deny\":[\"Bash(rm *)\"],\n\"deny\":[]}}", []string{`f:2:1: the name "deny" stands here a second time (first on line 1)`}},
		{"IN-14", evaluator.Codex, "sandbox_mode = \"read-only\"\nsandbox_mode = \"danger-full-access\"\n", []string{"f:2:1: this isn't TOML"}},
		{"LY-06", evaluator.OpenCode, `{"permission":{"edit":"deny","edit":{"docs/*":"allow"}}}`, []string{`f:1:30: the name "edit" stands here a second time`}},
	} {
		if !known[c.id] {
			t.Errorf("%s is missing", c.id)
		}
		_, err := settingsIn(t, c.provider, evaluator.Env{}, [3]string{"project", "f", c.text})
		if err == nil {
			t.Errorf("%s, %s: %s is read", c.id, c.provider, c.text)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s:\n%v\nwant %s", c.id, c.provider, err, want)
			}
		}
	}
}

// TestReportedUntrustedFolders is IN-08: what an untrusted project's settings don't
// do is said, and what they do all the same.
func TestReportedUntrustedFolders(t *testing.T) {
	untrusted := evaluator.Env{Workspace: "/work/app", Home: "/home/u", Facts: jsontext.Value(`{"trusted":false}`)}
	m, err := settingsIn(t, evaluator.Claude, untrusted, [3]string{"project", "s.json", `{"permissions":{"allow":["Bash(mytool *)"],"deny":["Bash(rm *)"]}}`})
	for text, want := range map[string]evaluator.Effect{"mytool x": evaluator.Ask, "rm -rf x": evaluator.Deny} {
		if v := verdictIn(t, m, err, shellCommand(text)); v.Effect != want {
			t.Errorf("claude, %s: %s, want %s", text, v.Effect, want)
		}
	}
	m, err = settingsIn(t, evaluator.Claude, evaluator.Env{}, [3]string{"project", "s.json", `{"permissions":{"allow":["Bash(mytool *)"]}}`})
	if v := verdictIn(t, m, err, shellCommand("mytool x")); v.Effect != evaluator.Allow || !strings.Contains(strings.Join(v.Assumed, "\n"), "the project is trusted: where it isn't, Claude ignores what s.json allows") {
		t.Errorf("claude, trust not known: %s, assumed %q", v.Effect, v.Assumed)
	}
	m, err = settingsIn(t, evaluator.Codex, evaluator.Env{}, [3]string{"user", "u.toml", "[projects.\"/work/app\"]\ntrust_level = \"untrusted\"\n"}, [3]string{"project", "p.toml", "approval_policy = \"never\"\n"})
	if v := verdictIn(t, m, err, shellCommand("ls")); v.Effect != evaluator.Ask || !strings.Contains(strings.Join(v.Assumed, "\n"), "p.toml and its rules don't count") {
		t.Errorf("codex: %s, assumed %q", v.Effect, v.Assumed)
	}
}

// TestReportedAgentBlock is ORD-08: an agent's own rule for everything takes a
// global deny out of force, and the answer names it.
func TestReportedAgentBlock(t *testing.T) {
	r := reports(t)["ORD-08"]
	old := `{"permission":{"bash":{"*":"allow","rm *":"deny"}},` + "\n" + `"agent":{"build":{"permission":{"bash":{"*":"allow","git commit*":"deny"}}}}}`
	list := `{"permissions":[{"action":"shell","resource":"*","effect":"allow"},{"action":"shell","resource":"rm *","effect":"deny"}],` + "\n" +
		`"agents":{"build":{"permissions":[{"action":"shell","resource":"*","effect":"allow"},{"action":"shell","resource":"git commit*","effect":"deny"}]}}}`
	for p, text := range map[evaluator.Provider]string{evaluator.OpenCode: old, evaluator.OpenCode2: list} {
		m, err := settingsIn(t, p, evaluator.Env{}, [3]string{"project", "c.json", text})
		if v := verdictIn(t, m, err, shellCommand("rm x")); v.Effect.String() != r.Expected.Effect || !strings.HasPrefix(rulePlace(v), "c.json:2:") {
			t.Errorf("%s: %s at %q, want %s by the agent's rule on line 2", p, v.Effect, rulePlace(v), r.Expected.Effect)
		}
	}
}

// TestReportedPathsInFiles is PATH-01 as it stands in a file: a home deny is
// expanded, and never meets the relative text of a request.
func TestReportedPathsInFiles(t *testing.T) {
	r := reports(t)["PATH-01"]
	env := evaluator.Env{Workspace: r.Input.Workspace, Home: r.Input.Home}
	for p, text := range map[evaluator.Provider]string{
		evaluator.OpenCode:  `{"permission":{"edit":{"*":"allow","~/.ssh/**":"deny"}}}`,
		evaluator.OpenCode2: `{"permissions":[{"action":"edit","resource":"*","effect":"allow"},{"action":"edit","resource":"~/.ssh/**","effect":"deny"}]}`,
	} {
		m, err := settingsIn(t, p, env, [3]string{"project", "c.json", text})
		relative := verdictIn(t, m, err, native(t, r.Input.Sample.Action, r.Input.Sample.Resources))
		if relative.Effect != evaluator.Allow {
			t.Errorf("%s: the relative text %s, want allow: %s", p, relative.Effect, relative.Reason)
		}
		if absolute := verdictIn(t, m, err, native(t, "edit", []string{env.Home + "/.ssh/config"})); absolute.Effect != evaluator.Deny {
			t.Errorf("%s: the absolute text %s, want deny: %s", p, absolute.Effect, absolute.Reason)
		}
	}
}

// TestReportedShortcuts is PATH-14: what an imported policy sends has no shortcut
// for the home folder.
func TestReportedShortcuts(t *testing.T) {
	for _, i := range importers {
		if i.provider != evaluator.OpenCode && i.provider != evaluator.OpenCode2 {
			continue
		}
		text := `{"permission":{"external_directory":{"~/shared/*":"allow"},"edit":{"$HOME/odd?/x":"deny"},"glob":"ask"}}`
		if i.provider == evaluator.OpenCode2 {
			text = `{"permissions":[{"action":"external_directory","resource":"~/shared/*","effect":"allow"},{"action":"edit","resource":"$HOME/odd?/x","effect":"deny"}]}`
		}
		d := i.dialect(t)
		got, err := compiler.Import(d, []compiler.SettingsFile{{Name: "c.json", Path: i.path, Text: []byte(text)}}, compiler.ImportOptions{
			Name: "imported", Modes: evaluator.Modes(), Setting: compiler.Setting{Env: evaluator.Env{Workspace: "/work/app", Home: "/home/u"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got.Text), "~/shared/**") {
			t.Errorf("%s: the policy names somebody's home folder:\n%s", i.provider, got.Text)
		}
		set := compiledImport(t, d, got.Text, evaluator.Env{Workspace: "/work/app", Home: "/home/u"})
		if s := string(set.Native); strings.Contains(s, "~") || strings.Contains(s, "$HOME") || !strings.Contains(s, "/home/u/shared/*") {
			t.Errorf("%s: %s", i.provider, s)
		}
	}
}

// TestReportedGrantBeforeFile is GR-02: what was granted for always beats the ask
// that stands in a file, and the answer says which decided.
func TestReportedGrantBeforeFile(t *testing.T) {
	r := reports(t)["GR-02"]
	text := `{"permissions":[{"action":"shell","resource":"*","effect":"allow"},{"action":"shell","resource":"ssh *","effect":"ask"}]}`
	m, err := settingsIn(t, evaluator.OpenCode2, evaluator.Env{}, [3]string{"project", "c.json", text})
	a := native(t, r.Input.Sample.Action, r.Input.Sample.Resources)
	if v := verdictIn(t, m, err, a); v.Effect != evaluator.Ask {
		t.Errorf("without the grant: %s", v.Effect)
	}
	env := evaluator.Env{Workspace: "/work/app", Saved: []evaluator.Grant{{Action: "shell", Resource: "ssh *"}}}
	m, err = settingsIn(t, evaluator.OpenCode2, env, [3]string{"project", "c.json", text})
	if v := verdictIn(t, m, err, a); v.Effect.String() != r.Expected.Effect || v.Rule == nil || v.Rule.Layer != "saved" {
		t.Errorf("with the grant: %s by %+v", v.Effect, v.Rule)
	}
}

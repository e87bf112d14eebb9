package claude

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// TestConformSettings does what TestConform does with calls under settings files
// alone.
func TestConformSettings(t *testing.T) {
	conform(t, "settings.json", map[string]int{V332: 0, V197: 0})
}

// TestRecordedSettings gives the settings files of recorded calls to ReadSettings,
// as people give theirs: what it says is what the real agent did.
func TestRecordedSettings(t *testing.T) {
	judged := 0
	for _, name := range []string{"settings.json", "cases.json"} {
		data, err := os.ReadFile("../../testdata/claude/" + name)
		if err != nil {
			t.Fatal(err)
		}
		header := map[string]jsontext.Value{}
		var cases []jsontext.Value
		if err := json.Unmarshal(data, &header); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(header["cases"], &cases); err != nil {
			t.Fatal(err)
		}
		file, err := readCaseFile(header)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range cases {
			for _, version := range []string{V332, V197} {
				if judgeSettings(t, file, row, version) {
					judged++
				}
			}
		}
	}
	if judged < 200 {
		t.Errorf("only %d calls stand on settings files", judged)
	}
}

// judgeSettings judges a call that stands on settings files. It returns false for
// one that doesn't.
func judgeSettings(t *testing.T, file caseFile, row jsontext.Value, version string) bool {
	t.Helper()
	var c struct {
		recordedCall
		ID      string         `json:"id"`
		Outcome string         `json:"outcome"`
		Old     string         `json:"outcome_2_1_197"`
		Raw     jsontext.Value `json:"hooks"`
	}
	if err := json.Unmarshal([]byte(folderNames.Replace(string(row))), &c); err != nil {
		t.Fatal(err)
	}
	want := c.Outcome
	if version == V197 && c.Old != "" {
		want = c.Old
	}
	var files []compiler.SettingsFile
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		if !strings.Contains(name, "settings") {
			continue
		}
		text := []byte(c.Files[name])
		if text[0] == '"' {
			return false // not JSON, on purpose
		}
		files = append(files, compiler.SettingsFile{Name: name, Path: name, Text: text})
		delete(c.Files, name)
	}
	if files == nil || c.Rules != nil || c.Managed != nil || c.SettingSources != nil || c.Raw != nil {
		return false
	}
	if c.Mode != nil {
		c.Args = append(c.Args, "--permission-mode", string(*c.Mode))
	}
	env := recordedEnv(t, file, c.recordedCall)
	m, _, err := compiler.ReadSettings(dialect{}, files, evaluator.Default, compiler.Setting{Version: version, Env: env})
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	request, err := strictjson.Encode(map[string]any{"tool": c.Tool, "input": c.Input})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Native, Request: request}, true)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	got := v.Native.Effect.String()
	if v.ToolAbsent {
		got = "absent"
	}
	if got != want {
		t.Errorf("%s on %s: we say %s, the agent did %s: %s", c.ID, version, got, want, v.Reason)
	}
	if v.Rule != nil && v.Rule.Source == nil && !strings.Contains(v.Rule.Layer, "cliArg") && v.Rule.Layer != "flagSettings" {
		t.Errorf("%s: the rule %s of %s has no place", c.ID, v.Rule.Native, v.Rule.Layer)
	}
	return true
}

// recordedEnv is the Env of a recorded call whose settings files are given apart;
// a project whose trust isn't recorded isn't trusted.
func recordedEnv(t *testing.T, file caseFile, c recordedCall) evaluator.Env {
	t.Helper()
	_, env, err := file.setting(c)
	if err != nil {
		t.Fatal(err)
	}
	facts, raw, err := splitFacts(env.Facts)
	if err != nil {
		t.Fatal(err)
	}
	if _, known := facts.file(env.Home + "/.claude/.claude.json"); !known {
		raw["trusted"] = jsontext.Value("false")
	}
	if env.Facts, err = strictjson.Encode(raw); err != nil {
		t.Fatal(err)
	}
	return env
}

// readUser gives one settings file to ReadSettings, as the user's unless the name says
// another layer.
func readUser(t *testing.T, text string, env evaluator.Env) (evaluator.Meaning, error) {
	t.Helper()
	if env.Workspace == "" {
		env.Workspace, env.Home = "/work/app", "/home/dev"
	}
	m, _, err := compiler.ReadSettings(dialect{}, []compiler.SettingsFile{{Layer: "user", Name: "settings.json", Path: "/home/dev/.claude/settings.json", Text: []byte(text)}}, evaluator.Default, compiler.Setting{Env: env})
	return m, err
}

// TestMalformedSettings: 2.1.332 drops each of these files as a whole, and tells
// nobody (measured 2026-11-30, but for repeated names, of which it keeps the last).
func TestMalformedSettings(t *testing.T) {
	for text, want := range map[string]string{
		"// c\n{}": "settings.json:1:1: this isn't JSON",
		"{\n  \"permissions\": {\"deny\": [\"Bash(rm *)\",]}\n}": "settings.json:2:40: this isn't JSON",
		"{\"permissions\": {\"deny\": [\"Bash(rm *)\"]}":         "settings.json:1:41: this isn't JSON",
		"":                                     "this isn't JSON",
		"[]":                                   "settings.json:1:1: settings must be an object",
		`{"permissions":null}`:                 "settings.json:1:16: permissions must be an object",
		`{"permissions":{"allow":"Bash"}}`:     "settings.json:1:25: permissions.allow must be a list",
		`{"permissions":{"deny":["A",7]}}`:     "settings.json:1:29: a value of permissions.deny must be a text",
		`{"permissions":{"defaultMode":"x"}}`:  `settings.json:1:31: unknown permissions.defaultMode "x": use manual, default, acceptEdits`,
		`{"permissions":{"defaultMode":null}}`: "settings.json:1:31: permissions.defaultMode must be a text",
		`{"permissions":{"disableBypassPermissionsMode":true}}`:      "settings.json:1:48: permissions.disableBypassPermissionsMode must be a text",
		`{"permissions":{"additionalDirectories":"/x"}}`:             "settings.json:1:41: permissions.additionalDirectories must be a list",
		`{"permissions":{"deny":["Bash(rm *)"],"deny":["Bash(x)"]}}`: `settings.json:1:39: the name "deny" stands here a second time`,
		`{"model":5}`:                 "settings.json:1:10: model must be a text",
		`{"hooks":{"PreToolUse":{}}}`: "settings.json:1:24: hooks.PreToolUse must be a list",
	} {
		_, err := readUser(t, text, evaluator.Env{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", text, err, want)
		}
	}
}

func ask(t *testing.T, m evaluator.Meaning, a evaluator.Action) evaluator.Verdict {
	t.Helper()
	v, err := evaluator.Evaluate(m, a, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func command(text string) evaluator.Action {
	return evaluator.Action{Kind: evaluator.Command, Command: text}
}

// TestSettingsPlaces: the deciding rule and every rule of the trace name the line
// of the file.
func TestSettingsPlaces(t *testing.T) {
	m, err := readUser(t, "{\n  \"permissions\": {\n    \"allow\": [\"Bash(go *)\"],\n    \"deny\": [\n      \"Bash(rm *)\"\n    ]\n  }\n}", evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	v := ask(t, m, command("rm x"))
	if v.Effect != evaluator.Deny || v.Rule == nil || v.Rule.Source == nil || v.Rule.Source.Line != 5 || v.Rule.Source.Column != 7 {
		t.Errorf("%s by %+v", v.Effect, v.Rule)
	}
	for _, s := range v.Trace {
		if s.Source == nil || s.Source.File != "settings.json" {
			t.Errorf("the trace has no place for %s", s.Native)
		}
	}
	if len(v.Trace) == 0 {
		t.Error("no trace")
	}
}

// TestHooksAreUnknown: what a hook says isn't in the file, so that only what holds
// whatever it says is foretold.
func TestHooksAreUnknown(t *testing.T) {
	m, err := readUser(t, `{"permissions":{"deny":["Bash(rm *)"],"allow":["Read"]},"hooks":{
		"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"./check"}]}],
		"PermissionRequest":[{"matcher":"WebFetch","hooks":[]}],
		"PostToolUse":[{"hooks":[]}]}}`, evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a    evaluator.Action
		want evaluator.Effect
	}{
		{command("rm x"), evaluator.Deny},
		{command("ls"), evaluator.Unknown},
		{command("npm test"), evaluator.Unknown},
		{evaluator.Action{Kind: evaluator.FileRead, Path: "a"}, evaluator.Allow},
		{evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}, evaluator.Unknown},
		{evaluator.Action{Kind: evaluator.WebSearch, Query: "x"}, evaluator.Ask},
	} {
		if v := ask(t, m, c.a); v.Effect != c.want {
			t.Errorf("%+v: %s, want %s: %s", c.a, v.Effect, c.want, v.Reason)
		}
	}
	plugin, err := readUser(t, `{"permissions":{"deny":["Bash(rm *)"]},"enabledPlugins":{"a@b":false,"c@b":true}}`, evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[string]evaluator.Effect{"rm x": evaluator.Deny, "npm test": evaluator.Unknown} {
		if v := ask(t, plugin, command(a)); v.Effect != want {
			t.Errorf("under a plugin, %s: %s, want %s: %s", a, v.Effect, want, v.Reason)
		}
	}
	off, err := readUser(t, `{"enabledPlugins":{"a@b":false},"appendPlugins":[]}`, evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if v := ask(t, off, command("npm test")); v.Effect != evaluator.Ask {
		t.Errorf("under no plugin: %s: %s", v.Effect, v.Reason)
	}
	told, err := readUser(t, `{"hooks":{"PreToolUse":[{"hooks":[]}]}}`, evaluator.Env{Workspace: "/work/app", Facts: jsontext.Value(`{"hooks":[]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if v := ask(t, told, command("ls")); v.Effect != evaluator.Allow {
		t.Errorf("hooks that are known to say nothing: %s: %s", v.Effect, v.Reason)
	}
}

// TestUnmodelledSettings: what nobody has measured makes an answer unknown, and
// what isn't known at all is named.
func TestUnmodelledSettings(t *testing.T) {
	m, err := readUser(t, `{"permissions":{"deny":["Bash(rm *)"],"blockReadsOutsideWorkingDirectories":true,"later":1},"sandbox":{"enabled":true},"novel":{}}`, evaluator.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[string]evaluator.Effect{"rm x": evaluator.Deny, "npm test": evaluator.Unknown} {
		if v := ask(t, m, command(a)); v.Effect != want {
			t.Errorf("%s: %s, want %s: %s", a, v.Effect, want, v.Reason)
		}
	}
	v := ask(t, m, evaluator.Action{Kind: evaluator.WebSearch, Query: "x"})
	assumed := strings.Join(v.Assumed, "\n")
	for _, want := range []string{"permissions.later at settings.json:1:", "novel at settings.json:1:", "settings that weren't given say nothing: project, local, managed"} {
		if !strings.Contains(assumed, want) {
			t.Errorf("assumed\n%s\nwithout %s", assumed, want)
		}
	}
}

// FuzzReadSettings: no text is more than a refusal.
func FuzzReadSettings(f *testing.F) {
	for _, s := range []string{`{}`, `{"permissions":{"allow":["Bash(x *)"],"defaultMode":"plan"},"hooks":{"PreToolUse":[{"matcher":"B("}]}}`, `{"sandbox":{"enabled":true}}`, "{"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readUser(t, text, evaluator.Env{})
		if err != nil {
			return
		}
		for _, a := range []evaluator.Action{command("git push && rm -rf x"), {Kind: evaluator.FileChange, Path: "src/a.go"}} {
			if _, err := evaluator.Evaluate(m, a, true); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}

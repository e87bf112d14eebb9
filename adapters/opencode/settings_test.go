package opencode_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// settingsCase is a case of settings-1.18.33.json.
type settingsCase struct {
	ID      string                 `json:"id"`
	About   string                 `json:"about"`
	Files   map[string]string      `json:"files"`
	Agents  map[string][][3]string `json:"agents"`
	Refused string                 `json:"refused"`
}

var settingsEnv = evaluator.Env{Workspace: "/srv/ws", Home: "/home/dev"}

// configuration reads files of a project, by path.
func configuration(t *testing.T, env evaluator.Env, files map[string]string) (evaluator.Meaning, *compiler.FileSettings, error) {
	t.Helper()
	reader, ok := opencode.New().(compiler.SettingsReader)
	if !ok {
		t.Fatal("the dialect reads no settings files")
	}
	var list []compiler.SettingsFile
	for _, name := range []string{".opencode/opencode.json", "opencode.jsonc", "opencode.json"} { // their own order is another
		if text, ok := files[name]; ok {
			list = append(list, compiler.SettingsFile{Name: name, Path: env.Workspace + "/" + name, Text: []byte(text)})
		}
	}
	return compiler.ReadSettings(reader, list, evaluator.Default, compiler.Setting{Env: env})
}

// TestRecordedSettings compares the agents' rules that we read from configuration
// files with those that the real agents had. Where a plugin makes us doubt them, they
// had others.
func TestRecordedSettings(t *testing.T) {
	var file struct{ Cases []settingsCase }
	data, err := os.ReadFile("../../testdata/opencode/settings-1.18.33.json")
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 40 {
		t.Errorf("only %d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		_, got, err := configuration(t, settingsEnv, c.Files)
		if (err != nil) != (c.Refused != "") {
			t.Errorf("%s (%s): OpenCode says %q, we say %v", c.ID, c.About, c.Refused, err)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), ".json") || !strings.Contains(err.Error(), "^") {
				t.Errorf("%s (%s): the refusal names no place: %v", c.ID, c.About, err)
			}
			continue
		}
		ours := map[string][][3]string{}
		for _, a := range got.Env.Agents {
			for _, r := range a.Permissions {
				ours[a.ID] = append(ours[a.ID], [3]string{r.Action, r.Resource, r.Effect.String()})
			}
		}
		d := cmp.Diff(c.Agents, ours)
		if plugin := len(got.Doubts) > 0; plugin == (d == "") {
			t.Errorf("%s (%s): -OpenCode +ours\n%s", c.ID, c.About, d)
		}
	}
}

// TestPluginsAreUnknown: a plugin of a file may do anything, even to what the file
// denies; one in a folder is among what wasn't given.
func TestPluginsAreUnknown(t *testing.T) {
	command := evaluator.Action{Kind: evaluator.Command, Command: "ls"}
	for text, want := range map[string]evaluator.Effect{
		`{"permission":{"bash":"deny"},"plugin":["./p.js"]}`: evaluator.Unknown,
		`{"permission":{"bash":"deny"},"plugin":[]}`:         evaluator.Deny,
	} {
		m, _, err := configuration(t, settingsEnv, map[string]string{"opencode.json": text})
		if err != nil {
			t.Fatal(err)
		}
		v, err := evaluator.Evaluate(m, command, false)
		if err != nil {
			t.Fatal(err)
		}
		if v.Effect != want || !strings.Contains(strings.Join(v.Assumed, "\n"), "plugins in folders") {
			t.Errorf("%s: %s, want %s: %s %s", text, v.Effect, want, v.Reason, v.Assumed)
		}
	}
}

// TestSettingsPlaces: rules of the files name their lines, those of OpenCode don't.
func TestSettingsPlaces(t *testing.T) {
	m, _, err := configuration(t, settingsEnv, map[string]string{"opencode.json": "{\n  // mine\n  \"permission\": {\n    \"bash\": {\n      \"*\": \"ask\",\n      \"git *\": \"allow\"\n    }\n  }\n}"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Command, Command: "git status"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if v.Effect != evaluator.Allow || v.Rule == nil || v.Rule.Source == nil || v.Rule.Source.Line != 6 || v.Rule.Source.Column != 7 {
		t.Errorf("%s by %+v", v.Effect, v.Rule)
	}
	placed := 0
	for _, s := range v.Trace {
		if s.Source != nil {
			placed++
		}
	}
	if placed != 2 {
		t.Errorf("%d rules of the trace have a place, the file has 2", placed)
	}
}

// TestSettingsAgents: the session runs the configuration's agent, plan runs plan.
func TestSettingsAgents(t *testing.T) {
	files := map[string]string{"opencode.json": `{"default_agent":"mine","permission":{"edit":"ask"},"agent":{"mine":{"mode":"primary","permission":{"bash":"deny"}},"plan":{"permission":{"edit":{"docs/*":"allow"}}}}}`}
	m, _, err := configuration(t, settingsEnv, files)
	if err != nil {
		t.Fatal(err)
	}
	effect := func(m evaluator.Meaning, a evaluator.Action) evaluator.Effect {
		v, err := evaluator.Evaluate(m, a, false)
		if err != nil {
			t.Fatal(err)
		}
		return v.Effect
	}
	if e := effect(m, evaluator.Action{Kind: evaluator.Command, Command: "ls"}); e != evaluator.Deny {
		t.Errorf("default_agent's own rule: %s", e)
	}
	env := settingsEnv
	env.Agent = "plan"
	if m, _, err = configuration(t, env, files); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]evaluator.Effect{"docs/a.md": evaluator.Allow, "src/a.go": evaluator.Ask} {
		if e := effect(m, evaluator.Action{Kind: evaluator.FileChange, Path: path}); e != want {
			t.Errorf("plan, %s: %s, want %s", path, e, want)
		}
	}
	for text, want := range map[string]string{
		`{"default_agent":"nobody"}`:                                             "the files have no such agent",
		`{"default_agent":"mine","agent":{"mine":{"mode":"subagent"}}}`:          "a subagent",
		`{"permission":{"bash":{"{env:X}/y":"deny"}}}`:                           "opencode.json:1:24: ",
		`{"permission":{"bash":{"__proto__":"deny"}}}`:                           "OpenCode drops the name __proto__",
		`{"edit":"deny","permission":{"edit":"deny","edit":{"docs/*":"allow"}}}`: `opencode.json:1:44: the name "edit" stands here a second time`,
	} {
		if _, _, err := configuration(t, settingsEnv, map[string]string{"opencode.json": text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzReadSettings(f *testing.F) {
	for _, s := range []string{`{}`, `{"permission":{"bash":{"*":"ask","1":"deny"}},"tools":{"bash":true},"agent":{"x":{"tools":{"edit":false}}}}`, `{"mode":{"build":{}}}`, "[]", `{"agent":1}`} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		m, _, err := configuration(t, settingsEnv, map[string]string{"opencode.json": a, ".opencode/opencode.json": b})
		if err != nil {
			return
		}
		if _, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Command, Command: "git x"}, true); err != nil {
			t.Fatalf("%q %q: %v", a, b, err)
		}
	})
}

package opencode2

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// configuration reads configuration files of a project, in their order.
func configuration(version string, env evaluator.Env, files ...compiler.SettingsFile) (evaluator.Meaning, *compiler.FileSettings, error) {
	return compiler.ReadSettings(dialect{}, files, evaluator.Default, compiler.Setting{Version: version, Env: env})
}

func project(name, text string) compiler.SettingsFile {
	return compiler.SettingsFile{Name: name, Path: "/srv/ws/" + name, Text: []byte(text)}
}

// TestRecordedSettings compares what the files add to the agents' rules with what
// they added on 1.18.33's native surface. That drops a file that it can't read; we
// refuse it.
func TestRecordedSettings(t *testing.T) {
	var file struct {
		Cases []struct {
			ID     string
			About  string
			Files  map[string]string
			Native map[string][][3]string
		}
	}
	data, err := os.ReadFile("../../testdata/opencode/settings-1.18.33.json")
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	bare := file.Cases[0].Native // under an empty file
	refused := 0
	for _, c := range file.Cases {
		var files []compiler.SettingsFile
		for _, name := range []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json"} {
			if text, ok := c.Files[name]; ok {
				files = append(files, project(name, text))
			}
		}
		_, got, err := configuration(Measured, evaluator.Env{Workspace: "/srv/ws", Home: "/home/dev", Agent: "plan"}, files...)
		if err != nil {
			refused++
			if d := cmp.Diff(bare, c.Native); d != "" {
				t.Errorf("%s (%s): we refuse it (%v), and 1.18.33 reads it:\n%s", c.ID, c.About, err, d)
			}
			continue
		}
		ours, theirs := map[string][][3]string{}, map[string][][3]string{}
		for _, a := range got.Env.Agents {
			starts := 0
			if _, builtin := bare[a.ID]; builtin {
				starts = len(defaults(a.ID, "/home/dev"))
			}
			ours[a.ID] = [][3]string{}
			for _, r := range a.Permissions[starts:] {
				ours[a.ID] = append(ours[a.ID], [3]string{r.Action, r.Resource, r.Effect.String()})
			}
		}
		for id, rules := range c.Native {
			theirs[id] = append([][3]string{}, rules[len(bare[id]):]...)
		}
		if d := cmp.Diff(theirs, ours); d != "" {
			t.Errorf("%s (%s): -1.18.33 +ours\n%s", c.ID, c.About, d)
		}
	}
	if len(file.Cases) < 40 || refused < 5 {
		t.Errorf("%d cases, %d refused", len(file.Cases), refused)
	}
}

// TestOldFile: whether 2.0 renames the actions of a file of 1.x isn't known, so that
// what depends on it is unknown.
func TestOldFile(t *testing.T) {
	env := evaluator.Env{Workspace: "/srv/ws", Home: "/home/dev"}
	m, _, err := configuration("", env, project("opencode.json", `{"permission":{"bash":{"*":"ask","rm *":"deny"},"edit":"deny"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a    evaluator.Action
		want evaluator.Effect
	}{
		{evaluator.Action{Kind: evaluator.Command, Command: "rm x"}, evaluator.Unknown},
		{evaluator.Action{Kind: evaluator.FileChange, Path: "a"}, evaluator.Deny},
		{evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}, evaluator.Allow},
	} {
		v, err := evaluator.Evaluate(m, c.a, false)
		if err != nil {
			t.Fatal(err)
		}
		if v.Effect != c.want {
			t.Errorf("%+v: %s, want %s: %s", c.a, v.Effect, c.want, v.Reason)
		}
	}
	if _, _, err := configuration("", env, project("opencode.json", `{"permission":{"bash":"denied"}}`)); err == nil || !strings.Contains(err.Error(), "opencode.json:1:23: unknown permission.bash") {
		t.Errorf("an unknown word: %v", err)
	}
}

func FuzzReadSettings(f *testing.F) {
	for _, s := range []string{`{}`, `{"permissions":[{"action":"shell","resource":"*","effect":"ask"}],"agents":{"x":{"permissions":[]}}}`, `{"snapshot":true}`, `{"agents":[]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, _, err := configuration("", evaluator.Env{Workspace: "/srv/ws"}, project("opencode.json", text))
		if err != nil {
			return
		}
		if _, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Command, Command: "git x"}, true); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

package live_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/claude/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// settingsPaths are the settings files of a case, and its word for trust.
const (
	userFile    = "${HOME}/.claude/settings.json"
	projectFile = "${PROJ}/.claude/settings.json"
	localFile   = "${PROJ}/.claude/settings.local.json"
	trustFile   = "${HOME}/.claude/.claude.json"
	trustText   = `{"projects":{"${PROJ}":{"hasTrustDialogAccepted":true}}}`
)

// TestSettings puts random settings files before the real binaries and compares
// what they do with what we read in the same files.
func TestSettings(t *testing.T) {
	eachBinary(t, func(t *testing.T, o *live.Oracle, version string) {
		f, rows := settingsRows(t, seeded(t, 3), 6)
		answers, err := o.Answer(t.Context(), f, rows)
		if err != nil {
			t.Fatal(err)
		}
		wrong, agreed := 0, 0
		for i, a := range answers {
			if a.Did == "" {
				t.Errorf("%s: no answer: %s%s", rows[i], a.Skipped, a.Failed)
				continue
			}
			if got := ours(t, rows[i], version); got != a.Did {
				wrong++
				t.Logf("we say %s, the binary did %s: %s", got, a.Did, rows[i])
				continue
			}
			agreed++
		}
		t.Logf("%d of %d agree", agreed, len(rows))
		if wrong > tolerated {
			t.Errorf("%d calls disagree, more than %d", wrong, tolerated)
		}
	})
}

// settingsRow is a call under settings files.
type settingsRow struct {
	Files   map[string]jsontext.Value `json:"files"`
	Mode    *string                   `json:"mode"`
	Tool    string                    `json:"tool"`
	Input   map[string]string         `json:"input"`
	Outcome string                    `json:"outcome"`
}

// settingsRows makes n random sets of files, with some calls each.
func settingsRows(t *testing.T, r *rand.Rand, n int) (compiler.CaseFile, []jsontext.Value) {
	t.Helper()
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	list := func(most int) string {
		var rules []string
		for range r.IntN(most + 1) {
			rules = append(rules, fmt.Sprintf("%q", of("Bash(mytool *)", "Bash(mytool run)", "Bash(touch *)", "Bash", "Edit(src/**)", "Edit(/src/**)", "Edit(*.ts)", "Read(secrets/**)", "Read(/${OUT}/**)", "Edit", "Write", "WebFetch(domain:example.invalid)", "mytool", "Bash(")))
		}
		return "[" + strings.Join(rules, ",") + "]"
	}
	file := func() jsontext.Value {
		text := fmt.Sprintf(`{"permissions":{"allow":%s,"ask":%s,"deny":%s`, list(3), list(1), list(1))
		if r.IntN(2) == 0 {
			text += fmt.Sprintf(`,"defaultMode":%q`, of("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "manual"))
		}
		if r.IntN(4) == 0 {
			text += `,"additionalDirectories":["../added"]`
		}
		return jsontext.Value(text + `},"theme":"dark"}`)
	}
	var rows []jsontext.Value
	for range n {
		files := map[string]jsontext.Value{}
		for _, name := range []string{userFile, projectFile, localFile} {
			if r.IntN(3) > 0 {
				files[name] = file()
			}
		}
		if r.IntN(2) == 0 {
			files[trustFile] = jsontext.Value(trustText)
		}
		for range 5 {
			row := settingsRow{Files: files}
			switch r.IntN(4) {
			case 0, 1:
				row.Tool, row.Input = "Bash", map[string]string{"command": of("mytool run", "mytool x", "touch t1", "ls", "cat secrets/s.txt", "cat ${OUT}/o.txt", "other"), "description": "d"}
			case 2:
				row.Tool, row.Input = "Write", map[string]string{"file_path": of("${PROJ}/src/n.txt", "${PROJ}/n.ts", "${PROJ}/sub/src/n.ts", "${ADD}/n.txt", "${OUT}/n.txt"), "content": "x"}
			default:
				row.Tool, row.Input = "Read", map[string]string{"file_path": of("${PROJ}/src/a.txt", "${PROJ}/secrets/s.txt", "${OUT}/o.txt", "${ADD}/x.txt")}
			}
			raw, err := strictjson.Encode(row)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, raw)
		}
	}
	f, _ := cases(t)
	return f, rows
}

// ours is what the settings files of a row mean, as they are read: the outcome of
// its call in the words of the case files.
func ours(t *testing.T, raw jsontext.Value, version string) string {
	t.Helper()
	at := strings.NewReplacer("${PROJ}", "/var/run/session/project", "${OUT}", "/var/run/session/outside", "${ADD}", "/var/run/session/added", "${HOME}", "/var/run/session/home")
	var row settingsRow
	if err := strictjson.Decode([]byte(at.Replace(string(raw))), &row); err != nil {
		t.Fatal(err)
	}
	var files []compiler.SettingsFile
	for _, name := range []string{userFile, projectFile, localFile} {
		if text, ok := row.Files[at.Replace(name)]; ok {
			files = append(files, compiler.SettingsFile{Name: name, Path: at.Replace(name), Text: text})
		}
	}
	_, trusted := row.Files[at.Replace(trustFile)]
	facts := fmt.Sprintf(`{"model":"claude-sonnet-4-5","trusted":%v,"folders":["secrets","src"]}`, trusted)
	env := evaluator.Env{Workspace: at.Replace("${PROJ}"), Home: at.Replace("${HOME}"), Facts: jsontext.Value(facts)}
	reader, ok := claude.New().(compiler.SettingsReader)
	if !ok {
		t.Fatal("the dialect reads no settings files")
	}
	m, _, err := compiler.ReadSettings(reader, files, evaluator.Default, compiler.Setting{Version: version, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	request, err := strictjson.Encode(map[string]any{"tool": row.Tool, "input": row.Input})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Native, Request: request}, false)
	if err != nil {
		t.Fatal(err)
	}
	if v.ToolAbsent {
		return "absent"
	}
	return v.Native.Effect.String()
}

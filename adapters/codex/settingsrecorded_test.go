package codex_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

const settingsCases = "../../testdata/codex/settings.json"

// settingsFile is the recording of what Codex makes of configuration files.
type settingsFile struct {
	About    string         `json:"about"`
	Provider string         `json:"provider"`
	Version  string         `json:"version"`
	Cases    []settingsCase `json:"cases"`
}

type settingsCase struct {
	ID      string            `json:"id"`
	About   string            `json:"about"`
	Files   map[string]string `json:"files"` // by path below ${BASE}
	Cwd     string            `json:"cwd,omitempty"`
	Started *started          `json:"started,omitempty"`
	Refused string            `json:"refused,omitempty"`
}

// started is what thread/start reports.
type started struct {
	Approval json.RawMessage `json:"approvalPolicy"`
	Reviewer string          `json:"approvalsReviewer"`
	Sandbox  map[string]any  `json:"sandbox"`
}

func readSettingsCases(t *testing.T) settingsFile {
	t.Helper()
	var f settingsFile
	data, err := os.ReadFile(settingsCases)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func dialectOf(t *testing.T) compiler.SettingsReader {
	t.Helper()
	d, ok := codex.New().(compiler.SettingsReader)
	if !ok {
		t.Fatal("the dialect reads no settings files")
	}
	return d
}

// read gives a case's files to ReadSettings.
func (c settingsCase) read(t *testing.T, base string) (*compiler.FileSettings, error) {
	t.Helper()
	in := strings.NewReplacer("${BASE}", base)
	var files []compiler.SettingsFile
	for _, name := range []string{"home/.codex/config.toml", "ws/.codex/config.toml"} {
		if text, ok := c.Files[name]; ok {
			files = append(files, compiler.SettingsFile{Name: name, Path: base + "/" + name, Text: []byte(in.Replace(text))})
		}
	}
	cwd := base + "/ws"
	env := evaluator.Env{Workspace: cwd, Home: base + "/home"}
	if c.Cwd != "" {
		env.Workspace = base + "/" + c.Cwd
	}
	_, got, err := compiler.ReadSettings(dialectOf(t), files, evaluator.Default, compiler.Setting{Env: env})
	return got, err
}

// ours is what we say of a case, in the words of thread/start.
func (c settingsCase) ours(t *testing.T, base string) (*started, error) {
	t.Helper()
	got, err := c.read(t, base)
	if err != nil {
		return nil, err
	}
	var native struct {
		Approval json.RawMessage `json:"approvalPolicy"`
		Reviewer string          `json:"approvalsReviewer"`
		Policy   map[string]any  `json:"sandboxPolicy"`
	}
	if err := json.Unmarshal(got.Native, &native); err != nil {
		t.Fatal(err)
	}
	if native.Reviewer == "guardian_subagent" {
		native.Reviewer = "auto_review" // the newer name
	}
	return &started{Approval: native.Approval, Reviewer: native.Reviewer, Sandbox: native.Policy}, nil
}

// same compares what we say with what Codex reported.
func (c settingsCase) same(t *testing.T, base string) {
	t.Helper()
	ours, err := c.ours(t, base)
	var list diag.List
	switch {
	case c.Refused != "":
		if !errors.As(err, &list) || len(list) == 0 || list[0].Line == 0 {
			t.Errorf("%s (%s): Codex refuses it (%s), we say %v with %v", c.ID, c.About, c.Refused, ours, err)
		}
		return
	case err != nil:
		t.Errorf("%s (%s): %v", c.ID, c.About, err)
		return
	}
	for _, s := range []*started{ours, c.Started} {
		var v any
		if err := json.Unmarshal(s.Approval, &v); err != nil {
			t.Fatal(err)
		}
		if s.Approval, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(c.Started)
	if err != nil {
		t.Fatal(err)
	}
	want := &started{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "${BASE}", base)), want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, ours); d != "" {
		t.Errorf("%s (%s): -Codex +ours\n%s", c.ID, c.About, d)
	}
}

// TestRecordedSettings compares what we make of configuration files with what the
// real Codex made of them.
func TestRecordedSettings(t *testing.T) {
	all := readSettingsCases(t).Cases
	refused := 0
	for _, c := range all {
		c.same(t, "/srv/base")
		if c.Refused != "" {
			refused++
		}
	}
	if len(all) < 50 || refused < 10 {
		t.Errorf("%d cases, %d of them refused: the recording is too small", len(all), refused)
	}
}

func writeSettingsCases(t *testing.T, f settingsFile) {
	t.Helper()
	data, err := json.MarshalIndent(f, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.FromSlash(settingsCases), append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

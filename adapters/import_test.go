package adapters_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// importer is one provider's settings file: where it lies, and what random ones
// are made of.
type importer struct {
	provider evaluator.Provider
	path     string
	random   func(*rapid.T) compiler.SettingsFile
}

var importers = []importer{
	{evaluator.Claude, "/work/app/.claude/settings.json", randomClaude},
	{evaluator.Codex, "/home/dev/.codex/config.toml", randomCodex},
	{evaluator.OpenCode, "/work/app/opencode.json", randomOpenCode},
	{evaluator.OpenCode2, "/work/app/opencode.json", randomOpenCode2},
}

func (i importer) dialect(t failer) compiler.SettingsReader {
	d, _ := adapters.Find(i.provider)
	reader, ok := d.(compiler.SettingsReader)
	if !ok {
		t.Fatalf("%s reads no settings files", i.provider)
	}
	return reader
}

// failer is a test, or a check of a property.
type failer interface {
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

var importEnv = evaluator.Env{Workspace: "/work/app", Home: "/home/dev"}

// corpus are the settings files of testdata, one or one with rules beside it.
func (i importer) corpus(t *testing.T) []compiler.SettingsFile {
	t.Helper()
	names, err := filepath.Glob("../testdata/settings/" + string(i.provider) + "/*")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) compiler.SettingsFile {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return compiler.SettingsFile{Name: filepath.Base(name), Path: i.path, Text: text}
	}
	var out []compiler.SettingsFile
	for _, name := range names {
		if strings.HasSuffix(name, ".rules") {
			continue
		}
		f := read(name)
		if rules := strings.TrimSuffix(name, filepath.Ext(name)) + ".rules"; slices.Contains(names, rules) {
			beside := read(rules)
			beside.Path = "/home/dev/.codex/rules/" + beside.Name
			f.Beside = []compiler.SettingsFile{beside}
		}
		out = append(out, f)
	}
	return out
}

// TestImportCorpus imports settings as people have them: nothing may be lost that
// isn't said.
func TestImportCorpus(t *testing.T) {
	for _, i := range importers {
		files := i.corpus(t)
		if len(files) < 2 {
			t.Errorf("%s: only %d settings files", i.provider, len(files))
		}
		for _, f := range files {
			t.Run(string(i.provider)+"/"+f.Name, func(t *testing.T) { i.holds(t, f, nil, evaluator.Modes()...) })
		}
	}
}

// TestImportRandom does the same with random settings.
func TestImportRandom(t *testing.T) {
	for _, i := range importers {
		t.Run(string(i.provider), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := i.random(t)
				f.Path = i.path
				i.holds(t, f, fragments(t), rapid.SampledFrom(evaluator.Modes()).Draw(t, "mode"))
			})
		})
	}
}

// holds imports a file, reads the policy as anybody would, and compares: on each
// Action the compiled policy comes to what the file comes to, or a loss covers it.
func (i importer) holds(t failer, f compiler.SettingsFile, more []evaluator.Action, modes ...evaluator.Mode) {
	d := i.dialect(t)
	got, err := compiler.Import(d, []compiler.SettingsFile{f}, compiler.ImportOptions{Name: "imported", Modes: modes, Setting: compiler.Setting{Env: importEnv}})
	if err != nil {
		t.Fatalf("%s\n%v", f.Text, err)
	}
	for _, l := range got.Losses {
		if strings.Contains(l.Message, "the policy comes to") {
			t.Errorf("%s\n%s\na loss that nobody foresaw: %s\n%s", f.Text, beside(f), l.Message, got.Text)
		}
	}
	p, err := policies.Parse(policies.File{Name: "imported.yaml", Data: got.Text})
	if err != nil {
		t.Fatalf("%s\n%v", got.Text, err)
	}
	for _, interaction := range evaluator.Interactions() {
		file, _, err := compiler.ReadSettings(d, []compiler.SettingsFile{f}, interaction, compiler.Setting{Env: d.Env(interaction, importEnv)})
		if err != nil {
			t.Fatalf("%v", err)
		}
		for _, mode := range modes {
			c, err := compiler.Compile(p, d, evaluator.Cell{Provider: i.provider, Mode: mode, Interaction: interaction}, compiler.Options{Env: importEnv})
			if err != nil {
				t.Fatalf("%s\n%v", got.Text, err)
			}
			for _, a := range append(importActions(), more...) {
				if slices.ContainsFunc(got.Losses, func(l compiler.Loss) bool { return l.About(a, interaction) }) {
					continue
				}
				was, err1 := evaluator.Evaluate(file, a, false)
				is, err2 := c.Evaluate(a, false)
				if (err1 == nil) != (err2 == nil) || was.Effect != is.Effect || was.Confinement != is.Confinement {
					t.Errorf("%s\n%s\nin %s/%s %+v: the file %s (%s), the policy %s (%s)\n%s", f.Text, beside(f), mode, interaction, a, was.Effect, was.Reason, is.Effect, is.Reason, got.Text)
				}
			}
		}
	}
}

func beside(f compiler.SettingsFile) string {
	out := ""
	for _, b := range f.Beside {
		out += string(b.Text)
	}
	return out
}

// compiledImport compiles an imported policy as anybody would.
func compiledImport(t failer, d compiler.Dialect, text []byte, env evaluator.Env) compiler.RuleSet {
	p, err := policies.Parse(policies.File{Name: "imported.yaml", Data: text})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	c, err := compiler.Compile(p, d, evaluator.Cell{Provider: d.Provider(), Mode: evaluator.Auto, Interaction: evaluator.Default}, compiler.Options{Env: env})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return c.RuleSet
}

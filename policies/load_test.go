package policies_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// inFolder makes files below a fresh folder and makes it the current one.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const later = "apiVersion: modegate/v1\n"

func TestLoad(t *testing.T) {
	inFolder(t, map[string]string{
		"folder/10.yaml":         head + "extends: ../base/base.yml\n",
		"folder/9.yml":           later + "rules: [{id: a, kind: any, match: '*', effect: ask}]\n",
		"folder/Z.yaml":          later,
		"folder/10_test.yaml":    "tests: []\n",
		"folder/9_test.yml":      "tests: []\n",
		"folder/.hidden.yaml":    "no: policy\n",
		"folder/notes.txt":       "no: policy\n",
		"folder/sub.yaml/x.yaml": "no: policy\n",
		"base/base.yml":          head + "extends: ../root.yaml\n",
		"root.yaml":              head + "extends: builtin/t3code\n",
		"t3code.yaml":            head,
		"builtin/t3code":         head,
		"builtin/own.yaml":       head,
		"own.yaml":               head + "extends: ./builtin/own.yaml\n",
	})
	for _, tt := range []struct{ paths, files []string }{
		{[]string{"folder"}, []string{"t3code.yaml", "root.yaml", "base/base.yml", "folder/10.yaml", "folder/9.yml", "folder/Z.yaml"}},
		{[]string{"./folder/"}, []string{"t3code.yaml", "root.yaml", "base/base.yml", "folder/10.yaml", "folder/9.yml", "folder/Z.yaml"}},
		{[]string{"builtin/t3code"}, []string{"t3code.yaml"}},
		{[]string{"./builtin/t3code"}, []string{"./builtin/t3code"}},
		{[]string{"t3code.yaml"}, []string{"./t3code.yaml"}},
		{[]string{"builtin/t3code", "t3code.yaml", "folder/9.yml"}, []string{"t3code.yaml", "./t3code.yaml", "folder/9.yml"}},
		{[]string{"own.yaml"}, []string{"./builtin/own.yaml", "own.yaml"}},
	} {
		p, err := policies.Load(tt.paths...)
		if err != nil {
			t.Errorf("%v: %v", tt.paths, err)
			continue
		}
		check(t, strings.Join(tt.paths, " "), p.Files, tt.files)
	}
	if p, err := policies.Load("folder"); err == nil {
		check(t, "a rule's place", p.Rules[0].Source, evaluator.Source{File: "folder/9.yml", Line: 2, Column: 9, ID: "a"})
	}
}

func TestLoadProblems(t *testing.T) {
	inFolder(t, map[string]string{
		"empty/notes.txt":  "",
		"loop/a.yaml":      head + "extends: b.yaml\n",
		"loop/b.yaml":      head + "extends: ./sub/../a.yaml\n",
		"self.yaml":        head + "extends: self.yaml\n",
		"missing.yaml":     head + "extends: nowhere.yaml\n",
		"text.yaml":        head + "extends: notes.txt\n",
		"absolute.yaml":    head + "extends: /etc/policy.yaml\n",
		"noname.yaml":      head + "extends: late.yaml\n",
		"late.yaml":        later,
		"wrong/1.yaml":     head + "rulez: x\n",
		"wrong/2.yaml":     "\t",
		"wrong/3.yaml":     later + "rules: x\n",
		"member/base.yaml": head,
		"member/a.yaml":    head + "extends: base.yaml\n",
	})
	for _, tt := range []struct {
		paths []string
		want  []string // how the problems begin
	}{
		{nil, []string{"no policy file is given"}},
		{[]string{"nowhere.yaml", "builtin/nobody", "empty"}, []string{"builtin/nobody: there is no built-in policy", "empty: the folder holds no policy", "nowhere.yaml: no such file"}},
		{[]string{"loop/a.yaml"}, []string{`loop/b.yaml:3:10: can't extend "./sub/../a.yaml": loop/a.yaml is already part of the policy`}},
		{[]string{"self.yaml"}, []string{`self.yaml:3:10: can't extend "self.yaml": self.yaml is already part`}},
		{[]string{"./self.yaml"}, []string{`self.yaml:3:10: can't extend "self.yaml": self.yaml is already part`}},
		{[]string{"missing.yaml"}, []string{`missing.yaml:3:10: can't extend "nowhere.yaml": no such file`}},
		{[]string{"text.yaml"}, []string{`text.yaml:3:10: can't extend "notes.txt": use builtin/NAME, or the path of a .yaml file`}},
		{[]string{"absolute.yaml"}, []string{`absolute.yaml:3:10: can't extend "/etc/policy.yaml": use builtin/NAME`}},
		{[]string{"noname.yaml"}, []string{`late.yaml:1:1: the policy has no "name"`}},
		{[]string{"late.yaml"}, []string{`late.yaml:1:1: the policy has no "name"`}},
		{[]string{"wrong"}, []string{`wrong/1.yaml:3:1: unknown key "rulez"`, "wrong/2.yaml:1:2: this isn't YAML", "wrong/3.yaml:2:8: rules must be a list"}},
		{[]string{"self.yaml", "self.yaml"}, []string{"self.yaml: the file is given twice", "self.yaml:3:10: can't extend"}},
		{[]string{"member"}, []string{"member/base.yaml: the file is given twice"}},
	} {
		p, err := policies.Load(tt.paths...)
		var problems diag.List
		if !errors.As(err, &problems) || p != nil || len(problems) != len(tt.want) {
			t.Errorf("%v: got policy %v and error\n%v\nwant %q", tt.paths, p, err, tt.want)
			continue
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(problems[i].String(), want) {
				t.Errorf("%v: got\n%v\nwant %s", tt.paths, problems[i], want)
			}
		}
	}
}

// Problems that are found after parsing are shown with their lines too.
func TestPolicyShow(t *testing.T) {
	p := parse(t, head+"modes: {auto: {label: Auto}}\n")
	at := p.Modes[evaluator.Auto].Source
	shown := p.Show(diag.List{{File: at.File, Line: at.Line, Column: at.Column, Message: "later"}})
	check(t, "problem", shown.Error(), "0.yaml:3:9: later\n  modes: {auto: {label: Auto}}\n          ^")
}

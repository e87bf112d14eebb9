package compiler_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// someRuleSets compiles one cell of each provider.
func someRuleSets(t testing.TB) []compiler.RuleSet {
	t.Helper()
	p, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	var out []compiler.RuleSet
	for _, d := range adapters.Table() {
		c, err := compiler.Compile(p, d, evaluator.Cell{Provider: d.Provider(), Mode: evaluator.Auto, Interaction: evaluator.Plan}, compiler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c.RuleSet)
	}
	return out
}

// What compile prints is read back, one RuleSet and a list, laid out or not.
func TestReadRuleSets(t *testing.T) {
	sets := someRuleSets(t)
	for name, write := range map[string]func(any) ([]byte, error){"compact": strictjson.Encode, "laid out": strictjson.Indent} {
		for _, v := range []any{sets, sets[0]} {
			text, err := write(v)
			if err != nil {
				t.Fatal(err)
			}
			got, err := compiler.ReadRuleSets(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := sets
			if len(got) == 1 {
				want = sets[:1]
			}
			for i := range got {
				if d := cmp.Diff(string(want[i].Native), string(got[i].Native)); d != "" || got[i].Cell() != want[i].Cell() || len(got[i].Sources) != len(want[i].Sources) {
					t.Errorf("%s: %s was written, %s read\n%s", name, want[i].Cell(), got[i].Cell(), d)
				}
			}
		}
	}
}

func TestReadRuleSetsRefuses(t *testing.T) {
	text, err := strictjson.Encode(someRuleSets(t)[5])
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":         {"[]", "holds no RuleSet"},
		"no JSON":         {"{", "1:2"},
		"a cell twice":    {"[" + good + "," + good + "]", "/1: a second RuleSet of opencode2/auto/plan"},
		"changed bytes":   {strings.Replace(good, `"effect":"deny"`, `"effect":"allow"`, 1), "the digest of opencode2/auto/plan is"},
		"another cell":    {strings.Replace(good, `"mode":"auto"`, `"mode":"full-access"`, 1), "the digest of opencode2/full-access/plan is"},
		"unknown field":   {strings.Replace(good, `"mode"`, `"mod"`, 1), `unknown field "mod"`},
		"unknown mode":    {strings.Replace(good, `"auto"`, `"yolo"`, 1), `unknown mode "yolo"`},
		"no mode":         {`{"provider":"codex","interaction":"plan","native":{}}`, "needs provider, mode and interaction"},
		"no native":       {`{"provider":"codex","mode":"auto","interaction":"plan"}`, "needs native"},
		"native settings": {`[{"action":"shell","resource":"*","effect":"ask"}]`, `unknown field "action"`},
	} {
		if _, err := compiler.ReadRuleSets([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

// Whatever the text is, ReadRuleSets refuses it or returns whole RuleSets, which it
// reads again from what they are written as.
func FuzzReadRuleSets(f *testing.F) {
	for _, s := range someRuleSets(f) {
		text, err := strictjson.Encode(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sets, err := compiler.ReadRuleSets(data)
		if err != nil {
			return
		}
		text, err := strictjson.Encode(sets)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compiler.ReadRuleSets(text); err != nil {
			t.Errorf("%s is read, and refused when it is written: %v", data, err)
		}
		for _, s := range sets {
			if s.Provider == "" || s.Mode == "" || s.Interaction == "" || len(s.Native) == 0 {
				t.Errorf("an incomplete RuleSet: %+v", s)
			}
		}
	})
}

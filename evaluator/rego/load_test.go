package rego

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modegate/modegate/internal/diag"
)

// files is a folder of texts.
func files(texts map[string]string) Source {
	out := fstest.MapFS{}
	for name, text := range texts {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Source{"guards", out}
}

const allows = `package modegate.guardrails.quiet

default decision := {"effect": "allow"}
`

// guard is a package with a decision.
func guard(name, rest string) string {
	return "package modegate.guardrails." + name + "\n\n" + rest + "\n"
}

// TestRefusedAtStart lists what isn't loaded, with the place that is named. Each
// would otherwise be a guardrail that holds nothing, in silence.
func TestRefusedAtStart(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[string]string
		want  []string
	}{
		"a syntax error": {map[string]string{"push.rego": guard("push", "decision := {")},
			[]string{"guards/push.rego:3:14: unexpected eof token"}},
		"every file's errors": {map[string]string{"a.rego": guard("a", "decision := }"), "b/c.rego": "package"},
			[]string{"guards/a.rego:3:13: unexpected } token", "guards/b/c.rego:1:7: unexpected eof token"}},
		"columns are characters": {map[string]string{"a.rego": guard("a", `decision := {"effect": "é日" + nope(1)}`)},
			[]string{"guards/a.rego:3:31: undefined function nope"}},
		"Rego of before version 1": {map[string]string{"a.rego": guard("a", "deny[x] { x := 1 }")},
			[]string{"guards/a.rego:3:1: `if` keyword is required before rule body"}},
		"an empty file":   {map[string]string{"a.rego": ""}, []string{"guards/a.rego: empty module"}},
		"no file":         {nil, []string{"guards: there is no guardrail here: one is a package modegate.guardrails.NAME with a rule decision"}},
		"only a test":     {map[string]string{"a_test.rego": allows}, []string{"guards: there is no guardrail here"}},
		"only a helper":   {map[string]string{"a.rego": "package helpers\n\nx := 1\n"}, []string{"guards: there is no guardrail here"}},
		"no decision":     {map[string]string{"a.rego": guard("a", `deny contains "x"`)}, []string{"guards/a.rego: package modegate.guardrails.a has no rule decision, so nothing asks it"}},
		"a set":           {map[string]string{"a.rego": guard("a", `decision contains "deny"`)}, []string{"guards/a.rego:3:1: decision must be one value: decision := …"}},
		"a function":      {map[string]string{"a.rego": guard("a", `decision(x) := x`)}, []string{"guards/a.rego:3:1: decision must be one value"}},
		"an object":       {map[string]string{"a.rego": guard("a", `decision.effect := "deny"`)}, []string{"guards/a.rego:3:1: decision must be one value"}},
		"no name":         {map[string]string{"a.rego": "package modegate.guardrails\n\ndecision := 1\n"}, []string{"guards/a.rego:1:1: give the package one name"}},
		"two names":       {map[string]string{"a.rego": guard("a.b", "decision := 1")}, []string{"guards/a.rego:1:1: give the package one name"}},
		"capital letters": {map[string]string{"a.rego": guard("A", "decision := 1")}, []string{"guards/a.rego:1:1: give the package one name"}},
		"two sources": {map[string]string{"a.rego": guard("a", `decision := {"effect": "deny", "reason": "r"}`), "b.rego": guard("a", `decision := {"effect": "allow"}`)},
			[]string{"guards/b.rego:3:1: decision of modegate.guardrails.a is in guards/a.rego:3, too: keep one file for it"}},
		"two defaults": {map[string]string{"a.rego": allows, "b.rego": allows},
			[]string{"multiple default rules data.modegate.guardrails.quiet.decision found"}},
		"the network": {map[string]string{"a.rego": guard("a", `decision := http.send({"method": "get", "url": "http://127.0.0.1"}).body`)},
			[]string{"guards/a.rego:3:13: http.send is refused: an answer must be the same"}},
		"the clock":        {map[string]string{"a.rego": guard("a", `decision := time.now_ns()`)}, []string{"guards/a.rego:3:13: time.now_ns is refused: an answer must be the same"}},
		"the environment":  {map[string]string{"a.rego": guard("a", `decision := opa.runtime().env`)}, []string{"opa.runtime is refused: an answer must be the same"}},
		"names of hosts":   {map[string]string{"a.rego": guard("a", `decision := net.lookup_ip_addr("localhost")`)}, []string{"net.lookup_ip_addr is refused: an answer must be the same"}},
		"chance":           {map[string]string{"a.rego": guard("a", `decision := rand.intn("x", 2)`)}, []string{"rand.intn is refused: an answer must be the same"}},
		"a clock on loan":  {map[string]string{"a.rego": guard("a", "decision := x if {\n\tx := 1 with input as time.now_ns()\n}")}, []string{"time.now_ns is refused: an answer must be the same"}},
		"a name misspelt":  {map[string]string{"a.rego": guard("a", "default decision := {\"effect\": \"allow\"}\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if data.lists.folders[_] == input.path")}, []string{"guards/a.rego:4:50: data.lists.folders[_] is nothing that is loaded here, so it is always undefined"}},
		"an import of it":  {map[string]string{"a.rego": guard("a", "import data.helpers.git\n\ndecision := git.push"), "h.rego": "package helpers.got\n\npush := 1\n"}, []string{"data.helpers.git.push is nothing that is loaded here"}},
		"an unused import": {map[string]string{"a.rego": guard("a", "import data.helpers\n\ndecision := 1"), "h.rego": "package helpers\n"}, []string{"guards/a.rego:3:1: import data.helpers unused"}},
		"unused variables": {map[string]string{"a.rego": guard("a", "decision := 1 if {\n\tx := 2\n}")}, []string{"guards/a.rego:4:2: assigned var x unused"}},
		"a data file":      {map[string]string{"a.rego": allows, "data.json": `{"folders":[]}`}, []string{"guards/data.json: data files aren't read"}},
		"PAT-10": {map[string]string{"a.rego": guard("a", `decision := 1 if glob.match("test*", [], input.path)`)},
			[]string{`guards/a.rego:3:18: glob.match takes [] for ["."], so that * stops at a dot: give null`}},
		"PAT-10 inside": {map[string]string{"a.rego": guard("a", `decision := 1 if not [x | x := glob.match("a*", [], input.path)][0]`)},
			[]string{`glob.match takes [] for ["."]`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadGuardrails(files(c.texts))
			var list diag.List
			if !errors.As(err, &list) {
				t.Fatalf("the error is %v", err)
			}
			got := make([]string, len(list))
			for i, p := range list {
				got[i] = p.String()
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
					t.Errorf("none of\n%s\nsays %s", strings.Join(got, "\n"), want)
				}
			}
		})
	}
	if _, err := LoadGuardrails(Folder(t.TempDir() + "/missing")); err == nil || !strings.Contains(err.Error(), "missing: no such file or directory") {
		t.Errorf("a folder that isn't there: %v", err)
	}
}

func TestLoad(t *testing.T) {
	texts := map[string]string{
		"b.rego":            "# METADATA\n# title: Nothing\npackage modegate.guardrails.b\n\nimport data.helpers\n\ndecision := helpers.fine\n",
		"more/a.rego":       guard("a", "default decision := {\"effect\": \"allow\"}"),
		"more/helpers.rego": "package helpers\n\nfine := {\"effect\": \"allow\"}\n",
		"a_test.rego":       "package broken {",
		"README.md":         "not Rego",
		".hidden/x.rego":    "package broken {",
		"..data/x.rego":     "package broken {",
	}
	g, err := LoadGuardrails(files(texts))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range g.List() {
		got = append(got, one.Name+" "+one.Title+" "+one.File)
	}
	if want := []string{"a  guards/more/a.rego", "b Nothing guards/b.rego"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	other := maps.Clone(texts)
	other["more/helpers.rego"] += "\n"
	h, err := LoadGuardrails(files(other))
	if err != nil || h.Digest() == g.Digest() || !strings.HasPrefix(g.Digest(), "sha256:") {
		t.Errorf("%v: another text has the digest %s", err, g.Digest())
	}
}

// TestLinks: files may be links, as where a volume is mounted; a link to a folder
// isn't left out in silence.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/..2026/more", 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"..data": "..2026", "quiet.rego": "..data/quiet.rego"} {
		if err := os.Symlink(to, dir+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(dir+"/..2026/quiet.rego", []byte(allows), 0o600); err != nil {
		t.Fatal(err)
	}
	if g, err := LoadGuardrails(Folder(dir)); err != nil || len(g.List()) != 1 {
		t.Errorf("%v", err)
	}
	if err := os.Symlink("..2026/more", dir+"/more"); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadGuardrails(Folder(dir)); err == nil || !strings.Contains(err.Error(), "more: a link to a folder isn't followed") {
		t.Errorf("%v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(allows)
	f.Add(guard("a", `decision := 1 if glob.match("test*", [], input.path)`))
	f.Add("package a\nimport data.x.y as z\np contains x if some x in z[_][\"b\"]")
	f.Add("# METADATA\n# title: [\npackage modegate.guardrails.x\ndecision := {\"a\": data.b[input.c]}")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = LoadGuardrails(files(map[string]string{"a.rego": text}))
		_, _ = LoadInvariants(files(map[string]string{"a.rego": text, "b.rego": allows}))
	})
}

// TestEachSourceHasInvariants: beside others that hold, a folder that checks nothing
// would look as if its own held.
func TestEachSourceHasInvariants(t *testing.T) {
	const holds = "package modegate.invariants.quiet\n\nviolation contains 1 if false\n"
	full := files(map[string]string{"a.rego": holds})
	full.Name = "full"
	if _, err := LoadInvariants(full); err != nil {
		t.Fatal(err)
	}
	for name, texts := range map[string]map[string]string{
		"empty":              nil,
		"only a test":        {"a_test.rego": holds},
		"a misspelt package": {"a.rego": "package modegate.invariant.loud\n\nviolation contains 1\n"},
	} {
		_, err := LoadInvariants(full, files(texts))
		const want = "guards: there is no invariant here: one is a package modegate.invariants.NAME with a rule violation"
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

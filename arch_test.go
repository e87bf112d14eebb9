package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/modegate/modegate/"

// rooms are the project's rooms, longest prefix first, and what each may import
// of the others. internal/* is open to all and imports no room; a provider's
// folder may import what dialects share.
var rooms = []struct {
	room string
	may  []string
}{
	{"adapters/*/live", []string{"evaluator", "compiler", "adapters/broker", "adapters/internal", "adapters/*/live"}},
	{"adapters/internal", []string{"evaluator", "policies", "compiler", "adapters/internal"}},
	{"adapters/evidence", []string{"evaluator", "compiler"}},
	{"adapters/broker", []string{"evaluator", "policies", "compiler"}},
	{"adapters/*", []string{"evaluator", "policies", "compiler", "adapters/broker", "adapters/internal", "adapters/*"}},
	{"adapters", []string{"evaluator", "policies", "compiler", "adapters/*"}},
	{"evaluator/rego", []string{"evaluator"}},
	{"evaluator", nil},
	{"policies", []string{"evaluator"}},
	{"compiler", []string{"evaluator", "policies"}},
	{"server", []string{"evaluator", "policies", "compiler", "adapters/broker", "server"}},
	{"cmd", []string{"evaluator", "evaluator/rego", "policies", "compiler", "adapters", "adapters/*", "adapters/*/live", "adapters/broker", "adapters/evidence", "server"}},
	{"internal", nil},
	{".", []string{"cmd"}},
}

// only says which room alone may import a package outside of the project.
var only = map[string]string{
	"gopkg.in/yaml.v3":                 "policies",
	"github.com/open-policy-agent/opa": "evaluator/rego",
	"github.com/gin-gonic/gin":         "server",
	"modernc.org/sqlite":               "server",
}

// TestRooms reads the import lists of all files and fails when a room imports
// what it may not. It parses in process: a test that shells out to the go tool
// can be served from the test cache over a broken tree.
func TestRooms(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files++
		for _, problem := range checkFile(t, path) {
			t.Error(problem)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files were read: the walk doesn't see the project", files)
	}
}

func checkFile(t *testing.T, path string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range f.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		if problem := check(filepath.ToSlash(filepath.Dir(path)), imported, strings.HasSuffix(path, "_test.go")); problem != "" {
			out = append(out, path+": "+problem)
		}
	}
	return out
}

// check says what is wrong with one import, or nothing.
func check(dir, imported string, test bool) string {
	from, may := roomOf(dir)
	target, ours := strings.CutPrefix(imported, module)
	if !ours {
		for pkg, room := range only {
			if (imported == pkg || strings.HasPrefix(imported, pkg+"/")) && from != room && !test {
				return from + " imports " + imported + ": only " + room + " may"
			}
		}
		return ""
	}
	to, _ := roomOf(target)
	switch {
	case to == "internal" && !strings.HasPrefix(target, "adapters/"):
		return ""
	case dir == target, to == from && !strings.Contains(from, "*"):
		return ""
	case from == "adapters/*" && to == "adapters/*" && providerOf(dir) != providerOf(target):
		return dir + " imports another provider's room, " + target
	case slices.Contains(may, to):
		return ""
	case test && (to == "policies" || to == "adapters" || strings.HasPrefix(to, "adapters/")):
		return "" // a test may stand further out than its room
	}
	return from + " imports " + target + ": it may import " + strings.Join(may, ", ")
}

// providerOf is the folder of a provider that a package lies in.
func providerOf(dir string) string { return strings.SplitN(dir, "/", 3)[1] }

// roomOf finds the room that a package lies in, and what it may import.
func roomOf(dir string) (string, []string) {
	for _, r := range rooms {
		if inRoom(r.room, dir) {
			return r.room, r.may
		}
	}
	return dir, nil
}

func inRoom(room, dir string) bool {
	want, got := strings.Split(room, "/"), strings.Split(dir, "/")
	if len(got) < len(want) {
		return false
	}
	for i, w := range want {
		if w != got[i] && w != "*" {
			return false
		}
	}
	return true
}

// TestRoomsAreKept shows that the check can fail.
func TestRoomsAreKept(t *testing.T) {
	for _, c := range []struct {
		dir, imported string
		fine          bool
	}{
		{"evaluator", module + "internal/strictjson", true},
		{"evaluator", module + "policies", false},
		{"policies", module + "evaluator", true},
		{"policies", module + "compiler", false},
		{"compiler", module + "adapters/codex", false},
		{"compiler", module + "adapters/internal/wildcard", false},
		{"server", module + "adapters", false},
		{"server", module + "adapters/opencode", false},
		{"server/web", module + "server", true},
		{"adapters/codex", module + "adapters/claude", false},
		{"adapters/codex", module + "adapters/codex/execpolicy", true},
		{"adapters/codex", module + "adapters/internal/wildcard", true},
		{"adapters/opencode/live", module + "adapters/opencode/live/livetest", true},
		{"adapters/opencode", module + "adapters/opencode/live", false},
		{"cmd", module + "adapters", true},
		{"internal/bash", module + "evaluator", false},
		{"compiler", "gopkg.in/yaml.v3", false},
		{"policies", "gopkg.in/yaml.v3", true},
		{"cmd", "github.com/gin-gonic/gin", false},
		{"server", "github.com/open-policy-agent/opa/v1/rego", false},
		{"server", module + "evaluator/rego", false},
		{"evaluator/rego", "github.com/open-policy-agent/opa/v1/rego", true},
		{"evaluator/rego", module + "policies", false},
		{"cmd", module + "evaluator/rego", true},
	} {
		if problem := check(c.dir, c.imported, false); (problem == "") != c.fine {
			t.Errorf("%s imports %s: %q", c.dir, c.imported, problem)
		}
	}
}

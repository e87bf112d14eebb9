package opencode

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// toolRow is a row of testdata/opencode/tools-1.18.33.json: what the real tools
// asked for.
type toolRow struct {
	Place string
	Tool  string
	Args  map[string]any
	Asks  []struct {
		Permission string
		Patterns   []string
	}
}

// action is the Action that the call is, if it is one.
func (r toolRow) action() (evaluator.Action, bool) {
	text := func(name string) string { s, _ := r.Args[name].(string); return s }
	switch r.Tool {
	case "read":
		return evaluator.Action{Kind: evaluator.FileRead, Path: text("filePath")}, text("filePath") != ""
	case "write", "edit":
		return evaluator.Action{Kind: evaluator.FileChange, Path: text("filePath")}, text("filePath") != ""
	case "webfetch":
		return evaluator.Action{Kind: evaluator.WebFetch, URL: text("url")}, true
	case "websearch":
		return evaluator.Action{Kind: evaluator.WebSearch, Query: text("query")}, true
	case "task":
		return evaluator.Action{Kind: evaluator.Subagent, Agent: text("subagent_type")}, true
	case "my_srv_do_it_now":
		return evaluator.Action{Kind: evaluator.MCPTool, Server: "my srv", Tool: "do.it now"}, true
	case "apply_patch":
		return movePatch(text("patchText"))
	}
	return evaluator.Action{}, false
}

// movePatch reads a patch that updates one file and moves it.
func movePatch(patch string) (evaluator.Action, bool) {
	if strings.Count(patch, " File: ") != 1 || !strings.Contains(patch, "*** Move to: ") {
		return evaluator.Action{}, false
	}
	after := func(prefix string) string {
		_, rest, _ := strings.Cut(patch, prefix)
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	return evaluator.Action{Kind: evaluator.FileChange, Path: after("*** Update File: "), To: after("*** Move to: ")}, true
}

// TestRequestsAsRecorded compares the requests that an Action becomes with those
// that the real tools raised. A call that failed before it asked isn't compared.
func TestRequestsAsRecorded(t *testing.T) {
	data, err := os.ReadFile("../../testdata/opencode/tools-1.18.33.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []toolRow }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	places := map[string]oc.Place{
		"git":          {Directory: "/srv/ws", Worktree: "/srv/ws", Home: "/home/dev"},
		"subdirectory": {Directory: "/srv/ws/sub", Worktree: "/srv/ws", Home: "/home/dev"},
		"plain":        {Directory: "/srv/plain", Worktree: "/", Home: "/home/dev"},
	}
	// Folders of the recording's layout: whether a path is one isn't known to us.
	folders := map[string]bool{"/srv/other": true, "/srv/other/dir": true, "/srv/ws": true, "/srv/plain": true, "/etc": true, "/": true, "/srv": true}
	compared := 0
	for _, row := range f.Cases {
		a, ok := row.action()
		last := len(row.Asks) - 1
		if !ok || last < 0 || row.Asks[last].Permission == "external_directory" {
			continue
		}
		place := place{Place: places[row.Place]}
		if a.Kind == evaluator.FileRead && folders[paths.Abs(place.Directory, a.Path)] {
			place.Folders = []string{paths.Abs(place.Directory, a.Path)}
		}
		got, _, err := place.requests(a)
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if !sameRequests(got, row) {
			t.Errorf("%s: %s %v: we raise %+v, the real one %+v", row.Place, row.Tool, row.Args, got, row.Asks)
		}
	}
	if compared < 200 {
		t.Errorf("only %d calls were compared", compared)
	}
	t.Logf("%d calls compared", compared)
}

// sameRequests compares texts in order; asks for one folder twice count once.
func sameRequests(got []oc.Request, row toolRow) bool {
	flat := func(add func(permission, text string)) {
		for _, a := range row.Asks {
			for _, p := range a.Patterns {
				add(a.Permission, p)
			}
		}
	}
	var want, have []string
	flat(func(permission, text string) {
		if line := permission + " " + text; len(want) == 0 || want[len(want)-1] != line {
			want = append(want, line)
		}
	})
	for _, q := range got {
		for _, r := range q.Resources {
			if line := q.Action + " " + r.Text; len(have) == 0 || have[len(have)-1] != line {
				have = append(have, line)
			}
		}
	}
	return strings.Join(want, "\n") == strings.Join(have, "\n")
}

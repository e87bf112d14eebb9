package live

import (
	"os"
	"path/filepath"
	"testing"
)

// A session lays the files anew before each call. The folder that the agent is in
// has to be the same one then: an agent whose folder is gone starts no tool.
func TestTheAgentsFolderStays(t *testing.T) {
	p, err := newPlace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	layout := map[string][]string{"${PROJ}": {"src/a.txt", "b.txt"}}
	cwd := filepath.Join(p.project, "src")
	if err := p.lay(layout, cwd); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(cwd)
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(cwd, "left")
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.lay(layout, cwd); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(cwd)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("%s is another folder now (%v)", cwd, err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a call left is still there: %v", err)
	}
}

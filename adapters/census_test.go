package adapters_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCensus holds that no reported fault goes without a test: each id of
// testdata/reports.json is named by a test, or by a provider's reports that one reads.
func TestCensus(t *testing.T) {
	var all struct{ Cases []struct{ ID string } }
	load(t, "../testdata/reports.json", &all)
	if len(all.Cases) != 104 {
		t.Errorf("%d reports, want 104", len(all.Cases))
	}
	named := map[string]bool{}
	id := regexp.MustCompile(`\b[A-Z]{2,4}-[0-9]{2}\b`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || len(d.Name()) > 2 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, word := range id.FindAllString(string(text), -1) {
			named[word] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, provider := range []string{"claude", "codex"} {
		var own struct{ Cases []json.RawMessage }
		load(t, "../testdata/"+provider+"/reports.json", &own)
		for _, raw := range own.Cases {
			var c struct{ ID string }
			if err := json.Unmarshal(raw, &c); err != nil {
				t.Fatal(err)
			}
			named[id.FindString(c.ID)] = true
		}
	}
	for _, c := range all.Cases {
		if !named[c.ID] {
			t.Errorf("no test names %s", c.ID)
		}
	}
}

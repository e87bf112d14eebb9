package opencode

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

type shellCase struct {
	Command string
	Workdir string
	Asks    []struct {
		Permission string
		Patterns   []string
		Always     []string
	}
	Ran   bool
	Error string
}

func TestScore(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/opencode/shell-1.18.33.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []shellCase }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	ok, bad, doubt := 0, 0, 0
	for _, c := range f.Cases {
		var want []string
		for _, a := range c.Asks {
			if a.Permission == "bash" {
				want = a.Patterns
			}
		}
		s := ReadShell(c.Command)
		switch {
		case s.Doubt != "":
			doubt++
			if testing.Verbose() {
				t.Logf("DOUBT %q real %q: %v", c.Command, want, s.Doubt)
			}
		case !slices.Equal(s.Texts, want):
			bad++
			t.Logf("BAD %q\n   got  %q\n   want %q %s", c.Command, s.Texts, want, c.Error)
		default:
			ok++
		}
	}
	t.Logf("%d ok, %d bad, %d doubt", ok, bad, doubt)
}

package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modegate/modegate/internal/paths"
)

// shellRow is one row of testdata/opencode/shell*.json: what the real 1.18.33
// asked when its shell tool got a text.
type shellRow struct {
	Command string
	Workdir string
	Asks    []struct {
		Permission string
		Patterns   []string
	}
}

func (r shellRow) asked(permission string) []string {
	for _, a := range r.Asks {
		if a.Permission == permission {
			return a.Patterns
		}
	}
	return nil
}

func shellRows(t *testing.T, name string) []shellRow {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../testdata/opencode", name))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []shellRow }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f.Cases
}

// fileNames are the commands whose words 1.x looks at.
var fileNames = []string{
	"cd", "pushd", "popd", "chdir", "push-location", "set-location",
	"rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "cat",
	"get-content", "set-content", "add-content", "copy-item", "move-item", "remove-item", "new-item", "rename-item",
}

// TestShellAsksAsRecorded compares with the real binary. A text may be doubted,
// never misread; least is how many must not be doubted.
func TestShellAsksAsRecorded(t *testing.T) {
	place := Place{Directory: "/srv/ws", Worktree: "/srv/ws", Home: "/home/dev"}
	for _, file := range []struct {
		name  string
		least int
	}{{"shell-1.18.33.json", 1820}, {"shell-random-1.18.33.json", 1360}} {
		read := 0
		for _, row := range shellRows(t, file.name) {
			s := ReadShell(row.Command)
			if s.Doubt != "" {
				continue
			}
			read++
			if want := row.asked("bash"); !slices.Equal(s.Texts, want) {
				t.Errorf("%q asks for %q, the real one for %q", row.Command, s.Texts, want)
			}
			cwd := paths.Abs(place.Directory, row.Workdir)
			if got, want := place.External(s, cwd, fileNames), row.asked("external_directory"); !may(got, want) {
				t.Errorf("%q in %q asks for folders %q, the real one for %q", row.Command, cwd, got, want)
			}
		}
		if read < file.least {
			t.Errorf("%s: only %d texts are read, expected %d", file.name, read, file.least)
		}
		t.Logf("%s: %d texts read", file.name, read)
	}
}

// continuedLines are texts and what is asked about them.
var continuedLines = []struct {
	text  string
	asked []string
}{
	{"echo a\n\\\ntouch b", []string{"echo a\n\\\ntouch b"}}, {"echo a\n\n\\\ntouch b", []string{"echo a\n\n\\\ntouch b"}},
	{"cd x\n\\\ntouch b", nil}, {"unset A\n\\\ntouch b", nil},
	{"echo a;\n\\\ntouch b", []string{"echo a", "touch b"}}, {"echo a &&\n\\\ntouch b", []string{"echo a", "touch b"}},
	{"echo a\n \\\ntouch b", []string{"echo a", "touch b"}}, {"echo a\n\\\n\ntouch b", []string{"echo a", "touch b"}}, {"ls |\n\\\ntouch b", []string{"ls", "touch b"}},
	{"echo a\\\ntouch", []string{"echo a\\\ntouch"}}, {"echo a \\\n b", []string{"echo a \\\n b"}},
}

// TestContinuedLines holds what was measured on 1.18.33, 2026-12-01: a command
// behind a newline and a continued line is more of the one before, and nobody is
// asked about it behind cd. Where the two grammars part otherwise there is a doubt.
func TestContinuedLines(t *testing.T) {
	for _, c := range continuedLines {
		if got := ReadShell(c.text); got.Doubt != "" || !slices.Equal(got.Texts, c.asked) {
			t.Errorf("%q asks for %q (%s), the real one for %q", c.text, got.Texts, got.Doubt, c.asked)
		}
	}
	for _, text := range []string{
		"cd x\n\\ touch b", "A=1\n\\\ntouch b", "export A=1\n\\\ntouch b", "[ -f x ]\n\\\ntouch b", "(ls)\n\\\ntouch b", "ls # c\n\\\ntouch b",
		"ls > x\n\\\ntouch b", "ls 'a\n\\\nb'", "if x\n\\\nthen y; fi", "cd\\\nx", "a@b c", "a%b",
	} {
		if got := ReadShell(text); got.Doubt == "" {
			t.Errorf("%q asks for %q without a doubt", text, got.Texts)
		}
	}
}

// may reports whether resources can be the texts that were asked: each of them
// one of its two, two that are the same being asked once.
func may(resources []Resource, texts []string) bool {
	i := 0
	for _, r := range resources {
		if i < len(texts) && (texts[i] == r.Text || texts[i] == r.Or) {
			i++
			continue
		}
		if !slices.Contains(texts[:i], r.Text) && !slices.Contains(texts[:i], r.Or) {
			return false
		}
	}
	return i == len(texts)
}

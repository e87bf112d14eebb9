package bash

import (
	"slices"
	"strings"
	"testing"
)

func TestHasComment(t *testing.T) {
	for text, want := range map[string]bool{
		"ls": false, "ls # x": true, "# x": true, "ls #": true, "#!/bin/sh\nls": true, "ls a#b": false, "ls '#'": false,
		`echo "# x"`: false, "(ls # x\n)": true, "if a; then # x\nb; fi": true, "cat <<E\n# x\nE": false, "echo $(ls # x\n)": true, "ls '": false,
	} {
		if got := HasComment(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestCommentsEnd reads comments that end with a backslash: what is in the next
// line is a command of its own, as it is to Bash.
func TestCommentsEnd(t *testing.T) {
	for text, want := range map[string][]string{
		"ls #\\\nrm x":               {"ls", "rm x"},
		"ls # it's\\\nrm x":          {"ls", "rm x"},
		"ls >f #\\\nrm x":            {"ls", "rm x"},
		"A=1 #\\\nrm x":              {"rm x"},
		"ls $(a #\\\nrm x\n)":        {"ls $(a #\\\nrm x\n)", "a", "rm x"},
		"ls #a\\\nb #c\\\nc #d\\\nd": {"ls", "b", "c", "d"},
		"ls a#\\\nrm x":              {"ls a#rm x"},
		"ls '#\\\nrm x'":             {"ls #\\\nrm x"},
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, c := range s.Commands() {
			words, _ := s.Words(c)
			got = append(got, strings.Join(words, " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	for _, text := range []string{"ls #\\\r\nrm x", "ls \\\r\nrm x"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q is read: %v", text, s.Commands())
		}
	}
	if _, err := Parse(strings.Repeat("ls #\\\n", maxEnded+1)); err == nil {
		t.Error("comments without an end are read")
	}
}

package bash

import "testing"

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

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/shell"

	"github.com/modegate/modegate/cmd"
)

// TestReadme runs the README's tour: each command must print what stands there.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range consoleBlocks(string(data)) {
		command, want, _ := strings.Cut(block, "\n")
		args, err := shell.Fields(strings.TrimPrefix(command, "$ go run . "), nil)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		var out, diagnostics bytes.Buffer
		if code := cmd.Main(args, strings.NewReader(""), &out, &diagnostics); code != 0 {
			t.Errorf("%s: exit %d\n%s", command, code, diagnostics.String())
		}
		if d := cmp.Diff(want, out.String()); d != "" {
			t.Errorf("%s: %s", command, d)
		}
		ran++
	}
	if ran < 4 {
		t.Errorf("only %d commands were found", ran)
	}
}

// consoleBlocks returns the fenced blocks that start with a command.
func consoleBlocks(text string) []string {
	var out []string
	for _, part := range strings.Split(text, "```console\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		out = append(out, block)
	}
	return out
}

package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serve that can't be safe or can't be useful doesn't start, and says why.
func TestServeRefusesToStart(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "p.yaml")
	if err := os.WriteFile(broken, []byte("apiVersion: modegate/v1\nname: a\nrulez: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	guards := func(files ...string) string {
		dir := t.TempDir()
		for i := 0; i < len(files); i += 2 {
			if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	const good = "package modegate.guardrails.g\n\ndecision := {\"effect\": \"allow\"}\n"
	for _, c := range []struct {
		about string
		args  []string
		says  string
	}{
		{"the network without tokens", []string{"--addr", "0.0.0.0:0"}, "without --tokens"},
		{"every address without tokens", []string{"--addr", ":0"}, "without --tokens"},
		{"a name that only looks local", []string{"--addr", "localhost.example:0"}, "without --tokens"},
		{"no such tokens", []string{"--tokens", filepath.Join(dir, "none")}, "no such file"},
		{"half of TLS", []string{"--tls-cert", "x"}, "go together"},
		{"guardrails that aren't there", []string{"--guardrails", filepath.Join(dir, "none")}, "none: no such file"},
		{"no guardrails in the folder", []string{"--guardrails", dir}, "p.yaml: data files aren't read"},
		{"broken Rego", []string{"--guardrails", guards("a.rego", good, "b.rego", "package modegate.guardrails.b\n\ndecision := }\n")}, "b.rego:3:13: unexpected } token\n  decision := }\n              ^"},
		{"one guardrail in two files", []string{"--guardrails", guards("a.rego", good, "b.rego", good)}, "a.rego:3, too: keep one file for it"},
		{"another answer to faults", []string{"--guardrails", guards("a.rego", good), "--guardrails-on-error", "allow"}, "--guardrails-on-error allow: use error or ask"},
		{"no time for guardrails", []string{"--guardrails", guards("a.rego", good), "--guardrails-timeout", "0s"}, "--guardrails-timeout must be longer than 0s"},
		{"two policies of one name", []string{"--policy", guards("a.yaml", "apiVersion: modegate/v1\nname: a\n", "b.yaml", "apiVersion: modegate/v1\nextends: builtin/t3code\n")}, "b.yaml:2:"},
		{"less than no history", []string{"--keep-history", "-1h"}, "can't be negative"},
		{"less than no sessions", []string{"--keep-sessions", "-1"}, "can't be negative"},
		{"a broken policy", []string{"--addr", "127.0.0.1:0", "--policy", broken}, broken + ":3:1: "},
	} {
		var out, diagnostics bytes.Buffer
		code := Main(append([]string{"serve", "--data", data}, c.args...), strings.NewReader(""), &out, &diagnostics)
		if code != 2 || !strings.Contains(diagnostics.String(), c.says) || out.Len() > 0 {
			t.Errorf("%s: exit %d, %s%s", c.about, code, &out, &diagnostics)
		}
	}
}

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
		{"a broken policy", []string{"--addr", "127.0.0.1:0", "--policy", broken}, broken + ":3:1: "},
	} {
		var out, diagnostics bytes.Buffer
		code := Main(append([]string{"serve", "--data", data}, c.args...), strings.NewReader(""), &out, &diagnostics)
		if code != 2 || !strings.Contains(diagnostics.String(), c.says) || out.Len() > 0 {
			t.Errorf("%s: exit %d, %s%s", c.about, code, &out, &diagnostics)
		}
	}
}

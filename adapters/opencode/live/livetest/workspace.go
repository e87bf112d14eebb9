package livetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Git makes a directory a git repository with one empty commit.
func Git(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"-c", "user.email=dev@example.invalid", "-c", "user.name=dev", "commit", "-q", "--allow-empty", "-m", "init"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// Workspace makes the git workspace root/srv/ws that recordings are taken in.
func Workspace(t testing.TB, root string) string {
	t.Helper()
	ws := filepath.Join(root, "srv", "ws")
	Git(t, ws)
	return ws
}

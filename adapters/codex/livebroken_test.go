package codex_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/internal/livebin"
)

// TestLiveBrokenRules: beside a file of rules that can't be parsed the app-server
// starts a thread, and codex exec ends before it starts one. Without a server to
// talk to, an exec that starts is stopped.
func TestLiveBrokenRules(t *testing.T) {
	bin := livebin.Need(t, livebin.Codex)
	for rules, broken := range map[string]bool{"prefix_rule(pattern=[\"git\"\n": true, "prefix_rule(pattern=[\"git\"])\n": false} {
		a := &agent{t: t, base: newBase(t, rules)}
		write(t, filepath.Join(a.base, "home", ".codex", "config.toml"), "model_provider = \"x\"\n[model_providers.x]\nname = \"x\"\nbase_url = \"http://127.0.0.1:1/v1\"\nrequest_max_retries = 0\nstream_max_retries = 0\n")
		if _, refused := threadStart(t, bin, a, filepath.Join(a.base, "ws")); refused != "" {
			t.Errorf("%s: the app-server starts no thread: %s", rules, refused)
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		cmd := exec.CommandContext(ctx, bin, "exec", "--skip-git-repo-check", "hello")
		cmd.Env, cmd.Dir, cmd.WaitDelay = a.env(), filepath.Join(a.base, "ws"), 2*time.Second
		out, _ := cmd.CombinedOutput()
		said := string(out)
		if stopped := strings.Contains(said, "Error loading rules") && cmd.ProcessState.ExitCode() == 1; stopped != broken {
			t.Errorf("%s: exec ended with %d: %s", rules, cmd.ProcessState.ExitCode(), said)
		}
		if started := strings.Contains(said, "session id:"); started == broken {
			t.Errorf("%s: exec starts a thread: %v: %s", rules, started, said)
		}
	}
}

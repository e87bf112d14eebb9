package live

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const config = `model = "mock-model"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = %q
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[features]
shell_snapshot = false
[projects.%q]
trust_level = "trusted"
`

// marker is what every login shell prints first: whether it may gain privileges,
// and who is process 1. It has none of the words that Codex takes for a denial.
const marker = `_n=0
while read -r k v _; do case $k in NoNewPrivs:) _n=$v;; esac; done < /proc/self/status
read -r _p < /proc/1/comm
echo "@@MARK $_n $_p@@"
`

// place is the folders of one agent: home, ws and outside. They lie outside /tmp,
// which is writable in the sandbox.
type place struct{ base string }

func newPlace(rules, modelURL string) (place, error) {
	base, err := os.MkdirTemp("/var/tmp", "modegate-codex-")
	if err != nil {
		return place{}, err
	}
	p := place{base}
	for _, d := range []string{"home/.codex/rules", "tmp"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(base, d), 0o755))
	}
	err = errors.Join(err,
		os.WriteFile(filepath.Join(base, "home", ".bash_profile"), []byte(marker), 0o644),
		os.WriteFile(filepath.Join(base, "home", ".codex", "config.toml"), fmt.Appendf(nil, config, modelURL, p.ws()), 0o644))
	if rules != "" {
		err = errors.Join(err, os.WriteFile(filepath.Join(base, "home", ".codex", "rules", "case.rules"), []byte(p.names(rules)), 0o644))
	}
	return p, errors.Join(err, p.reset())
}

func (p place) ws() string { return filepath.Join(p.base, "ws") }

// names puts the agent's folders in place of those of the case files.
func (p place) names(text string) string {
	return strings.NewReplacer("/srv/ws", p.ws(), "/srv/outside", filepath.Join(p.base, "outside"), "/srv/agent", p.base).Replace(text)
}

// reset puts the files of the workspace back.
func (p place) reset() error {
	var err error
	for _, d := range []string{"ws", "outside"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(p.base, d)))
	}
	for _, d := range []string{"ws/sub", "ws/.codex", "ws/.agents", "outside"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(p.base, d), 0o755))
	}
	for name, text := range map[string]string{"file.txt": "hi\n", "sub/f": "a\n", "cat": "#!/bin/sh\n"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(p.ws(), name), []byte(text), 0o755))
	}
	if err != nil {
		return err
	}
	git := exec.Command("git", "init", "-q", p.ws())
	git.Env = p.environment()
	if out, err := git.CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	return nil
}

func (p place) environment() []string {
	home := filepath.Join(p.base, "home")
	return []string{"HOME=" + home, "CODEX_HOME=" + filepath.Join(home, ".codex"), "TMPDIR=" + filepath.Join(p.base, "tmp"), "PATH=/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/bash"}
}

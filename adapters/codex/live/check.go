package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
)

// Checker asks `codex execpolicy check`: rules files and a command, one start
// each. No command is run.
type Checker struct {
	bin, dir string
	once     sync.Once
}

// OpenChecker makes a checker of a binary.
func OpenChecker(bin string) (*Checker, error) {
	dir, err := os.MkdirTemp("", "modegate-execpolicy-")
	if err != nil {
		return nil, err
	}
	return &Checker{bin: bin, dir: dir}, nil
}

// Close removes its folder.
func (c *Checker) Close() error {
	var err error
	c.once.Do(func() { err = os.RemoveAll(c.dir) })
	return err
}

// checkTimeout bounds one start.
const checkTimeout = 30 * time.Second

// Answer asks about each row.
func (c *Checker) Answer(ctx context.Context, _ compiler.CaseFile, rows []jsontext.Value) ([]compiler.Answer, error) {
	out := make([]compiler.Answer, len(rows))
	for i, raw := range rows {
		var r struct {
			Files   []string `json:"files"`
			Argv    []string `json:"argv"`
			ByPaths bool     `json:"byPaths"`
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		args := []string{"execpolicy", "check"}
		for n, text := range r.Files {
			name := filepath.Join(c.dir, fmt.Sprint(n, ".rules"))
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				return nil, err
			}
			args = append(args, "--rules", name)
		}
		if r.ByPaths {
			args = append(args, "--resolve-host-executables")
		}
		answer, err := c.run(ctx, append(append(args, "--"), r.Argv...))
		if err != nil {
			out[i] = compiler.Answer{Failed: err.Error()}
			continue
		}
		out[i] = compiler.Answered(raw, answer, map[string]any{"answer": answer, "dir": c.dir})
	}
	return out, ctx.Err()
}

// run returns what one start printed, or that Codex refused the rules.
func (c *Checker) run(ctx context.Context, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Dir, cmd.WaitDelay = c.dir, 2*time.Second
	cmd.Env = []string{"HOME=" + c.dir, "CODEX_HOME=" + c.dir, "TMPDIR=" + c.dir, "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return "refused", nil
	case err != nil:
		return "", err
	}
	return string(bytes.TrimSpace(out)), nil
}

// Package oracle asks a real OpenCode 1.18.33 what it does with the rows of case
// files: [Native] its native evaluator, which has OpenCode 2's rules, and [Loop]
// the agent loop of 1.x with a scripted model.
//
// It owns how a row is put to the server and its answer told; what rules mean is
// the dialects'. Everything lies in a temporary folder, and nothing but grep is
// ever run.
package oracle

import (
	"context"
	"os"
	"path/filepath"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/internal/strictjson"
)

// started is a running server in a folder of its own.
type started struct {
	root, home string
	server     *live.Server
}

// start starts a server with a global opencode.json.
func start(ctx context.Context, bin string, config map[string]any) (*started, error) {
	root, err := os.MkdirTemp("", "modegate-opencode-")
	if err != nil {
		return nil, err
	}
	s := &started{root: root, home: filepath.Join(root, "home", "dev")}
	if err := writeConfig(filepath.Join(live.ConfigDir(s.home), "opencode.json"), config); err != nil {
		s.stop()
		return nil, err
	}
	tmp := filepath.Join(root, "tmp") // the binary unpacks libraries there, and leaves them
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		s.stop()
		return nil, err
	}
	s.server, err = live.Start(ctx, live.Options{
		Binary: bin, Dir: s.home, Home: s.home, Env: []string{"SHELL=/bin/bash", "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + tmp},
	})
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *started) stop() {
	if s.server != nil {
		s.server.Stop()
	}
	os.RemoveAll(s.root)
}

func writeConfig(path string, config any) error {
	b, err := strictjson.Encode(config)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

// row is a row of the evaluator's case files, or of the home shortcuts'.
type row struct {
	Rules     []live.NativeRule `json:"rules"`
	Saved     []grant           `json:"saved"`
	Action    string            `json:"action"`
	Resources []string          `json:"resources"`
	In        *string           `json:"in"`
}

type grant struct {
	Action   string `json:"action"`
	Resource string `json:"resource"`
}

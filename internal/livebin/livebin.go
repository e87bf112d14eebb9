// Package livebin finds the real agent binaries that live tests drive.
//
// It owns one question: where is the binary of this agent on this machine, and
// what does a test do when there is none. A binary is named by an environment
// variable or lies in the .live folder at the module root, where the pinned npm
// packages are installed. Nothing is downloaded and no PATH is searched: a live
// test runs the pinned version or does not run.
package livebin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// LiveEnv is the environment variable that makes a missing binary a failure
// when it is "1". Without it a missing binary skips the test.
const LiveEnv = "MODEGATE_LIVE"

// T is the part of a test that [Need] uses. The product finds binaries through
// this package too, and shouldn't carry the testing package for it.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// Need returns the absolute path of the agent's binary. Without one it skips
// the test and says where it looked, or fails it when [LiveEnv] is "1".
//
// A variable that names something which can't be run fails the test in either
// case: someone asked for that binary.
func Need(t T, a Agent) string {
	t.Helper()
	path, err := Find(a)
	if err == nil {
		return path
	}
	if os.Getenv(LiveEnv) == "1" || os.Getenv(a.Env) != "" {
		t.Fatalf("livebin: %v", err)
	}
	t.Skipf("livebin: %v; set %s=1 to make this a failure", err, LiveEnv)
	return ""
}

// Find returns the absolute path of the agent's binary: the one its variable
// names, else the first of its packages' binaries in the .live folder.
func Find(a Agent) (string, error) {
	if named := os.Getenv(a.Env); named != "" {
		if err := runnable(named); err != nil {
			return "", fmt.Errorf("%s: %w", a.Env, err)
		}
		return filepath.Abs(named)
	}
	root, err := ModuleRoot()
	if err != nil {
		return "", fmt.Errorf("no %s binary: %s is not set and %w", a.Name, a.Env, err)
	}
	for _, p := range a.Paths {
		path := filepath.Join(root, ".live", "node_modules", filepath.FromSlash(p))
		if runnable(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s %s binary: %s is not set and .live holds none of %v", a.Name, a.Version, a.Env, a.Paths)
}

// Digest returns the SHA-256 of a file in lower-case hexadecimal, the name a
// binary has in recorded evidence.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("digest %s: %w", filepath.Base(path), err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// runnable says why a path is not a file that can be run.
func runnable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%s is not an executable file", path)
	}
	return nil
}

// ModuleRoot walks up from the working directory, which in a test is the
// package's folder, to the folder that holds go.mod.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = parent
	}
}

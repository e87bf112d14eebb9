//go:build unix

package live_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/opencode/live"
)

// fakeBinary writes a shell script that stands for the opencode binary.
func fakeBinary(t *testing.T, script string) live.Options {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "opencode")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return live.Options{Binary: bin, Dir: dir, Home: filepath.Join(dir, "home"), StartTimeout: 10 * time.Second, StopTimeout: 300 * time.Millisecond}
}

const listening = `printf 'opencode server '; echo "listening on http://127.0.0.1:$5"; `

func TestStartAndStop(t *testing.T) {
	o := fakeBinary(t, listening+`echo "$@ [$HOME] [$HTTP_PROXY] [$OPENCODE_CONFIG] [$NO_PROXY] [$EXTRA] ${#OPENCODE_SERVER_PASSWORD}"; exec sleep 60`)
	t.Setenv("HTTP_PROXY", "http://proxy.invalid")
	t.Setenv("OPENCODE_CONFIG", "/somewhere")
	o.Port, o.Env = 4999, []string{"EXTRA=more"}
	s, err := live.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if s.BaseURL() != "http://127.0.0.1:4999" || s.StartupTime() <= 0 {
		t.Error(s.BaseURL(), s.StartupTime())
	}
	waitFor(t, func() bool { return strings.Contains(s.LogTail(), "[more]") })
	want := "serve --hostname 127.0.0.1 --port 4999 --print-logs [" + o.Home + "] [] [] [127.0.0.1,localhost,::1] [more] 26\n"
	if !strings.Contains(s.LogTail(), want) {
		t.Errorf("log %q lacks %q", s.LogTail(), want)
	}
	s.Stop()
	select {
	case <-s.Done():
	default:
		t.Error("the server is not done after Stop")
	}
	s.Stop() // again
}

// TestStopEndsTheGroup checks a server that won't end and has a child.
func TestStopEndsTheGroup(t *testing.T) {
	o := fakeBinary(t, `trap '' TERM; sleep 61 & echo $! > "$HOME/child"; `+listening+`while :; do sleep 1; done`)
	s, err := live.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(o.Home, "child"))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	s.Stop()
	if took := time.Since(begin); took < o.StopTimeout || took > 5*time.Second {
		t.Errorf("Stop took %v", took)
	}
	waitFor(t, func() bool { return gone(child) })
}

// gone reports whether a process has ended; a zombie has.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestStartFails(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, a := range map[string]struct {
		script string
		ctx    context.Context
		says   string
	}{
		"it ends":             {"echo broken config; exit 3", t.Context(), "broken config"},
		"it never listens":    {"echo opencode server listening; exec sleep 60", t.Context(), "no listening line"},
		"another address":     {"echo opencode server listening on http://0.0.0.0:1; exec sleep 60", t.Context(), "no listening line"},
		"the context is over": {"exec sleep 60", canceled, "context canceled"},
	} {
		o := fakeBinary(t, a.script)
		o.Port, o.StartTimeout = 4998, 500*time.Millisecond
		s, err := live.Start(a.ctx, o)
		if err == nil {
			s.Stop()
		}
		if !errors.Is(err, live.ErrNotStarted) || !strings.Contains(err.Error(), a.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := live.Start(t.Context(), live.Options{Binary: "/no/such/binary", Dir: t.TempDir()}); err == nil || errors.Is(err, live.ErrNotStarted) {
		t.Errorf("no binary: %v", err)
	}
	if _, err := live.Start(t.Context(), live.Options{}); err == nil {
		t.Error("no options are enough")
	}
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("it never happened")
}

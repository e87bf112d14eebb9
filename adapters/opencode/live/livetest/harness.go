package livetest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/internal/scripted"
)

// Options say what a harness starts.
type Options struct {
	// Root is the temporary folder that holds everything: Root/home/dev is the
	// server's home. Empty makes one.
	Root string
	// Config adds to the global opencode.json; see [Config].
	Config map[string]any
	Env    []string
	// Password of the server, for a test that reaches it by itself, or starts it
	// anew. Empty makes a random one.
	Password string
	// StopTimeout is how long the server may take to end when it is stopped; 0 means
	// five seconds.
	StopTimeout time.Duration
}

// A Harness is a running OpenCode with a scripted model.
type Harness struct {
	Root   string
	Home   string
	Server *live.Server
	Model  *scripted.Server
	t      testing.TB
	o      live.Options
}

// Start starts the real binary, or skips the test where there is none. Both the
// binary and the model end with the test.
func Start(t testing.TB, o Options) *Harness {
	t.Helper()
	bin := livebin.Need(t, livebin.OpenCode)
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	h := &Harness{Root: o.Root, Home: filepath.Join(o.Root, "home", "dev"), Model: scripted.Start(), t: t}
	t.Cleanup(h.Model.Close)
	config, err := Config(h.Model.BaseURL(), o.Config)
	if err != nil {
		t.Fatal(err)
	}
	Write(t, filepath.Join(live.ConfigDir(h.Home), "opencode.json"), string(config))
	h.o = live.Options{
		Binary: bin, Dir: h.Home, Home: h.Home, Password: o.Password, StopTimeout: o.StopTimeout,
		Env: append([]string{"SHELL=/bin/bash", "GIT_CONFIG_NOSYSTEM=1"}, o.Env...),
	}
	h.run()
	return h
}

func (h *Harness) run() {
	h.t.Helper()
	var err error
	if h.Server, err = live.Start(h.t.Context(), h.o); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(h.Server.Stop)
	h.t.Logf("opencode listens after %v", h.Server.StartupTime())
}

// Again starts the server that was stopped anew, at the same address and with
// what it has kept.
func (h *Harness) Again() {
	h.t.Helper()
	u, err := url.Parse(h.Server.BaseURL())
	if err == nil {
		h.o.Port, err = strconv.Atoi(u.Port())
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.run()
}

// Write writes a file and the folders above it.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// In opens a directory of the server and follows its events until the test
// ends. It returns once the events flow.
func (h *Harness) In(dir string) *Place {
	h.t.Helper()
	p := &Place{Client: h.Server.Client(dir), t: h.t}
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	connected, over := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(over)
		_ = p.Client.Events(ctx, live.Hooks{
			Connected: func(context.Context, bool) { once.Do(func() { close(connected) }) },
			Event:     p.deliver,
		})
	}()
	h.t.Cleanup(func() { cancel(); <-over })
	select {
	case <-connected:
	case <-h.t.Context().Done():
	case <-h.Server.Done():
		h.t.Fatalf("the server ended:\n%s", h.Server.LogTail())
	}
	return p
}

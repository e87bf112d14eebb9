package web_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
)

// chromium finds the browser: MODEGATE_CHROMIUM names it, else it is looked for,
// and the test is skipped where there is none.
func chromium(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("MODEGATE_CHROMIUM"); named != "" {
		return named
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium on the PATH: install one, or name it in MODEGATE_CHROMIUM, which then has to work")
	return ""
}

const token = "a-token-of-the-tests"

// page is one browser tab on a service of its own, and what was seen of it.
type page struct {
	t      *testing.T
	ctx    context.Context
	server *server.Server
	origin string
	gone   func() // stops the service

	mu       sync.Mutex
	requests []string
	faults   []string // console errors, exceptions, violations of the page's policy
	expected []string // texts of faults that a test provokes
}

// open starts a service under the policies and a tab that has signed in.
func open(t *testing.T, policies ...string) *page {
	t.Helper()
	p := openOut(t, policies...)
	p.do(chromedp.Navigate(p.origin + "/sign-in?code=" + p.server.SignInCode(token)))
	return p
}

// openOut is open without signing in, and without going anywhere.
func openOut(t *testing.T, policies ...string) *page {
	t.Helper()
	root := browser(t)
	p := &page{t: t, server: serve(t, policies)}
	listening := httptest.NewServer(p.server.Handler())
	t.Cleanup(listening.Close)
	p.origin, p.gone = listening.URL, listening.Close
	// A browser context of its own has cookies of its own.
	ctx, leave := chromedp.NewContext(root, chromedp.WithNewBrowserContext())
	t.Cleanup(leave)
	p.ctx = ctx
	if err := p.listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.check)
	return p
}

// started is the one browser of all tests, and what ends it.
var started struct {
	once sync.Once
	ctx  context.Context
	err  error
	stop func()
}

func browser(t *testing.T) context.Context {
	t.Helper()
	path := chromium(t)
	started.once.Do(func() { started.err = startBrowser(path) })
	if started.err != nil {
		t.Fatal(started.err)
	}
	return started.ctx
}

func startBrowser(path string) error {
	profile, err := os.MkdirTemp("", "modegate-chromium-")
	if err != nil {
		return err
	}
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1440, 900))
	var said bytes.Buffer
	allocated, stop := chromedp.NewExecAllocator(context.Background(), append(flags, chromedp.CombinedOutput(&said))...)
	ctx, leave := chromedp.NewContext(allocated)
	started.ctx = ctx
	started.stop = func() {
		_ = chromedp.Cancel(ctx)
		leave()
		stop()
		for range 50 { // what the browser started may write for a while yet
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("%s doesn't start: %w\n%s", path, err, said.String())
	}
	return nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if started.stop != nil {
		started.stop()
	}
	os.Exit(code)
}

// common is the service of the tests that change nothing.
var common = sync.OnceValues(func() (*server.Server, error) { return build("builtin/t3code") })

func serve(t *testing.T, policies []string) *server.Server {
	t.Helper()
	get := common
	if len(policies) > 0 {
		get = func() (*server.Server, error) { return build(policies...) }
	}
	s, err := get()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(policies ...string) (*server.Server, error) {
	proven, err := evidence.Embedded()
	if err != nil {
		return nil, err
	}
	access := &server.Access{Loopback: true}
	access.Add(token, "a reviewer", server.AdminScope)
	return server.New(server.Config{
		Dialects: adapters.Table(), Policies: policies, Access: access,
		Proofs: func(d compiler.Dialect, version string) []evaluator.Proof { return proven.Proofs(d, version) },
	})
}

package web_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
	"github.com/modegate/modegate/server/store"
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

// service is a service with the store that it keeps its sessions in.
type service struct {
	*server.Server
	kept *store.Store
}

// page is one browser tab on a service of its own, and what was seen of it.
type page struct {
	*service
	t      *testing.T
	ctx    context.Context
	origin string

	gate      *gate
	listening *httptest.Server

	mu       sync.Mutex
	requests []string
	faults   []string // console errors, exceptions, violations of the page's policy
	expected []string // texts of faults that a test provokes
}

// open starts a service under the policies and a tab that has signed in.
func open(t *testing.T, policies ...string) *page {
	t.Helper()
	p := openOut(t, policies...)
	p.signIn(token)
	return p
}

// signIn signs the tab in with the code that a service prints.
func (p *page) signIn(token string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.origin + "/sign-in?code=" + p.SignInCode(token)))
}

// openOut is open without signing in, and without going anywhere.
func openOut(t *testing.T, policies ...string) *page {
	t.Helper()
	browser(t)
	s := serve(t, policies)
	t.Cleanup(func() { s.unload(t) }) // the common one is the next test's, too
	return tabOn(t, s)
}

// unload takes every session away, and with them what waits.
func (s *service) unload(t *testing.T) {
	t.Helper()
	call := func(method, path string) []byte {
		r := httptest.NewRequestWithContext(context.Background(), method, path, nil)
		r.Host = "127.0.0.1"
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Body.Bytes()
	}
	for _, one := range read[struct{ Sessions []struct{ ID string } }](t, call("GET", "/v1/sessions")).Sessions {
		call("DELETE", "/v1/sessions/"+one.ID)
	}
}

// tabOn listens with a service, and opens a tab on it.
func tabOn(t *testing.T, s *service) *page {
	t.Helper()
	p := &page{t: t, service: s, gate: &gate{next: s.Handler()}}
	p.listening = httptest.NewServer(p.gate)
	p.origin = p.listening.URL
	t.Cleanup(p.gone)
	p.tab()
	return p
}

// beside is another tab on the same service, of somebody else's browser.
func (p *page) beside(token string) *page {
	p.t.Helper()
	other := &page{t: p.t, service: p.service, gate: p.gate, listening: p.listening, origin: p.origin}
	other.tab()
	other.signIn(token)
	return other
}

// tab opens the tab. A browser context of its own has cookies of its own.
func (p *page) tab() {
	p.t.Helper()
	ctx, leave := chromedp.NewContext(browser(p.t), chromedp.WithNewBrowserContext())
	p.t.Cleanup(leave)
	p.ctx = ctx
	if err := p.listen(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(p.check)
}

// gate lets everything through to the service but, while it is shut, events.
type gate struct {
	next http.Handler
	mu   sync.Mutex
	shut int // 0: open; 1: connections are cut; else the status that is answered
}

func (g *gate) set(shut int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	switch {
	case shut == 0 || r.URL.Path != "/v1/events":
		g.next.ServeHTTP(w, r)
	case shut == 1:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(shut)
	}
}

// gone stops the service, whoever follows it.
func (p *page) gone() {
	p.listening.Listener.Close()
	p.listening.CloseClientConnections()
	p.listening.Close()
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
	for _, dir := range folders {
		_ = os.RemoveAll(dir) // the system's temporary folder keeps it otherwise
	}
	os.Exit(code)
}

// common is the service of the tests that leave nothing changed.
var common = sync.OnceValues(func() (*service, error) { return build(func(*server.Config) {}, "builtin/t3code") })

func serve(t *testing.T, policies []string) *service {
	t.Helper()
	get := common
	if len(policies) > 0 {
		get = func() (*service, error) { return build(func(*server.Config) {}, policies...) }
	}
	s, err := get()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// folders are the data folders of the services.
var folders []string

// The tokens of the tests beside the admin's, by scope.
func tokenOf(s server.Scope) string { return "a-token-to-" + string(s) }

func build(change func(*server.Config), policies ...string) (*service, error) {
	proven, err := evidence.Embedded()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "modegate-web-")
	if err != nil {
		return nil, err
	}
	folders = append(folders, dir)
	kept, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	access := &server.Access{Loopback: true}
	access.Add(token, "a reviewer", server.AdminScope)
	for _, s := range server.Scopes() {
		access.Add(tokenOf(s), "the "+string(s), s)
	}
	cfg := server.Config{
		Dialects: adapters.Table(), Policies: policies, Access: access,
		Proofs: func(d compiler.Dialect, version string) []evaluator.Proof { return proven.Proofs(d, version) },
		Store:  kept, Translators: server.Translators{evaluator.OpenCode: opencode.Boundary(), evaluator.OpenCode2: opencode2.Boundary(), evaluator.Claude: claude.Boundary()},
	}
	change(&cfg)
	made, err := server.New(cfg)
	return &service{made, kept}, err
}

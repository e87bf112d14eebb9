package livetest

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A Proxy stands between a client and a real server, and breaks what a network
// breaks.
type Proxy struct {
	http *httptest.Server

	mu      sync.Mutex
	deaf    bool
	streams map[chan struct{}]bool
	loses   string
}

// NewProxy starts a proxy of a server that ends with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{streams: map[chan struct{}]bool{}}
	to := httputil.NewSingleHostReverseProxy(u)
	to.FlushInterval = -1
	to.ErrorLog = log.New(io.Discard, "", 0)
	to.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	p.http = httptest.NewServer(p.carried(to))
	t.Cleanup(func() {
		p.Cut()
		p.http.CloseClientConnections()
		p.http.Close()
	})
	return p
}

// URL is the proxy's address.
func (p *Proxy) URL() string { return p.http.URL }

// Cut breaks every event stream.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.streams {
		close(s)
		delete(p.streams, s)
	}
}

// Deafen lets no event stream through, or lets them through again.
func (p *Proxy) Deafen(deaf bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = deaf
}

// Lose carries the next call through whose path ends so, and loses its answer.
func (p *Proxy) Lose(pathEnd string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loses = pathEnd
}

func (p *Proxy) carried(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/event" {
			p.stream(to, w, r)
			return
		}
		p.mu.Lock()
		lose := p.loses != "" && strings.HasSuffix(r.URL.Path, p.loses)
		if lose {
			p.loses = ""
		}
		p.mu.Unlock()
		if lose {
			to.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		to.ServeHTTP(w, r)
	})
}

func (p *Proxy) stream(to http.Handler, w http.ResponseWriter, r *http.Request) {
	s := make(chan struct{})
	p.mu.Lock()
	deaf := p.deaf
	if !deaf {
		p.streams[s] = true
	}
	p.mu.Unlock()
	if deaf {
		panic(http.ErrAbortHandler)
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer func() {
		cancel()
		p.mu.Lock()
		delete(p.streams, s)
		p.mu.Unlock()
	}()
	go func() {
		select {
		case <-s:
			cancel()
		case <-ctx.Done():
		}
	}()
	to.ServeHTTP(w, r.WithContext(ctx))
}

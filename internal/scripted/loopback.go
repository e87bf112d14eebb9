package scripted

import (
	"context"
	"net"
	"net/http"
	"time"
)

// loopback is an HTTP server on a free port of 127.0.0.1. It stands in for
// net/http/httptest, which a program shouldn't carry: scripted models also serve
// the verbs that ask real agents.
type loopback struct {
	url    string
	server *http.Server
	over   chan struct{}
}

// listen starts a server. Without a free port on loopback nothing here can work,
// so that is a panic.
func listen(h http.Handler) *loopback {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic("scripted: " + err.Error())
	}
	s := &loopback{
		url:    "http://" + l.Addr().String(),
		server: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute},
		over:   make(chan struct{}),
	}
	go func() {
		defer close(s.over)
		s.server.Serve(l)
	}()
	return s
}

// close waits a moment for the requests that are under way, then cuts them off.
func (s *loopback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		s.server.Close()
	}
	<-s.over
}

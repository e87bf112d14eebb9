package server

import (
	"context"
	"time"
)

// Route is a line of the table of routes, for tests.
type Route struct {
	Method, Path string
	Scopes       []Scope
	Public       bool
}

// Routes is the table of routes.
func Routes() []Route {
	var out []Route
	for _, r := range table() {
		out = append(out, Route{r.method, r.path, r.scopes, r.public})
	}
	return out
}

// Engine is what Gin really routes.
func (s *Server) Engine() [][2]string {
	var out [][2]string
	for _, r := range s.engine.Routes() {
		out = append(out, [2]string{r.Method, r.Path})
	}
	return out
}

// Evaluate answers by the strict way alone, or says no.
func (s *Server) Evaluate(body []byte) (out []byte, ok bool) {
	c := call{snap: s.current.Load(), who: &Identity{rates: newRates(plainRate)}}
	out, p := s.evaluate(&c, body)
	return out, p == nil
}

// Quickly answers by the fast way alone, or nil.
func (s *Server) Quickly(body []byte) []byte {
	if out := s.current.Load().quickly(body); out != nil {
		return *out
	}
	return nil
}

// OpenAPI is the embedded document.
func OpenAPI() []byte { return openAPI }

// SetEventTimes says how often a connection is kept alive, and how long a reader
// may take.
func (s *Server) SetEventTimes(alive, write time.Duration) {
	s.desk.keepAlive, s.desk.readerWrites = alive, write
}

// Prune removes what is no longer kept.
func (s *Server) Prune() { s.desk.prune(context.Background()) }

// ReloadTokens reads the file of tokens anew, as the watching does.
func (s *Server) ReloadTokens() { s.reloadTokens(context.Background()) }

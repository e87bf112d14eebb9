package server

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/modegate/modegate/internal/strictjson"
)

// call is one request: what is in force for it, who makes it, and its answer.
type call struct {
	*gin.Context
	snap    *snapshot
	route   *route
	who     *Identity // nil where nobody has signed in
	browser bool      // signed in by cookie
	id      string
	span    span
	start   time.Time
}

const (
	policyHeader  = "Modegate-Policy"
	requestHeader = "X-Request-Id"
	jsonType      = "application/json"
	problemJSON   = "application/problem+json"
)

var jsonTypes = []string{jsonType}

// serve carries one request through: who and what is admitted, the handler, and
// what is written down about it.
func (s *Server) serve(g *gin.Context, r *route) {
	c := call{Context: g, snap: s.current.Load(), route: r, start: time.Now()}
	c.id = s.ids.of(g.Request)
	c.span = spanOf(g.Request)
	h := g.Writer.Header()
	h[policyHeader] = c.snap.header
	h[requestHeader] = []string{c.id}
	h["X-Content-Type-Options"] = noSniff
	h["Cache-Control"] = noCache
	if c.span.valid {
		h["Traceparent"] = []string{c.span.String()}
	}
	defer s.finish(&c)
	if p := s.admit(&c); p != nil {
		c.refuse(p)
		return
	}
	r.handle(s, &c)
}

var (
	noSniff = []string{"nosniff"}
	noCache = []string{"private, no-cache"}
)

// finish turns a panic into an answer, and writes down what happened.
func (s *Server) finish(c *call) {
	if fault := recover(); fault != nil {
		if fault == http.ErrAbortHandler {
			panic(fault)
		}
		s.Log.Error("panic", "request", c.id, "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
		if !c.Writer.Written() {
			c.refuse(newProblem(http.StatusInternalServerError, "internal", "this is a fault of modegate: report it with the request's id"))
		}
	}
	status := c.Writer.Status()
	took := time.Since(c.start)
	s.metrics.request(c.route, status, took)
	level := slog.LevelInfo
	if c.route.quiet && status < http.StatusBadRequest {
		level = slog.LevelDebug
	}
	if ctx := c.Request.Context(); s.Log.Enabled(ctx, level) {
		s.Log.LogAttrs(ctx, level, "request", s.attributes(c, status, took)...)
	}
}

func (s *Server) attributes(c *call, status int, took time.Duration) []slog.Attr {
	out := []slog.Attr{
		slog.String("request", c.id), slog.String("method", c.Request.Method), slog.String("path", c.Request.URL.Path),
		slog.Int("status", status), slog.Duration("took", took), slog.Int("bytes", c.Writer.Size()),
		slog.String("remote", c.Request.RemoteAddr), slog.String("policy", c.snap.policy.Digest),
	}
	if c.who != nil {
		out = append(out, slog.String("who", c.who.Name))
	}
	if c.span.valid {
		out = append(out, slog.String("trace", c.span.trace()), slog.String("span", c.span.own()))
	}
	return out
}

// maxUnmeasured is the size up to which net/http finds out an answer's length.
const maxUnmeasured = 2000

// answer writes an encoded JSON value.
func (c *call) answer(status int, body []byte) {
	c.write(status, jsonTypes, body)
}

func (c *call) write(status int, kind []string, body []byte) {
	h := c.Writer.Header()
	h["Content-Type"] = kind
	if len(body) > maxUnmeasured {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	c.Writer.WriteHeader(status)
	_, _ = c.Writer.Write(body) // the client is gone: nobody to tell
}

// reply encodes a value and writes it.
func (c *call) reply(status int, v any) {
	body, err := strictjson.Encode(v)
	if err != nil {
		panic(err)
	}
	c.answer(status, body)
}

// refuse writes a problem.
func (c *call) refuse(p *problem) {
	p.RequestID = c.id
	if p.retryAfter != "" {
		c.Writer.Header().Set("Retry-After", p.retryAfter)
	}
	if p.Status == http.StatusUnauthorized {
		c.Writer.Header().Set("WWW-Authenticate", "Bearer")
	}
	body, err := strictjson.Encode(p)
	if err != nil { // a message that isn't UTF-8
		p.Detail, p.Errors = "the request is malformed", nil
		body, _ = strictjson.Encode(p)
	}
	c.write(p.Status, []string{problemJSON}, body)
}

// body reads the whole body.
func (c *call) body() ([]byte, *problem) {
	if c.browser && c.ContentType() != jsonType {
		return nil, newProblem(http.StatusUnsupportedMediaType, "media-type", "send "+jsonType)
	}
	r, limit := c.Request, c.route.maxBody()
	if r.ContentLength >= 0 && r.ContentLength <= limit {
		data := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, data)
		return data, bodyProblem(err)
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.Writer, r.Body, limit))
	return data, bodyProblem(err)
}

func bodyProblem(err error) *problem {
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return newProblem(http.StatusRequestEntityTooLarge, "too-large", fmt.Sprintf("the body is larger than %d bytes", large.Limit))
	}
	return newProblem(http.StatusBadRequest, "invalid-request", "the body can't be read: "+err.Error())
}

// decode reads the whole body as one JSON value, strictly.
func (c *call) decode(v any) *problem {
	data, p := c.body()
	if p != nil {
		return p
	}
	return c.decodeFrom(data, v)
}

// decodeFrom reads a body as one JSON value, strictly.
func (c *call) decodeFrom(data []byte, v any) *problem {
	if err := strictjson.DecodeNoNull(data, v); err != nil {
		return malformed(err)
	}
	return nil
}

func malformed(err error) *problem {
	at := wrong("", err)
	var e *strictjson.Error
	if errors.As(err, &e) {
		at.Line, at.Column = e.Line, e.Column
	}
	return invalid(at)
}

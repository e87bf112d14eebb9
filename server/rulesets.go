package server

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// cellOf finds the cell that the path names.
func (c *call) cellOf() (evaluator.Cell, *problem) {
	var at evaluator.Cell
	for _, part := range []struct {
		name string
		set  func([]byte) error
	}{
		{"provider", at.Provider.UnmarshalText}, {"mode", at.Mode.UnmarshalText}, {"interaction", at.Interaction.UnmarshalText},
	} {
		if err := part.set([]byte(c.Param(part.name))); err != nil {
			return at, newProblem(http.StatusNotFound, "not-found", err.Error())
		}
	}
	if c.snap.cells[at] == nil {
		return at, newProblem(http.StatusNotFound, "not-found", fmt.Sprintf("this build has no dialect for %s", at.Provider))
	}
	return at, nil
}

// encoded is a RuleSet as it is sent.
type encoded struct {
	body []byte
	etag []string
}

func getRuleset(s *Server, c *call) {
	p := s.asOf(c)
	if p != nil {
		c.refuse(p)
		return
	}
	at, p := c.cellOf()
	if p != nil {
		c.refuse(p)
		return
	}
	s.ruleset(c, func(snap *snapshot) (encoded, error) {
		one := snap.cells[at]
		return encoded{one.body, one.etag}, nil
	})
}

// postRuleset compiles the cell for the Env in the body.
func postRuleset(s *Server, c *call) {
	at, p := c.cellOf()
	if p != nil {
		c.refuse(p)
		return
	}
	var env evaluator.Env
	if p := c.decode(&env); p != nil {
		c.refuse(p)
		return
	}
	if bad := checkEnv(env); bad != nil {
		pointer := strings.TrimPrefix(*bad.Pointer, "/env")
		bad.Pointer = &pointer
		c.refuse(invalid(*bad))
		return
	}
	s.ruleset(c, func(snap *snapshot) (encoded, error) {
		compiled, err := s.inEnv(snap, at, env, "")
		if err != nil {
			return encoded{}, err
		}
		body, err := strictjson.Encode(compiled.RuleSet)
		return encoded{body, []string{etag(compiled.RuleSet.Digest)}}, err
	})
}

// ruleset answers with the RuleSet that get makes of the snapshot in force. A
// client that has it already gets 304, when it asked to wait only after a change
// has been waited for.
func (s *Server) ruleset(c *call, get func(*snapshot) (encoded, error)) {
	wait, p := c.wait()
	if p != nil {
		c.refuse(p)
		return
	}
	if wait > 0 { // net/http ends a request whose time for reading is over, read or not
		_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(wait + readTimeout))
	}
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		out, err := get(c.snap)
		if err != nil {
			c.refuse(uncompilable(err))
			return
		}
		h := c.Writer.Header()
		h["Etag"] = out.etag
		if !matches(c.Request.Header["If-None-Match"], out.etag[0]) {
			c.answer(http.StatusOK, out.body)
			return
		}
		if wait == 0 || !s.awaitChange(c, timeout.C) {
			c.Status(http.StatusNotModified)
			c.Writer.WriteHeaderNow()
			return
		}
		c.snap = s.current.Load()
		h[policyHeader] = c.snap.header
	}
}

// awaitChange returns true when another snapshot is in force.
func (s *Server) awaitChange(c *call, timeout <-chan time.Time) bool {
	select {
	case <-c.snap.changed:
		return true
	case <-timeout:
	case <-c.who.revoked:
	case <-s.stopping:
	case <-c.Request.Context().Done():
	}
	return false
}

// wait reads ?wait=, a Go duration of at most a minute.
func (c *call) wait() (time.Duration, *problem) {
	text, ok := c.GetQuery("wait")
	if !ok {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxWait {
		return 0, invalid(place{Message: fmt.Sprintf("query parameter \"wait\": %q isn't a duration from 0s to %s, as in 30s", text, maxWait)})
	}
	return d, nil
}

// matches compares If-None-Match with an entity tag, as RFC 9110 has it.
func matches(headers []string, tag string) bool {
	for _, h := range headers {
		for one := range strings.SplitSeq(h, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// uncompilable is an Env that the dialect refuses, or that makes a wider gap.
func uncompilable(err error) *problem {
	p := newProblem(http.StatusUnprocessableEntity, "uncompilable", "this cell can't be compiled for this Env: "+err.Error())
	p.Errors = places(err)
	return p
}

// inEnv compiles a cell for an Env, or finds it compiled before.
func (s *Server) inEnv(snap *snapshot, at evaluator.Cell, env evaluator.Env, version string) (*compiler.Compiled, error) {
	key, err := envKeyOf(at, env, version)
	if err != nil {
		return nil, err
	}
	if found := snap.byEnv.get(key); found != nil {
		return found, nil
	}
	compiled, err := s.compile(snap.policy, snap.cells[at].dialect, at, env, version)
	if err == nil {
		snap.byEnv.put(key, compiled)
	}
	return compiled, err
}

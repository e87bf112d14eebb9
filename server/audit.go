package server

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/policies"
)

// AuditConfig is what the reviewer's report needs beside the policy.
type AuditConfig struct {
	Modegate string // the program's version
	// Evidence says what is proven of a provider's version, nil: nothing is.
	Evidence func(d compiler.Dialect, version string) []audit.Claim
	// Invariants checks a policy's invariants, nil: there are none.
	Invariants func(ctx context.Context, p *policies.Policy, d []compiler.Dialect) ([]audit.Broken, error)
}

// auditForm is one form in which a report is answered.
type auditForm struct {
	name  string // of the query parameter format
	media string // of the header Accept
	kind  []string
}

// auditForms lists them, the default first.
var auditForms = []auditForm{
	{"json", jsonType, jsonTypes},
	{"html", "text/html", []string{"text/html; charset=utf-8"}},
	{"markdown", "text/markdown", []string{"text/markdown; charset=utf-8"}},
	{"sarif", "application/sarif+json", []string{"application/sarif+json"}},
}

// auditCache remembers a snapshot's report, and what it was written as.
type auditCache struct {
	mu     sync.Mutex
	report *audit.Report
	bodies map[string][]byte
}

func getAudit(s *Server, c *call) {
	form, p := auditFormOf(c)
	if p != nil {
		c.refuse(p)
		return
	}
	body, p := s.audit(c, form.name)
	if p != nil {
		c.refuse(p)
		return
	}
	h := c.Writer.Header()
	h.Set("Vary", "Accept")
	if form.name == "html" {
		h.Set("Content-Security-Policy", audit.ContentSecurityPolicy()+"; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	c.write(http.StatusOK, form.kind, body)
}

// audit answers with the snapshot's report, made when it is first asked for.
func (s *Server) audit(c *call, format string) ([]byte, *problem) {
	cache := &c.snap.audited
	if body := cache.body(format); body != nil {
		return body, nil
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), checkTimeout)
	defer cancel()
	if p := s.take(ctx); p != nil {
		return nil, p
	}
	defer s.give()
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.report == nil {
		report, err := audit.Build(ctx, c.snap.policy, audit.Options{
			Dialects: s.Dialects, Modegate: s.Audit.Modegate, Evidence: s.Audit.Evidence, Invariants: s.Audit.Invariants,
		})
		switch {
		case ctx.Err() != nil:
			return nil, busy("the audit takes too long")
		case err != nil:
			return nil, newProblem(http.StatusUnprocessableEntity, "no-audit", "the policy can't be audited: "+err.Error())
		}
		cache.report, cache.bodies = report, map[string][]byte{}
	}
	var b bytes.Buffer
	if err := cache.report.Write(&b, format); err != nil {
		return nil, newProblem(http.StatusInternalServerError, "internal", err.Error())
	}
	cache.bodies[format] = b.Bytes()
	return b.Bytes(), nil
}

func (a *auditCache) body(format string) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bodies[format]
}

// auditFormOf is the form that a caller wants: the one that the query names, or
// else the best that the header Accept takes.
func auditFormOf(c *call) (auditForm, *problem) {
	if name, given := c.GetQuery("format"); given {
		i := slices.IndexFunc(auditForms, func(f auditForm) bool { return f.name == name })
		if i < 0 {
			return auditForm{}, invalid(place{Message: fmt.Sprintf("unknown format %q: use json, html, markdown, sarif", name)})
		}
		return auditForms[i], nil
	}
	accept := strings.Join(c.Request.Header.Values("Accept"), ",")
	if strings.TrimSpace(accept) == "" {
		return auditForms[0], nil
	}
	best, weight := -1, 0.0
	for i, f := range auditForms {
		if w := accepts(accept, f.media); w > weight {
			best, weight = i, w
		}
	}
	if best < 0 {
		return auditForm{}, newProblem(http.StatusNotAcceptable, "not-acceptable", "the report is application/json, text/html, text/markdown or application/sarif+json")
	}
	return auditForms[best], nil
}

// accepts is the weight that a header Accept gives to a media type: that of the
// most exact range, 0 where none takes it.
func accepts(accept, media string) float64 {
	weight, exact := 0.0, 0
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		match := 0
		switch group, _, _ := strings.Cut(media, "/"); kind {
		case media:
			match = 3
		case group + "/*":
			match = 2
		case "*/*":
			match = 1
		}
		q := 1.0
		if text, given := params["q"]; given {
			if q, err = strconv.ParseFloat(text, 64); err != nil || !(q >= 0 && q <= 1) {
				continue
			}
		}
		if match > exact {
			weight, exact = q, match
		}
	}
	return weight
}

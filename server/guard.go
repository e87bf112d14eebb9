package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"golang.org/x/time/rate"
)

func newFailures() *rate.Limiter { return rate.NewLimiter(failRate, failBurst) }

// origin refuses requests that a web page of somebody else makes. A page that
// has its own name rebound to our address still sends that name as Host.
func (s *Server) origin(c *call) *problem {
	r := c.Request
	if !s.called(r.Host) {
		return newProblem(http.StatusMisdirectedRequest, "host", "the service isn't called by this Host")
	}
	if given, ok := r.Header["Origin"]; ok && (len(given) != 1 || !sameOrigin(given[0], r)) {
		return forbidden("the request comes from a page of another origin")
	}
	return nil
}

// called reports whether Host is a name of ours: localhost or an address, which
// no foreign name can be rebound to look like, or one that was configured.
func (s *Server) called(host string) bool {
	if host == "127.0.0.1:7420" || host == "localhost:7420" { // the usual, without parsing
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "localhost" {
		return true
	}
	if addr, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return addr.IsLoopback() || !s.Access.Loopback
	}
	return s.Hosts != nil && name != "" && s.Hosts(name)
}

// sameOrigin compares an Origin with the request's own. Behind a proxy that
// speaks TLS for us the scheme may be https though we see http.
func sameOrigin(origin string, r *http.Request) bool {
	scheme, host, ok := strings.Cut(origin, "://")
	if !ok || scheme != "https" && (scheme != "http" || r.TLS != nil) {
		return false
	}
	return strings.EqualFold(host, r.Host)
}

// identify finds out who calls: by bearer token, or by the browser's cookie.
// A token that is wrong is refused, also where nobody needs one.
func (s *Server) identify(c *call) *problem {
	r := c.Request
	if given, ok := r.Header["Authorization"]; ok {
		if len(given) == 1 {
			if scheme, token, ok := strings.Cut(given[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
				c.who = s.Access.find(token)
			}
		}
		if c.who == nil {
			return s.failed()
		}
		return nil
	}
	cookie, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return nil
	}
	if c.who = s.sessions.find(cookie.Value); c.who == nil {
		return nil // it has ended: as if there were none
	}
	c.browser = true
	return sameSite(r)
}

// sameSite refuses what a browser sends with our cookie from elsewhere. SameSite
// keeps the cookie from other sites, but another port of this machine is the
// same site.
func sameSite(r *http.Request) *problem {
	site := r.Header.Get("Sec-Fetch-Site")
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case site == "same-origin" || site == "none" && safe:
		return nil
	case site == "" && (safe || r.Header.Get("Origin") != ""): // an old browser: Origin has been compared
		return nil
	case safe && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, "/v1/"):
		return nil // a link to a page; it shows nothing that isn't public
	}
	return forbidden("the browser's session is for our own pages")
}

// failed is the answer to a wrong token, which may be tried seldom.
func (s *Server) failed() *problem {
	s.Access.ready()
	if !s.Access.failures.plain.Allow() {
		return tooMany()
	}
	return unauthorized()
}

func unauthorized() *problem {
	return newProblem(http.StatusUnauthorized, "unauthorized", "sign in: send Authorization: Bearer TOKEN")
}

func forbidden(detail string) *problem {
	return newProblem(http.StatusForbidden, "forbidden", detail)
}

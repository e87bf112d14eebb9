package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// route is one line of the table of routes: what is called, and who may.
type route struct {
	method string
	path   string
	scopes []Scope // any one of them is enough, and admin always is; none: nobody may
	public bool    // everybody may, signed in or not
	query  []string
	limit  int64 // of the body, maxBody when 0
	heavy  bool  // costs a compilation or more
	quiet  bool  // is called so often that success isn't logged
	handle func(*Server, *call)
}

// table lists every route. What isn't listed here is refused, and what is
// listed without scopes too.
func table() []*route {
	read := []Scope{ReadScope}
	use := []Scope{ReadScope, AdapterScope}
	adapt := []Scope{AdapterScope}
	approve := []Scope{ApproveScope}
	see := []Scope{ReadScope, AdapterScope, ApproveScope}
	const ruleset = "/v1/rulesets/:provider/:mode/:interaction"
	return []*route{
		{method: "GET", path: "/v1/providers", scopes: use, handle: getProviders},
		{method: "GET", path: ruleset, scopes: use, query: []string{"wait", "policy"}, handle: getRuleset},
		{method: "POST", path: ruleset, scopes: use, query: []string{"wait"}, heavy: true, handle: postRuleset},
		{method: "POST", path: "/v1/evaluate", scopes: use, quiet: true, handle: postEvaluate},
		{method: "GET", path: "/v1/matrix", scopes: read, handle: getMatrix},
		{method: "GET", path: "/v1/audit", scopes: read, query: []string{"format"}, heavy: true, handle: getAudit},
		{method: "GET", path: "/v1/policies", scopes: use, handle: getPolicies},
		{method: "GET", path: "/v1/policies/text", scopes: read, handle: getPolicyText},
		{method: "POST", path: "/v1/policies/check", scopes: []Scope{AdminScope}, heavy: true, handle: postCheck},
		{method: "POST", path: "/v1/policies/reload", scopes: []Scope{AdminScope}, heavy: true, limit: maxEmptyBody, handle: postReload},
		{method: "POST", path: "/v1/diff", scopes: []Scope{AdminScope}, heavy: true, handle: postDiff},
		{method: "GET", path: "/v1/sessions", scopes: see, query: []string{"state", "provider", "mode", "after"}, handle: atDesk(getSessions)},
		{method: "PUT", path: "/v1/sessions/:id", scopes: adapt, heavy: true, handle: atDesk(putSession)},
		{method: "PATCH", path: "/v1/sessions/:id", scopes: adapt, heavy: true, handle: atDesk(patchSession)},
		{method: "GET", path: "/v1/sessions/:id", scopes: use, handle: atDesk(getSession)},
		{method: "DELETE", path: "/v1/sessions/:id", scopes: adapt, limit: maxEmptyBody, handle: atDesk(deleteSession)},
		{method: "POST", path: "/v1/sessions/:id/turns", scopes: adapt, limit: maxSmallBody, handle: atDesk(postTurn)},
		{method: "POST", path: "/v1/sessions/:id/turns/:turn/end", scopes: adapt, limit: maxSmallBody, handle: atDesk(postTurnEnd)},
		{method: "GET", path: "/v1/sessions/:id/ruleset", scopes: use, query: []string{"wait"}, handle: atDesk(getSessionRuleset)},
		{method: "GET", path: "/v1/sessions/:id/activities", scopes: see, query: []string{"after"}, handle: atDesk(getActivities)},
		{method: "POST", path: "/v1/sessions/:id/requests", scopes: adapt, handle: atDesk(postRequest)},
		{method: "GET", path: "/v1/requests", scopes: see, query: []string{"state", "session"}, handle: atDesk(getRequests)},
		{method: "GET", path: "/v1/requests/:id", scopes: see, handle: atDesk(getRequest)},
		{method: "GET", path: "/v1/requests/:id/native", scopes: see, handle: atDesk(getRequestNative)},
		{method: "POST", path: "/v1/requests/:id/decision", scopes: approve, limit: maxSmallBody, handle: atDesk(postDecision)},
		{method: "POST", path: "/v1/requests/:id/answers", scopes: approve, handle: atDesk(postAnswers)},
		{method: "POST", path: "/v1/requests/:id/dismiss", scopes: approve, limit: maxSmallBody, handle: atDesk(postDismiss)},
		{method: "POST", path: "/v1/requests/:id/resolution", scopes: adapt, limit: 2 * maxText, handle: atDesk(postResolution)},
		{method: "GET", path: "/v1/events", scopes: see, query: []string{"session", "after", "heartbeat"}, handle: atDesk(getEvents)},
		{method: "GET", path: "/healthz", public: true, quiet: true, handle: getHealth},
		{method: "GET", path: "/readyz", public: true, quiet: true, handle: getReady},
		{method: "GET", path: "/metrics", scopes: read, quiet: true, handle: getMetrics},
		{method: "GET", path: "/openapi.json", public: true, handle: getOpenAPI},
		{method: "GET", path: "/", public: true, handle: getPage},
		{method: "GET", path: "/assets/*file", public: true, quiet: true, handle: getAsset},
		{method: "GET", path: "/sign-in", public: true, query: []string{"code"}, handle: getSignIn},
		{method: "POST", path: "/sign-in", public: true, limit: maxSmallBody, handle: postSignIn},
		{method: "POST", path: "/sign-out", public: true, limit: maxEmptyBody, handle: postSignOut},
		{method: "GET", path: "/v1/me", scopes: []Scope{ReadScope, AdapterScope, ApproveScope}, handle: getMe},
	}
}

func (r *route) maxBody() int64 {
	if r.limit > 0 {
		return r.limit
	}
	return maxBody
}

func (s *Server) routes() (*gin.Engine, error) {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash, e.RedirectFixedPath = false, false
	e.HandleMethodNotAllowed = true
	e.UseRawPath, e.UnescapePathValues = true, true
	for _, r := range table() {
		if r.handle == nil {
			return nil, fmt.Errorf("%s %s has no handler", r.method, r.path)
		}
		s.metrics.add(r)
		e.Handle(r.method, r.path, func(g *gin.Context) { s.serve(g, r) })
	}
	// Where a request goes wrong is told to those alone who may call something.
	anyone := []Scope{ReadScope, AdapterScope, ApproveScope}
	nowhere := &route{path: "none", scopes: anyone, handle: refuseWith(http.StatusNotFound, "not-found", "there is nothing at this path: see /openapi.json")}
	wrongMethod := &route{path: "none", scopes: anyone, handle: refuseWith(http.StatusMethodNotAllowed, "method", "this path doesn't know the method: see /openapi.json")}
	s.metrics.add(nowhere)
	s.metrics.add(wrongMethod)
	e.NoRoute(func(g *gin.Context) { s.serve(g, nowhere) })
	e.NoMethod(func(g *gin.Context) { s.serve(g, wrongMethod) })
	return e, nil
}

func refuseWith(status int, kind, detail string) func(*Server, *call) {
	return func(_ *Server, c *call) { c.refuse(newProblem(status, kind, detail)) }
}

// admit says no to a request before its handler sees it: from where it comes,
// who makes it, how often, and what it asks for.
func (s *Server) admit(c *call) *problem {
	if p := s.origin(c); p != nil {
		return p
	}
	if p := s.identify(c); p != nil {
		return p
	}
	if !c.route.public {
		if c.who == nil {
			return unauthorized()
		}
		if !c.who.may(c.route.scopes) {
			return forbidden("the token's scopes don't cover this: it needs " + scopeWords(c.route.scopes))
		}
	}
	if p := s.limit(c); p != nil {
		return p
	}
	return c.checkQuery()
}

func scopeWords(scopes []Scope) string {
	if len(scopes) == 0 {
		return "a scope that nobody has"
	}
	words := make([]string, 0, len(scopes)+1)
	for _, s := range scopes {
		words = append(words, string(s))
	}
	if !slices.Contains(scopes, AdminScope) {
		words = append(words, string(AdminScope))
	}
	return strings.Join(words, " or ")
}

// checkQuery refuses a query parameter that the route doesn't have, and one that
// is given twice.
func (c *call) checkQuery() *problem {
	if c.Request.URL.RawQuery == "" || c.route.path == "none" {
		return nil
	}
	query, err := parseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return invalid(place{Message: "the query can't be read: " + err.Error()})
	}
	for name, values := range query {
		switch {
		case !slices.Contains(c.route.query, name):
			return invalid(place{Message: fmt.Sprintf("unknown query parameter %q%s", name, knownWords(c.route.query))})
		case len(values) != 1:
			return invalid(place{Message: fmt.Sprintf("query parameter %q is given more than once", name)})
		}
	}
	return nil
}

func knownWords(known []string) string {
	if len(known) == 0 {
		return ": this path has none"
	}
	return ": use " + strings.Join(known, ", ")
}

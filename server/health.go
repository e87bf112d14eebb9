package server

import (
	_ "embed"
	"net/http"

	"github.com/modegate/modegate/compiler"
)

//go:embed openapi.json
var openAPI []byte

// health is the answer of /healthz and /readyz.
type health struct {
	Status string             `json:"status"`
	Policy compiler.PolicyRef `json:"policy"`
}

// getHealth says that the service runs, degraded or not.
func getHealth(_ *Server, c *call) { c.reply(http.StatusOK, healthOf(c, stateOK)) }

func healthOf(c *call, state string) health {
	return health{state, compiler.PolicyRef{Name: c.snap.policy.Name, Digest: c.snap.policy.Digest}}
}

// getReady says no while the policy, a guardrail or the file of tokens on disk is
// broken, and where. From afar the places are shown only to who may read, and those
// of the tokens to admins.
func getReady(s *Server, c *call) {
	f, what, inForce, shown := s.failure.Load(), "the policy", ", "+c.snap.policy.Digest+",", ReadScope
	if f == nil && s.guarded() {
		f, what, inForce = s.guardFailure.Load(), "a guardrail", ", "+s.guards.Load().Digest()+","
	}
	if f == nil {
		f, what, inForce, shown = s.tokensFailure.Load(), "the file of tokens", "", AdminScope
	}
	if f == nil {
		c.reply(http.StatusOK, healthOf(c, "ready"))
		return
	}
	p := newProblem(http.StatusServiceUnavailable, stateDegraded, what+" on disk is broken since "+f.since.Format("2006-01-02 15:04:05 MST")+"; the last good one"+inForce+" is in force")
	if s.Access.Loopback || c.who != nil && c.who.may([]Scope{shown}) {
		p.Errors = f.errors
	}
	c.refuse(p)
}

func getOpenAPI(_ *Server, c *call) { c.answer(http.StatusOK, openAPI) }

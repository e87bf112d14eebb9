package server

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/modegate/modegate/evaluator"
)

// The limits of one request. Dialects have their own, on rules and texts.
const (
	maxHeader    = 16 << 10
	maxBody      = 1 << 20
	maxSmallBody = 4 << 10
	maxEmptyBody = 64
	maxWait      = time.Minute

	maxActions  = 1000      // in one batch
	maxCommand  = 64 << 10  // bytes of a command
	maxRequest  = 512 << 10 // bytes of a native request's JSON, which may hold a file
	maxNative   = 512 << 10 // bytes of pasted settings
	cheapNative = 16 << 10  // bytes of pasted settings up to which reading them costs little
	maxText     = 8 << 10   // bytes of any other text
	maxPattern  = 8 << 10
	maxAgents   = 100
	maxEnvRules = 2000 // rules of agents, grants and saved grants, each
	maxLinks    = 5000

	maxAgentSessions = 10_000 // loaded at once
	maxOpenRequests  = 10_000 // that wait at once
	maxListed        = 1000   // requests or activities in one answer
)

// The rates that one token may keep up, and those of failed sign-ins and of
// everybody without a token together.
const (
	plainRate  = 50_000 // a second
	heavyRate  = 50
	heavyBurst = 100
	publicRate = 2_000
	failRate   = 5
	failBurst  = 50
)

// rates are the budgets of one caller.
type rates struct{ plain, heavy *rate.Limiter }

func newRates(plain int) rates {
	return rates{
		plain: rate.NewLimiter(rate.Limit(plain), plain),
		heavy: rate.NewLimiter(heavyRate, heavyBurst*runtime.GOMAXPROCS(0)),
	}
}

func (s *Server) limit(c *call) *problem {
	budget := s.Access.publicRates()
	if c.who != nil {
		budget = c.who.rates
	}
	if !budget.plain.Allow() || c.route.heavy && !budget.heavy.Allow() {
		return tooMany()
	}
	return nil
}

// heavy takes the budget for a request that turns out to need a compilation.
func (c *call) heavy() *problem {
	if !c.who.rates.heavy.Allow() {
		return tooMany()
	}
	return nil
}

func tooMany() *problem {
	p := newProblem(http.StatusTooManyRequests, "too-many", "too many requests: try again in a second")
	p.retryAfter = "1"
	return p
}

// checkSize refuses an Action with a text that is too long.
func checkSize(pointer string, a evaluator.Action) *place {
	for _, f := range []struct {
		name string
		size int
		most int
	}{
		{"command", len(a.Command), maxCommand}, {"request", len(a.Request), maxRequest},
		{"cwd", len(a.Cwd), maxText}, {"path", len(a.Path), maxText}, {"to", len(a.To), maxText}, {"url", len(a.URL), maxText},
		{"query", len(a.Query), maxText}, {"server", len(a.Server), maxText}, {"tool", len(a.Tool), maxText},
		{"agent", len(a.Agent), maxText}, {"text", len(a.Text), maxText},
	} {
		if f.size > f.most {
			at := pointer + "/" + f.name
			return &place{Pointer: &at, Message: fmt.Sprintf("longer than %d bytes", f.most)}
		}
	}
	return nil
}

// checkEnv refuses an Env that is wrong or too large.
func checkEnv(e evaluator.Env) *place {
	bad := func(pointer, format string, args ...any) *place {
		at := "/env" + pointer
		return &place{Pointer: &at, Message: fmt.Sprintf(format, args...)}
	}
	if err := e.Check(); err != nil {
		at, text, placed := strings.Cut(err.Error(), ": ")
		if placed = placed && !strings.ContainsAny(at, " \""); placed {
			return bad("/"+at, "%s", text)
		}
		return bad("", "%v", err)
	}
	if len(e.Agents) > maxAgents {
		return bad("/agents", "more than %d agents", maxAgents)
	}
	rules := 0
	for i, a := range e.Agents {
		if rules += len(a.Permissions); rules > maxEnvRules {
			return bad("/agents", "more than %d rules", maxEnvRules)
		}
		for j, r := range a.Permissions {
			if len(r.Action) > maxPattern || len(r.Resource) > maxPattern {
				return bad(fmt.Sprintf("/agents/%d/permissions/%d", i, j), "a pattern is longer than %d bytes", maxPattern)
			}
		}
	}
	for name, grants := range map[string][]evaluator.Grant{"grants": e.Grants, "saved": e.Saved} {
		if len(grants) > maxEnvRules {
			return bad("/"+name, "more than %d grants", maxEnvRules)
		}
		for i, g := range grants {
			if len(g.Action) > maxPattern || len(g.Resource) > maxPattern {
				return bad(fmt.Sprintf("/%s/%d", name, i), "a pattern is longer than %d bytes", maxPattern)
			}
		}
	}
	if len(e.Resolved) > maxLinks {
		return bad("/resolved", "more than %d links", maxLinks)
	}
	return nil
}

func parseQuery(raw string) (url.Values, error) { return url.ParseQuery(raw) }

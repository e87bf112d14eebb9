package server

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/modegate/modegate/adapters/broker"
)

// How an answer fared, as the session's adapter reports it.
const (
	resolvedDelivered = "delivered" // the provider has taken the answer
	resolvedFailed    = "failed"    // it can't be delivered, or the provider has lost the request
	resolvedSettled   = "settled"   // another client, or the provider itself, has answered
)

// resolutionBody is what POST …/resolution takes.
type resolutionBody struct {
	Status   string          `json:"status"`
	Decision broker.Decision `json:"decision"` // of settled, where it is known
	Reason   string          `json:"reason"`
}

func (in resolutionBody) check() (bad []place) {
	switch in.Status {
	case resolvedDelivered, resolvedFailed, resolvedSettled:
	default:
		bad = append(bad, wrong("/status", fmt.Errorf("unknown status %q: use delivered, failed, settled", in.Status)))
	}
	if in.Decision != "" && in.Status != resolvedSettled {
		bad = append(bad, wrong("/decision", errors.New("only what another client decided is told: what was decided here is known")))
	}
	known := in.Decision == ""
	for _, d := range decisions() {
		known = known || d == in.Decision
	}
	if !known {
		bad = append(bad, wrong("/decision", fmt.Errorf("unknown decision %q: use %s", in.Decision, join(decisions()))))
	}
	if len(in.Reason) > maxText {
		bad = append(bad, wrong("/reason", fmt.Errorf("longer than %d bytes", maxText)))
	}
	return bad
}

// postResolution takes the adapter's report of how a request ended at the
// provider. The same report again changes nothing.
func postResolution(d *desk, c *call) {
	var in resolutionBody
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return
	}
	if bad := in.check(); len(bad) > 0 {
		c.refuse(invalid(bad...))
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		e, p := ch.find(c.Param("id"))
		if p != nil {
			return 0, nil, p
		}
		next := e
		switch {
		case !e.public.State.Over():
			next, p = ch.resolve(e, in)
		case in.again(e):
		case e.unreported():
			next = ch.late(e, in)
		default:
			p = tooLate(e)
		}
		return http.StatusOK, next.public, p
	})
}

// again reports whether a request that is over ended as the report says, or was
// reported so after its end.
func (in resolutionBody) again(e *entry) bool {
	if late := e.public.Late; late != nil {
		return late.Status == in.Status && late.Decision == in.Decision
	}
	other := e.public.DecidedBy == byOther
	dismissed := e.public.State == broker.StateCancelled && e.public.Decision == broker.Cancel && !e.unreported()
	switch in.Status {
	case resolvedDelivered:
		return !other && (e.public.State == broker.StateResolved || dismissed)
	case resolvedSettled:
		return other && e.public.Decision == in.Decision
	}
	return e.public.State == broker.StateFailed
}

func (ch *change) resolve(e *entry, in resolutionBody) (*entry, *problem) {
	var life broker.Life
	var err error
	switch in.Status {
	case resolvedDelivered:
		life, err = e.life.Deliver(e.public.Shape)
	case resolvedFailed:
		reason := in.Reason
		if reason == "" {
			reason = "the answer couldn't be delivered"
		}
		life, err = e.life.Fail(byAdapter, reason)
	case resolvedSettled:
		reason := in.Reason
		if reason == "" {
			reason = "answered at the provider, not here"
		}
		life, err = e.life.Settle(e.public.Shape, broker.Answer{Decision: in.Decision}, byOther, reason)
	}
	if err != nil {
		return e, conflict(e, err.Error())
	}
	next := e.lives(life, ch.at)
	_, _, done := types(e.public.Shape)
	ch.log(done, next, ch.by, nil)
	if in.Status != resolvedDelivered {
		if err := ch.revoke(e); err != nil {
			return e, uncompilable(err)
		}
	}
	return next, nil
}

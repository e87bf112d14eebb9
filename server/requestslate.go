package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/modegate/modegate/adapters/broker"
)

// lateResolution is what an adapter reported of a request that had ended without
// a report: nobody answered in time, the answer was on its way when the turn
// ended, a mode answered at once. The end stays what it was; what really
// happened at the provider is on the record beside it.
type lateResolution struct {
	Status   string          `json:"status"`
	Decision broker.Decision `json:"decision,omitempty"` // of settled, where it is known
	Reason   string          `json:"reason,omitempty"`
	By       string          `json:"by"`
	At       time.Time       `json:"at"`
	Note     string          `json:"note"`
}

// unreported reports whether a request that is over was ended here: nobody has
// said how it ended at the provider.
func (e *entry) unreported() bool { return strings.HasPrefix(e.ended, "modegate:") }

// late writes down a report that comes after the end.
func (ch *change) late(e *entry, in resolutionBody) *entry {
	next := *e
	next.public.Late = &lateResolution{
		Status: in.Status, Decision: in.Decision, Reason: in.Reason, By: ch.by, At: ch.at,
		Note: fmt.Sprintf("the request was %s before this was reported: that stays, and the report is on the record", e.public.State),
	}
	kind := evApprovalLate
	if e.public.Shape == broker.Questioned {
		kind = evQuestionLate
	}
	out := event{Type: kind, Session: e.public.Session, Reason: in.Reason, Request: &next.public}
	if e.public.Turn != nil {
		out.Turn = *e.public.Turn
	}
	ch.emit(out)
	return &next
}

package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// event takes one event of the session.
func (p *Person) event(e event) {
	switch e.Type {
	case evApprovalAnswer, evQuestionAnswer, evApprovalDone, evQuestionDone:
		if e.Request == nil {
			p.fail(&Misunderstanding{fmt.Errorf("%s without a request", e.Type)})
			return
		}
		p.about(e)
	case evModeSet:
		// The turn may have it already; what is in force at once is told by the rules.
		if e.Session == p.s.id && e.Mode != p.s.cell.Mode && e.Applies == appliesByRestart {
			p.ends.Changed(e.Mode, e.Interaction)
		}
	case evRuleset:
		p.ruled(e)
	case evSession:
		if e.Session == p.s.id && e.State == "unloaded" {
			p.fail(fmt.Errorf("the session was unloaded at the modegate service, by %s", e.By))
		}
	case evTurnOver:
		if e.Turn == p.s.turn {
			p.fail(fmt.Errorf("the turn was ended at the modegate service, by %s: %s", e.By, e.Status))
		}
	case evGap:
		p.do(p.look)
	}
}

// about takes an event about a request. One whose opening hasn't come back is kept
// until it has.
func (p *Person) about(e event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ruling > 0 {
		p.held = append(p.held, e)
		return
	}
	p.taken(e)
}

// taken is about with the lock held.
func (p *Person) taken(e event) {
	if a := p.ours[e.Request.ID]; a != nil {
		p.happened(a, e)
		return
	}
	if a := p.open[e.Request.Native.RequestID]; a != nil && a.id == "" {
		a.early = append(a.early, e)
	}
}

// ruled brings rules that hold at once to the provider, and keeps what was decided
// after them until they are in force there: what the agent does next must meet them.
// Others are those of the next prompt.
func (p *Person) ruled(e event) {
	switch {
	case e.Session != p.s.id:
	case e.Applies == appliesInSession:
		p.mu.Lock()
		p.ruling++
		p.mu.Unlock()
		p.do(func(ctx context.Context) {
			switch err := p.ends.Ruled(ctx); {
			case err == nil:
				p.inForce()
			case ctx.Err() == nil:
				p.fail(err)
			}
		})
	case e.By == "modegate:reload":
		p.note("the modegate service has another policy, whose rules hold from the next prompt on: " + e.Reason)
	}
}

// inForce takes the events about requests that were kept for rules.
func (p *Person) inForce() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ruling--; p.ruling > 0 {
		return
	}
	held := p.held
	p.held = nil
	for _, e := range held {
		p.taken(e)
	}
}

// look finds out, where events may be missing, whether the session is still there.
// Those of a session that is loaded are kept.
func (p *Person) look(ctx context.Context) {
	var a sessionAnswer
	err := p.s.tell(ctx, "GET", p.s.path(""), nil, &a)
	var no *Refusal
	switch {
	case err == nil && a.Turn == p.s.turn:
	case err == nil:
		p.fail(errors.New("the turn was ended at the modegate service"))
	case errors.As(err, &no) && no.Status == http.StatusNotFound:
		p.fail(errors.New("the modegate service doesn't know the session any more"))
	case ctx.Err() == nil:
		p.fail(err)
	}
}

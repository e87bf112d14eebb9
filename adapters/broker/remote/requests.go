package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/strictjson"
)

// asked is a request of the run.
type asked struct {
	req    broker.Request
	native jsontext.Value // as it is sent
	id     string         // the service's, "" until it has taken the request
	early  []event        // that came before that

	answered bool   // the run has an answer, or a refusal of ours
	atOnce   bool   // the service's answer when the request was opened: it counts as delivered there
	refused  string // why, where it is a refusal of ours
	closed   bool   // by the run
}

// Opened brings a request to the service.
func (p *Person) Opened(r broker.Request) {
	a := &asked{req: r}
	p.mu.Lock()
	p.open[r.ID] = a
	p.mu.Unlock()
	p.do(func(ctx context.Context) { p.bring(ctx, a) })
}

// bring opens a request at the service, and shows it when somebody is asked.
func (p *Person) bring(ctx context.Context, a *asked) {
	var r requestAnswer
	var err error
	if a.native, err = strictjson.Encode(a.req.Native); err == nil {
		err = p.s.tell(ctx, "POST", p.s.path("/requests"), map[string]any{"turn": p.s.turn, "native": a.native}, &r)
	}
	if err == nil {
		err = a.same(r)
	}
	if err != nil {
		p.notBrought(a, err)
		return
	}
	p.mu.Lock()
	a.id = r.ID
	p.ours[a.id] = a
	shown := false
	switch {
	case a.closed:
	case !r.State.Over():
		shown = r.State == broker.StatePending
	case len(r.Operations) > 0:
		a.atOnce = true
		p.perform(a, broker.Delivery{Answer: broker.Answer{Decision: r.Decision}, Operations: r.Operations, By: closer(r), Reason: r.Reason})
	default:
		p.refuse(a, "the modegate service has closed it: "+r.Reason)
	}
	for _, e := range a.early {
		p.happened(a, e)
	}
	a.early = nil
	p.mu.Unlock()
	if !shown {
		return
	}
	p.seeing.Lock()
	defer p.seeing.Unlock()
	p.mu.Lock()
	shown = !a.closed
	p.mu.Unlock()
	if shown {
		p.view.Opened(a.req)
	}
}

// same holds what the service made of a request against what was asked.
func (a *asked) same(r requestAnswer) error {
	sum := sha256.Sum256(a.native)
	if r.ID == "" || r.Native.RequestID != a.req.ID || r.Shape != a.req.Shape || r.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
		return &Misunderstanding{fmt.Errorf("it took request %s for another", a.req.ID)}
	}
	return nil
}

// notBrought refuses a request that the service doesn't take. A service that takes
// none any more ends the run.
func (p *Person) notBrought(a *asked, err error) {
	var no *Refusal
	var strange *Misunderstanding
	gone := errors.As(err, &no) && (no.Status == http.StatusUnauthorized || no.Status == http.StatusForbidden || no.Status == http.StatusNotFound)
	if passing(err) || gone || errors.As(err, &strange) {
		p.fail(err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse(a, err.Error())
}

// perform hands an answer of the service's to the run. The caller holds mu, as for
// refuse and happened.
func (p *Person) perform(a *asked, d broker.Delivery) {
	if a.answered || a.closed {
		return
	}
	a.answered = true
	if err := p.at.Perform(a.req, d); err != nil {
		a.answered = false
		p.refuse(a, "the modegate service's answer can't be performed: "+err.Error())
	}
}

// refuse answers a request that the service doesn't answer.
func (p *Person) refuse(a *asked, why string) {
	if a.answered || a.closed {
		return
	}
	a.answered, a.refused = true, why
	err := p.at.Answer(a.req, broker.Answer{Decision: refusalOf(a.req)})
	p.jobs = append(p.jobs, func(context.Context) {
		p.note(fmt.Sprintf("refused %q: %s", a.req.Title, why))
		if err != nil {
			p.fail(err)
		}
	})
	p.wake()
}

// refusalOf is the milder of a request's refusals, which is what the service
// refuses with that nobody has answered at.
func refusalOf(r broker.Request) broker.Decision {
	if _, ok := r.Offers(broker.Decline); ok {
		return broker.Decline
	}
	return broker.Cancel
}

// closer says who answered at the service.
func closer(r requestAnswer) broker.Closer {
	switch {
	case r.DecidedBy == "modegate:mode":
		return broker.ByMode
	case r.DecidedBy == "modegate:grant":
		return broker.ByGrant
	case strings.HasPrefix(r.DecidedBy, "modegate:"):
		return broker.ByService
	}
	return broker.ByPerson
}

// happened takes what became of a request at the service.
func (p *Person) happened(a *asked, e event) {
	r := *e.Request
	d := broker.Delivery{Answer: broker.Answer{Decision: r.Decision}, Operations: e.Operations, By: closer(r), Reason: r.Reason}
	switch e.Type {
	case evApprovalAnswer, evQuestionAnswer:
		if e.Stale || len(e.Operations) == 0 {
			return // what became of it follows
		}
		if d.By == broker.ByPerson {
			d.Reason = strings.TrimSuffix("by "+r.DecidedBy+": "+r.Reason, ": ")
		}
		p.perform(a, d)
	case evApprovalDone, evQuestionDone:
		if len(e.Operations) > 0 { // nobody has answered
			d.Answer.Decision, d.By = refusalOf(a.req), broker.ByService
			p.perform(a, d)
			return
		}
		p.refuse(a, "the modegate service has closed it: "+r.Reason)
	}
}

// Closed tells the service how a request ended.
func (p *Person) Closed(c broker.Closing) {
	p.mu.Lock()
	a := p.open[c.Request.ID]
	if a != nil {
		a.closed = true
		delete(p.open, c.Request.ID)
	}
	p.mu.Unlock()
	if a != nil {
		p.do(func(ctx context.Context) { p.report(ctx, a, c) })
	}
	p.seeing.Lock()
	defer p.seeing.Unlock()
	p.view.Closed(c)
}

// maxReason bounds a reason, in bytes, well within what the service takes.
const maxReason = 2000

// report tells the service how a request ended at the provider.
func (p *Person) report(ctx context.Context, a *asked, c broker.Closing) {
	p.mu.Lock()
	id, body := a.id, a.resolution(c)
	p.mu.Unlock()
	if id == "" || body == nil {
		return
	}
	var r requestAnswer
	err := p.s.tell(ctx, "POST", "/v1/requests/"+id+"/resolution", body, &r)
	var no *Refusal
	switch {
	case err == nil:
	case errors.As(err, &no) && !no.later:
		if a.refused == "" && c.By != broker.ByService { // that end is where this one comes from
			p.note(fmt.Sprintf("the modegate service has another end of %q on record: %s", a.req.Title, no.Detail))
		}
	default:
		p.fail(err)
	}
}

// resolution is the report about a request, nil when there is none to make: the
// service has the end on record, or the turn's end will close it.
func (a *asked) resolution(c broker.Closing) map[string]any {
	reason := strings.ToValidUTF8(c.Reason[:min(len(c.Reason), maxReason)], "")
	failed := map[string]any{"status": "failed", "reason": reason}
	switch {
	case a.refused != "":
		failed["reason"] = strings.ToValidUTF8(a.refused[:min(len(a.refused), maxReason)], "")
		return failed
	case c.By == broker.ByLoss:
		return failed
	case c.By == broker.ByOther:
		out := map[string]any{"status": "settled", "reason": reason}
		if c.Decision != "" {
			out["decision"] = c.Decision
		}
		return out
	case c.By == broker.ByStop && a.answered:
		return failed
	case c.By == broker.ByStop || a.atOnce:
		return nil
	}
	return map[string]any{"status": "delivered"}
}

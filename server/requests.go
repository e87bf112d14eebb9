package server

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// request is a request as everybody is shown it: canonical, whatever the
// provider.
type request struct {
	ID        string             `json:"id"`
	Session   string             `json:"session"` // that asks
	Turn      *string            `json:"turn"`    // null when it was asked outside of any
	Provider  evaluator.Provider `json:"provider"`
	Shape     broker.Shape       `json:"shape"`
	Kind      *string            `json:"kind"` // null: none is made up
	Title     string             `json:"title"`
	Detail    string             `json:"detail,omitempty"`
	Resources []string           `json:"resources"`
	Native    nativeIDs          `json:"native"`
	Offered   []broker.Offer     `json:"offered"`
	Questions []broker.Question  `json:"questions,omitempty"`

	State     broker.State    `json:"state"`
	Decision  broker.Decision `json:"decision,omitempty"`
	DecidedBy string          `json:"decidedBy,omitempty"`
	Reason    string          `json:"reason,omitempty"`

	Guardrails []evaluator.GuardrailAnswer `json:"guardrails,omitempty"` // that have something against it

	Digest    string    `json:"digest"` // of what is asked, byte for byte
	Policy    string    `json:"policy"` // that was in force when it was asked
	Opened    time.Time `json:"openedAt"`
	Expires   time.Time `json:"expiresAt"`
	Responded time.Time `json:"respondedAt,omitzero"`
	Resolved  time.Time `json:"resolvedAt,omitzero"`

	Late *lateResolution `json:"late,omitempty"` // what was reported after the end
}

// nativeIDs are the provider's own names of a request.
type nativeIDs struct {
	RequestID string         `json:"requestId"`
	ItemID    string         `json:"itemId,omitempty"`
	JSONRPCID jsontext.Value `json:"jsonRpcId,omitzero"`
	Method    string         `json:"method,omitempty"`
	Session   string         `json:"session,omitempty"`
}

// entry is an open request: what is shown of it, and what it takes to answer it.
// It is never changed, only replaced.
type entry struct {
	public  request
	asked   broker.Request
	life    broker.Life
	holder  holder             // of the grants that it can give
	runs    turnKey            // the turn that it belongs to
	due     time.Time          // when it expires: unanswered, or undelivered
	granted []evaluator.Grant  // what its answer granted and nobody held before
	handed  []broker.Operation // what its answer at once came to
	number  int64              // breaks ties in the order of opening
	ended   string             // who wrote its last event, of one that is read from the log
}

type turnKey struct{ session, turn string }

// The names of those who close requests and are no token: a token's name has no
// colon.
const (
	byMode    = "modegate:mode"
	byGrant   = "modegate:grant"
	byExpiry  = "modegate:expiry"
	byRestart = "modegate:restart"
	byOther   = "provider:another-client"
	byAdapter = "provider:adapter"

	byRetention = "modegate:retention"
)

// lives returns the entry with what has become of it.
func (e *entry) lives(l broker.Life, at time.Time) *entry {
	next := *e
	next.life = l
	p := &next.public
	p.State, p.Decision, p.DecidedBy, p.Reason = l.State, l.Answer.Decision, l.By, l.Reason
	switch {
	case l.State.Over():
		p.Resolved = at
	case l.State == broker.StateResponding:
		p.Responded = at
	}
	return &next
}

// types are the types of the events of a request's shape.
func types(s broker.Shape) (opened, answered, done string) {
	if s == broker.Questioned {
		return evQuestion, evQuestionAnswer, evQuestionDone
	}
	return evApproval, evApprovalAnswer, evApprovalDone
}

// log writes down a step of a request's life and who made it, and keeps what is
// open.
func (ch *change) log(kind string, e *entry, by string, operations []broker.Operation) {
	public := e.public
	out := event{Type: kind, Session: public.Session, Reason: public.Reason, Request: &public, Operations: operations, By: by}
	if public.Turn != nil {
		out.Turn = *public.Turn
	}
	opened, _, _ := types(public.Shape)
	if kind == opened {
		out.entry = e
	}
	if ch.open[public.ID] = e; e.life.State.Over() {
		ch.open[public.ID] = nil
	}
	ch.emit(out)
}

// close ends a request without an answer, by whom and why.
func (ch *change) close(e *entry, s broker.State, by, reason string) {
	l, err := e.life.Close(s, by, reason)
	if err != nil {
		return // it is over: nothing to close
	}
	_, _, done := types(e.public.Shape)
	var refusal []broker.Operation
	if s == broker.StateExpired && e.life.State == broker.StatePending {
		refusal = ch.refusal(e)
	}
	ch.log(done, e.lives(l, ch.at), by, refusal)
}

// refusal are the steps that tell the provider that nobody answered: it waits
// without end otherwise. A request whose answer was on its way has none, the
// answer may have arrived.
func (ch *change) refusal(e *entry) []broker.Operation {
	t := ch.translators[e.public.Provider]
	if t == nil {
		return nil
	}
	for _, d := range []broker.Decision{broker.Decline, broker.Cancel} {
		if _, ok := e.asked.Offers(d); !ok {
			continue
		}
		if ops, err := t.Operations(e.asked, broker.Answer{Decision: d}); err == nil {
			return ops
		}
	}
	return nil
}

// idsOf reads the names that JSON-RPC providers give a request.
func idsOf(r broker.Request) nativeIDs {
	out := nativeIDs{RequestID: r.ID, Session: r.Session}
	var rpc struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
		ItemID jsontext.Value `json:"itemId"`
		Params jsontext.Value `json:"params"`
	}
	if json.Unmarshal(r.Native, &rpc) != nil {
		return out
	}
	if rpc.Method != "" {
		out.Method, out.JSONRPCID = rpc.Method, rpc.ID
	}
	var params struct {
		ItemID jsontext.Value `json:"itemId"`
	}
	_ = json.Unmarshal(rpc.Params, &params) // params of another form have no item
	for _, raw := range []jsontext.Value{rpc.ItemID, params.ItemID} {
		var id string
		if json.Unmarshal(raw, &id) == nil && id != "" {
			out.ItemID = id
		}
	}
	return out
}

// digestOf is the digest of what is asked, byte for byte.
func digestOf(native []byte) string {
	sum := sha256.Sum256(native)
	return "sha256:" + hex.EncodeToString(sum[:])
}

package server

import (
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/server/store"
)

// The types of events.
const (
	evModeSet        = "session.runtime-mode-set"
	evSession        = "session.updated"
	evRuleset        = "ruleset.changed"
	evTurnStarted    = "turn.started"
	evTurnEnded      = "turn.ended"
	evApproval       = "approval.requested"
	evApprovalAnswer = "approval.response-requested"
	evApprovalDone   = "approval.resolved"
	evQuestion       = "user-input.requested"
	evQuestionAnswer = "user-input.response-requested"
	evQuestionDone   = "user-input.resolved"
	evPlan           = "plan.proposed"
	evApprovalLate   = "approval.late-resolution"
	evQuestionLate   = "user-input.late-resolution"
	evGap            = "log.gap" // in no log: sent to a reader who has missed events
)

// event is something that happened in a session: a line of the log, an activity
// of the session, and what is pushed to whoever listens.
type event struct {
	Seq     int64     `json:"seq,omitzero"`
	Type    string    `json:"type"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Turn    string    `json:"turn,omitempty"`
	Policy  string    `json:"policy"`
	By      string    `json:"by,omitempty"`
	Reason  string    `json:"reason,omitempty"`

	Mode        evaluator.Mode        `json:"mode,omitempty"`
	Interaction evaluator.Interaction `json:"interaction,omitempty"`
	Applies     string                `json:"applies,omitempty"`
	Ruleset     string                `json:"ruleset,omitempty"`
	Revision    int64                 `json:"revision,omitzero"`
	State       string                `json:"state,omitempty"`  // of a session: loaded or unloaded
	Status      string                `json:"status,omitempty"` // of a turn that ended

	Request    *request           `json:"request,omitempty"` // as it is after this
	Operations []broker.Operation `json:"operations,omitempty"`
	Stale      bool               `json:"stale,omitzero"` // the answer was on its way once and isn't any more: nothing is to be done
	Plan       *broker.Plan       `json:"plan,omitempty"`

	entry *entry // of the request that is opened
}

// private is what the log keeps of a request and shows nobody: what it takes to
// answer it.
type private struct {
	Asked  broker.Request     `json:"asked"`         // without its kind: not every one is a rule's; and without native where there is raw
	Raw    []byte             `json:"raw,omitempty"` // native, byte for byte
	Kind   string             `json:"kind,omitempty"`
	Child  string             `json:"child,omitempty"`
	Handed []broker.Operation `json:"handed,omitempty"` // what an answer at once came to
}

func privateOf(e *entry) private {
	out := private{Asked: e.asked, Kind: string(e.asked.Kind), Child: e.holder.child, Handed: e.handed}
	out.Asked.Kind, out.Asked.Native, out.Raw = "", nil, e.asked.Native
	return out
}

func (p private) request() broker.Request {
	r := p.Asked
	r.Kind = evaluator.Kind(p.Kind)
	if len(p.Raw) > 0 {
		r.Native = p.Raw
	}
	return r
}

// append writes the event, and the row of the approval that it is about.
func (e event) append(tx *store.Tx) error {
	data, err := strictjson.Encode(e)
	if err != nil {
		return err
	}
	row := store.Event{At: e.At, Type: e.Type, Session: e.Session, Turn: e.Turn, Data: data}
	if e.Request != nil {
		row.Request = e.Request.ID
	}
	if e.entry != nil {
		row.Native = e.entry.asked.ID
		if row.Private, err = strictjson.Encode(privateOf(e.entry)); err != nil {
			return err
		}
	}
	seq, err := tx.Append(row)
	if err != nil || e.Request == nil || e.Request.Shape != broker.Approval {
		return err
	}
	if data, err = strictjson.Encode(e.Request); err != nil {
		return err
	}
	return tx.PutApproval(e.Request.ID, e.Request.Session, string(e.Request.State), seq, data)
}

// readEvent reads a line of the log.
func readEvent(row store.Event) (e event, err error) {
	err = json.Unmarshal(row.Data, &e)
	e.Seq = row.Seq
	return e, err
}

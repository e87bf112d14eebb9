package remote

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// What the service answers, as its /openapi.json describes it. Every field is
// here: an unknown one is refused.

type sessionAnswer struct {
	ID          string                `json:"id"`
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Workspace   string                `json:"workspace"`
	Parent      string                `json:"parent"`
	Native      string                `json:"nativeSession"`
	Env         jsontext.Value        `json:"env"` // as it was sent
	Ruleset     string                `json:"ruleset"`
	Revision    int64                 `json:"revision"`
	Turn        string                `json:"turn"`
	ModeChange  string                `json:"modeChange"`
	Created     time.Time             `json:"createdAt"`
	Updated     time.Time             `json:"updatedAt"`
}

type turnAnswer struct {
	ID          string                `json:"turn"`
	Session     string                `json:"session"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Ruleset     string                `json:"ruleset"`
	State       string                `json:"state"`
	Status      string                `json:"status"`
	Started     time.Time             `json:"startedAt"`
	Ended       time.Time             `json:"endedAt"`
	Closed      []string              `json:"closed"`
}

// requestAnswer is a request as the service shows it. Operations belong to the
// answer to its opening alone.
type requestAnswer struct {
	ID        string             `json:"id"`
	Session   string             `json:"session"`
	Turn      *string            `json:"turn"`
	Provider  evaluator.Provider `json:"provider"`
	Shape     broker.Shape       `json:"shape"`
	Kind      *string            `json:"kind"`
	Title     string             `json:"title"`
	Detail    string             `json:"detail"`
	Resources []string           `json:"resources"`
	Native    struct {
		RequestID string         `json:"requestId"`
		ItemID    string         `json:"itemId"`
		JSONRPCID jsontext.Value `json:"jsonRpcId"`
		Method    string         `json:"method"`
		Session   string         `json:"session"`
	} `json:"native"`
	Offered    []broker.Offer     `json:"offered"`
	Questions  []broker.Question  `json:"questions"`
	State      broker.State       `json:"state"`
	Decision   broker.Decision    `json:"decision"`
	DecidedBy  string             `json:"decidedBy"`
	Reason     string             `json:"reason"`
	Guardrails jsontext.Value     `json:"guardrails"` // that have something against it
	Digest     string             `json:"digest"`
	Policy     string             `json:"policy"`
	Opened     time.Time          `json:"openedAt"`
	Expires    time.Time          `json:"expiresAt"`
	Responded  time.Time          `json:"respondedAt"`
	Resolved   time.Time          `json:"resolvedAt"`
	Late       jsontext.Value     `json:"late"` // what was reported after the end
	Operations []broker.Operation `json:"operations"`
}

// The types of events that a run acts on.
const (
	evModeSet  = "session.runtime-mode-set"
	evSession  = "session.updated"
	evRuleset  = "ruleset.changed"
	evTurnOver = "turn.ended"

	evApprovalAnswer = "approval.response-requested"
	evApprovalDone   = "approval.resolved"
	evQuestionAnswer = "user-input.response-requested"
	evQuestionDone   = "user-input.resolved"

	evGap = "log.gap" // events before may be missing
)

// When a change reaches the provider.
const (
	appliesInSession = "in-session"
	appliesByRestart = "restart"
)

type event struct {
	Seq         int64                 `json:"seq"`
	Type        string                `json:"type"`
	At          time.Time             `json:"at"`
	Session     string                `json:"session"`
	Turn        string                `json:"turn"`
	Policy      string                `json:"policy"`
	By          string                `json:"by"`
	Reason      string                `json:"reason"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Applies     string                `json:"applies"`
	Ruleset     string                `json:"ruleset"`
	Revision    int64                 `json:"revision"`
	State       string                `json:"state"`
	Status      string                `json:"status"`
	Request     *requestAnswer        `json:"request"`
	Operations  []broker.Operation    `json:"operations"`
	Stale       bool                  `json:"stale"`
	Plan        *broker.Plan          `json:"plan"`
}

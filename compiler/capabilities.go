package compiler

import "github.com/modegate/modegate/evaluator"

// Capable is a dialect that says what its provider and the way to it can do.
type Capable interface {
	Capabilities() Capabilities
}

// Capabilities is what a provider, over one transport, can do. It is evidence,
// not a guarantee that a runtime will ask. The names are those of the records
// that orchestrators publish.
type Capabilities struct {
	Transport string `json:"transport"` // what the values are of
	Source    string `json:"source"`    // where they come from; no proof

	SupportedRuntimeModes              []evaluator.Mode `json:"supportedRuntimeModes"`              // another mode runs as approval-required
	SupportsRuntimeModeSwitchInSession bool             `json:"supportsRuntimeModeSwitchInSession"` // false: a live session is started anew
	PendingRequestsSurviveRestart      bool             `json:"pendingRequestsSurviveRestart"`
	SupportsSubagents                  bool             `json:"supportsSubagents"`

	Approvals                          ApprovalKinds `json:"approvals"` // what can ask
	ApprovalsHaveNativeRequestIDs      bool          `json:"approvalsHaveNativeRequestIds"`
	ApprovalCallbacksAreLiveOnly       bool          `json:"approvalCallbacksAreLiveOnly"`
	ApprovalsCanOriginateFromSubagents bool          `json:"approvalsCanOriginateFromSubagents"`
	SupportsStructuredQuestions        bool          `json:"supportsStructuredQuestions"`

	EmitsPlanUpdated      bool `json:"emitsPlanUpdated"`
	EmitsTodoList         bool `json:"emitsTodoList"`
	EmitsProposedPlan     bool `json:"emitsProposedPlan"`
	PlanDeltasHaveItemIDs bool `json:"planDeltasHaveItemIds"`

	NativeRequestIDs IDStrength  `json:"nativeRequestIds"`
	Enforcement      Enforcement `json:"enforcement"`
}

// ApprovalKinds are the kinds of approval that can be asked for.
type ApprovalKinds struct {
	Command    bool `json:"command"`
	FileRead   bool `json:"fileRead"`
	FileChange bool `json:"fileChange"`
	ApplyPatch bool `json:"applyPatch"`
}

// IDStrength says what a provider's request ids are worth.
type IDStrength string

// The strengths.
const (
	StrongIDs IDStrength = "strong"
	WeakIDs   IDStrength = "weak"
	NoIDs     IDStrength = "none"
)

// Enforcement says who holds the agent to a runtime mode.
type Enforcement string

// The enforcements.
const (
	EnforcedNatively Enforcement = "native"          // the provider itself
	EnforcedByClient Enforcement = "client-boundary" // only the answers of whoever drives it
)

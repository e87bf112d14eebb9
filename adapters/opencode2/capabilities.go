package opencode2

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Capabilities restates what T3 Code's public source records of this provider.
func (dialect) Capabilities() compiler.Capabilities {
	return compiler.Capabilities{
		Transport: "HTTP",
		Source:    "T3 Code's public source, read and restated 2026-11-30; subagent requests are routed to the parent",

		SupportedRuntimeModes:              evaluator.Modes(),
		SupportsRuntimeModeSwitchInSession: true,
		PendingRequestsSurviveRestart:      false,
		SupportsSubagents:                  false,

		Approvals:                          compiler.ApprovalKinds{Command: true, FileRead: true, FileChange: true, ApplyPatch: true},
		ApprovalsHaveNativeRequestIDs:      true,
		ApprovalCallbacksAreLiveOnly:       true,
		ApprovalsCanOriginateFromSubagents: true,
		SupportsStructuredQuestions:        true,

		EmitsPlanUpdated:      false,
		EmitsTodoList:         false,
		EmitsProposedPlan:     false,
		PlanDeltasHaveItemIDs: false,

		NativeRequestIDs: compiler.StrongIDs,
		Enforcement:      compiler.EnforcedNatively,
	}
}

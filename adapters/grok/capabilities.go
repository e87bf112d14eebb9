package grok

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Capabilities restates what T3 Code's public source records of this provider.
func (Dialect) Capabilities() compiler.Capabilities {
	return compiler.Capabilities{
		Transport: "ACP",
		Source:    "T3 Code's public source, read and restated 2026-11-30",

		SupportedRuntimeModes:              evaluator.Modes(),
		SupportsRuntimeModeSwitchInSession: false,
		PendingRequestsSurviveRestart:      false,
		SupportsSubagents:                  true,

		Approvals:                          compiler.ApprovalKinds{Command: true, FileRead: true, FileChange: true, ApplyPatch: false},
		ApprovalsHaveNativeRequestIDs:      false,
		ApprovalCallbacksAreLiveOnly:       true,
		ApprovalsCanOriginateFromSubagents: false,
		SupportsStructuredQuestions:        true,

		EmitsPlanUpdated:      true,
		EmitsTodoList:         true,
		EmitsProposedPlan:     false,
		PlanDeltasHaveItemIDs: false,

		NativeRequestIDs: compiler.WeakIDs,
		Enforcement:      compiler.EnforcedByClient,
	}
}

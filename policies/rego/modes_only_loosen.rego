# METADATA
# title: What a mode allows, the looser modes allow too
# description: |
#   Whoever chooses a looser mode doesn't expect to be stopped where the stricter
#   one wasn't. Auto and auto-accept-edits aren't compared with one another.
package modegate.invariants.modes_only_loosen

looser := {
	"approval-required": {"auto-accept-edits", "auto", "full-access"},
	"auto-accept-edits": {"full-access"},
	"auto": {"full-access"},
}

violation contains {"cell": loose.name, "action": action, "message": message} if {
	some strict in input.cells
	some loose in input.cells
	loose.provider == strict.provider
	loose.interaction == strict.interaction
	loose.mode in looser[strict.mode]
	some i, action in input.actions
	strict.verdicts[i].effect == "allow"
	verdict := loose.verdicts[i]
	not verdict.effect in {"allow", "unknown"}
	message := sprintf("%s allows it, and %s comes to %s: %s", [strict.mode, loose.mode, verdict.effect, verdict.reason])
}

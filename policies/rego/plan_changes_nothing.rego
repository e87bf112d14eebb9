# METADATA
# title: In plan, no file changes outside of the provider's plan folder
# description: |
#   Plan is for planning. A cell that allows a change all the same, by a rule, by a
#   mode or by our own callback, is plan in name only.
package modegate.invariants.plan_changes_nothing

violation contains {"cell": cell.name, "action": action, "message": message} if {
	some cell in input.cells
	cell.interaction == "plan"
	some i, action in input.actions
	action.kind == "file-change"
	not i in cell.planFiles
	verdict := cell.verdicts[i]
	verdict.effect == "allow"
	message := sprintf("plan allows a change of %s: %s", [action.path, verdict.reason])
}

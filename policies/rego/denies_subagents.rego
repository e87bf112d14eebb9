# METADATA
# title: On OpenCode 2 a subagent request is denied, whatever is granted
# description: |
#   A subagent of OpenCode 2 runs under rules of its own, not under its parent's. So
#   a session denies them, and nothing that a person allows for it takes that back.
package modegate.invariants.denies_subagents

violation contains {"cell": cell.name, "action": action, "message": message} if {
	some cell in input.cells
	cell.provider == "opencode2"
	some i, action in input.actions
	action.kind == "subagent"
	some when, verdict in {"": cell.verdicts[i], " after everything was granted": cell.granted[i]}
	verdict.effect != "deny"
	message := sprintf("a subagent isn't denied%s: %s", [when, verdict.reason])
}

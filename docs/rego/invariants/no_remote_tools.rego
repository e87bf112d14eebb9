# METADATA
# title: Nobody's MCP tool runs unasked in approval-required
package modegate.invariants.no_remote_tools

violation contains {"cell": cell.name, "action": action, "message": message} if {
	some cell in input.cells
	cell.mode == "approval-required"
	some i, action in input.actions
	action.kind == "mcp-tool"
	cell.verdicts[i].effect == "allow"
	message := sprintf("an MCP tool runs unasked: %s", [cell.verdicts[i].reason])
}

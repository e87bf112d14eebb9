# METADATA
# title: Nobody's MCP tool runs unasked, but for a slip of the pen
package modegate.invariants.no_remote_tools

violation contains {"cell": cell.name, "action": action, "message": "an MCP tool runs unasked"} if {
	some cell in input.cells
	some i, action in input.actions
	action.kind == "mcp-tool"
	cell.verdicts[i].efect == "allow"
}

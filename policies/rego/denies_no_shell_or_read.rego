# METADATA
# title: On OpenCode 2 no rule denies shell or read
# description: |
#   OpenCode 2 refuses sessions with such a rule on its free tier: the agent then
#   runs under no rules of ours at all.
package modegate.invariants.denies_no_shell_or_read

violation contains {"cell": cell.name, "action": action, "message": message} if {
	some cell in input.cells
	cell.provider == "opencode2"
	some rule in cell.native
	rule.effect == "deny"
	some denied in {"shell", "read"}
	rule.action in {denied, "*"}
	action := {"kind": "native", "request": {"action": denied, "resources": [rule.resource]}}
	message := sprintf("the rule %s %q denies %s", [rule.action, rule.resource, denied])
}

# METADATA
# title: Full access only in a sandboxed workspace
package modegate.guardrails.sandbox

# Workspaces below these folders run in a sandbox of their own.
sandboxed := {"/srv/sandboxes/"}

default decision := {"effect": "deny", "reason": "full access is for sandboxed workspaces"}

decision := {"effect": "allow"} if input.mode != "full-access"

decision := {"effect": "allow"} if {
	some folder in sandboxed
	startswith(input.session.workspace, folder)
}

package modegate.guardrails_test

import data.modegate.guardrails.push
import data.modegate.guardrails.sandbox

command(text) := {
	"effect": "allow", "mode": "full-access", "provider": {"name": "claude"},
	"action": {"kind": "command", "command": text},
	"session": {"id": "s1", "workspace": "/home/dev/app"},
}

test_pushes_that_may_reach_main if {
	every text in [
		"git push", "git push origin", "git push origin main", "git push -f origin main",
		"git push origin HEAD:main", "git push origin feature:refs/heads/main", "git -C app push",
	] {
		push.decision.effect == "ask" with input as command(text)
	}
}

test_other_commands if {
	every text in ["git push origin feature", "git status", "npm run push", "echo main"] {
		push.decision == {"effect": "allow"} with input as command(text)
	}
}

test_other_actions if {
	push.decision == {"effect": "allow"} with input as {"action": {"kind": "file-change", "path": "main"}}
}

test_full_access_outside_of_the_sandbox if {
	sandbox.decision.effect == "deny" with input as command("ls")
}

test_full_access_in_the_sandbox if {
	sandbox.decision == {"effect": "allow"} with input as object.union(command("ls"), {"session": {"workspace": "/srv/sandboxes/app"}})
}

test_other_modes if {
	sandbox.decision == {"effect": "allow"} with input as object.union(command("ls"), {"mode": "auto"})
}

# What isn't known isn't taken for harmless.
test_no_workspace if {
	sandbox.decision.effect == "deny" with input as {"mode": "full-access", "action": {"kind": "question"}}
}

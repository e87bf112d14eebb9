# METADATA
# title: Never push to main unattended
package modegate.guardrails.push

default decision := {"effect": "allow"}

decision := {"effect": "ask", "reason": "a push that may reach main is for a person"} if {
	input.action.kind == "command"
	words := split(input.action.command, " ")
	"git" in words
	"push" in words
	may_reach_main(words)
}

# A push reaches main when it names main, or names no branch: then it depends on
# where the working copy is.
may_reach_main(words) if {
	some word in words
	regex.match(`^([^:]*:)?(refs/heads/)?main$`, word)
}

may_reach_main(words) if {
	plain := [word | some word in words; not startswith(word, "-")]
	some at, "push" in plain
	count(plain) - at < 3
}

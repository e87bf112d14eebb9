# METADATA
# title: What compiled rules must not come to
package compiled

# compile prints one RuleSet, or a list of them.
rulesets contains input if is_object(input)

rulesets contains ruleset if {
	is_array(input)
	some ruleset in input
}

deny contains sprintf("%s allows edits in plan", [cell]) if {
	some ruleset in rulesets
	ruleset.interaction == "plan"
	some gap in ruleset.gaps
	gap.kind == "file-change"
	gap.direction == "wider"
	gap.got == "allow"
	cell := sprintf("%s/%s/%s", [ruleset.provider, ruleset.mode, ruleset.interaction])
}

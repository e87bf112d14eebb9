package modegate.invariants_test

import data.modegate.invariants.modes_only_loosen
import data.modegate.invariants.denies_no_shell_or_read
import data.modegate.invariants.denies_subagents
import data.modegate.invariants.plan_changes_nothing

actions := [
	{"kind": "file-change", "path": "src/a.go"},
	{"kind": "file-change", "path": "plans/p.md"},
	{"kind": "subagent", "agent": "general"},
	{"kind": "command", "command": "ls"},
]

# cell is a cell that denies everything, with what differs laid over it.
cell(provider, mode, interaction, over) := object.union(
	{
		"name": sprintf("%s/%s/%s", [provider, mode, interaction]), "provider": provider, "mode": mode, "interaction": interaction,
		"native": [], "planFiles": [1], "verdicts": verdicts({}), "granted": verdicts({}),
	},
	over,
)

# verdicts are denials, but for the Actions that are given an effect.
verdicts(effects) := [{"effect": object.get(effects, i, "deny"), "reason": "r"} | some i in numbers.range(0, 3)]

matrix(cells) := {"actions": actions, "cells": cells}

names(violations) := {v.cell | some v in violations}

test_plan_may_change_its_plan if {
	count(plan_changes_nothing.violation) == 0 with input as matrix([
		cell("codex", "auto", "plan", {"verdicts": verdicts({1: "allow"})}),
		cell("codex", "auto", "default", {"verdicts": verdicts({0: "allow"})}),
		cell("claude", "auto", "plan", {"verdicts": verdicts({0: "ask"})}),
		cell("grok", "auto", "plan", {"verdicts": verdicts({0: "unknown"})}),
	])
}

test_plan_that_changes_a_file if {
	found := plan_changes_nothing.violation with input as matrix([cell("codex", "auto", "plan", {"verdicts": verdicts({0: "allow"})})])
	found == {{"cell": "codex/auto/plan", "action": actions[0], "message": "plan allows a change of src/a.go: r"}}
}

test_plan_folder_of_another_provider if {
	count(plan_changes_nothing.violation) == 1 with input as matrix([cell("codex", "auto", "plan", {"planFiles": [], "verdicts": verdicts({1: "allow"})})])
}

test_modes_that_loosen if {
	count(modes_only_loosen.violation) == 0 with input as matrix([
		cell("claude", "approval-required", "default", {"verdicts": verdicts({0: "allow", 3: "allow"})}),
		cell("claude", "auto", "default", {"verdicts": verdicts({0: "allow", 2: "allow", 3: "unknown"})}),
		cell("claude", "auto-accept-edits", "default", {"verdicts": verdicts({0: "allow", 1: "allow", 3: "allow"})}),
		cell("claude", "full-access", "default", {"verdicts": verdicts({0: "allow", 1: "allow", 2: "allow", 3: "allow"})}),
		cell("claude", "auto", "plan", {}),
		cell("codex", "full-access", "default", {}),
	])
}

test_modes_that_tighten if {
	found := modes_only_loosen.violation with input as matrix([
		cell("claude", "approval-required", "plan", {"verdicts": verdicts({3: "allow"})}),
		cell("claude", "auto", "plan", {"verdicts": verdicts({3: "review"})}),
		cell("claude", "full-access", "plan", {"verdicts": verdicts({3: "ask"})}),
	])
	names(found) == {"claude/auto/plan", "claude/full-access/plan"}
	some v in found
	v.action == actions[3]
	v.message == "approval-required allows it, and auto comes to review: r"
}

test_subagents_that_are_denied if {
	count(denies_subagents.violation) == 0 with input as matrix([
		cell("opencode2", "full-access", "default", {"verdicts": verdicts({3: "allow"}), "granted": verdicts({3: "allow"})}),
		cell("opencode", "full-access", "default", {"verdicts": verdicts({2: "allow"})}),
	])
}

test_subagents_that_are_not if {
	every over in [{"verdicts": verdicts({2: "ask"})}, {"granted": verdicts({2: "allow"})}, {"granted": verdicts({2: "unknown"})}] {
		count(denies_subagents.violation) == 1 with input as matrix([cell("opencode2", "auto", "default", over)])
	}
}

test_rules_that_open_code_takes if {
	count(denies_no_shell_or_read.violation) == 0 with input as matrix([
		cell("opencode2", "auto", "default", {"native": [{"action": "edit", "resource": "*", "effect": "deny"}, {"action": "shell", "resource": "*", "effect": "ask"}]}),
		cell("opencode", "auto", "default", {"native": [{"permission": "bash", "pattern": "*", "action": "deny"}]}),
		cell("codex", "auto", "default", {"native": {"rules": ""}}),
	])
}

test_rules_that_open_code_refuses if {
	found := denies_no_shell_or_read.violation with input as matrix([
		cell("opencode2", "auto", "default", {"native": [{"action": "shell", "resource": "rm *", "effect": "deny"}]}),
		cell("opencode2", "auto", "plan", {"native": [{"action": "*", "resource": "*", "effect": "deny"}]}),
	])
	count(found) == 3
	{v.action.request | some v in found} == {
		{"action": "shell", "resources": ["rm *"]},
		{"action": "shell", "resources": ["*"]},
		{"action": "read", "resources": ["*"]},
	}
}

// Package claude is the dialect of Claude Code: it writes an Intent as the
// permission settings of an SDK session, and reads such settings back into what
// the real agent does under them.
//
// Facts about the agent were measured on 2.1.332 (and 2.1.197, where that
// version is named) on 2026-11-30; a comment says so when a fact has another
// source. Each mechanism has a file:
//
//	order.go       the order of evaluation, and what each mode does at its end
//	rules.go       the form of a rule, and which layer it came from
//	presence.go    tools that a rule or a flag takes away
//	path.go        working directories, links, protected paths
//	pathrule.go    Read(…) and Edit(…) patterns: anchors and gitignore matching
//	bash*.go       commands: matching, wrappers, the read-only set, what they touch
//	tools.go       WebFetch, MCP, agents, skills and the tools that only a person answers
//	session*.go    modes, settings sources, trust, managed settings, flags
//	conform.go     judging recorded cases
package claude

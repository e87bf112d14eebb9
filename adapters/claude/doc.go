// Package claude is the dialect of Claude Code: it writes an Intent as the
// permission settings of an SDK session, and reads such settings back into what
// the real agent does under them.
//
// Facts about the agent were measured on 2.1.332 (and 2.1.197, where that
// version is named) on 2026-11-30; a comment says so when a fact has another
// source. Each mechanism has a file:
//
//	order.go         the order of evaluation, and what each mode does at its end
//	modes.go         which mode a session is in
//	session.go       sources of settings, trust, managed settings; facts.go: flags and files
//	rules.go         the form of a rule, and which layer it came from
//	presence.go      tools that a rule or a flag takes away
//	hooks.go         what hooks answered
//	files.go         Read, Write and Edit
//	paths.go         working directories, links, protected paths
//	pathrule.go      Read(…) and Edit(…) patterns: anchors and gitignore matching
//	tools.go         WebFetch, MCP, agents, skills and what only a person answers
//	bash.go          the order of evaluation of a command text
//	shell.go         a text taken apart, and why it can't be; compound.go, words.go
//	bashrules.go     what rules compare, and behind what deny rules look
//	bashpaths.go     the paths of commands; operands.go: where they stand
//	bashcommands.go  what acceptEdits runs, what no rule for a part allows
//	readonly.go      the built-in set that needs no permission; readflags.go: its options
//	removals.go      what must never go unasked
//	meaning.go       Actions as tool calls, and our callback's answers
//
// write.go, emit.go and declare.go are the way there; conform.go judges recorded
// calls.
package claude

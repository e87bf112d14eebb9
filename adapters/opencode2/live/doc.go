// Package live owns the wire of OpenCode 2, as recorded from 2.0.18: its calls
// under /api, its events, and a run on them.
//
// A [Client] knows calls, answers and events, and nothing of what they mean for
// a policy. A [Driver] runs prompts in one session on top of it: it applies
// rules, also while a run asks; reports what the agent and its subagents ask;
// and delivers what is decided. The meaning of all that comes from the dialect,
// through the broker's interfaces.
//
// No 2.0 binary can be had from the package registries. What a recording shows is
// called recorded here; other facts are from the founding description of 2.0.18
// or from OpenCode's public source (read 2026-11-30), and say so. An answer is
// checked for its content type, too: other versions of OpenCode answer a route
// that they don't have with status 200 and a web page.
package live

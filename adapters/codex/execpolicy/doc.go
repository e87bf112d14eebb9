// Package execpolicy owns the rule files of Codex: Starlark text in, prefix
// rules out, and the answer that `codex execpolicy check` gives for a command.
//
// The language and every answer were measured on Codex 0.171.0, 2026-11-30, with
// that program as the oracle. Rules are matched on words that somebody else has
// split; how Codex splits a shell script isn't this package's business.
package execpolicy

// Package cursor is the dialect of Cursor's command line agent over the Agent
// Client Protocol (cursor-agent acp).
//
// What Cursor asks depends on its session mode and on the user's own
// cli-config.json; what our callback answers decides only then. A Verdict keeps
// the two apart. The native settings are the program's arguments, the session
// modes that are wanted, best first, and the callback's answer.
//
// Cursor's agent can't be installed for a test without an account, so nothing
// here is verified: the facts are documented, by Cursor's own pages or by other
// people's recordings of cursor-agent 2026.10.01.
package cursor

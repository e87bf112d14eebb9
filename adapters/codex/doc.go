// Package codex owns the dialect of OpenAI Codex: approval policy × sandbox ×
// reviewer × collaboration mode × execpolicy rules, in the form that the
// app-server takes them, and what the agent does under them.
//
// Every statement about Codex's behaviour here was measured on the 0.171.0
// binary for linux-x64 on 2026-11-30, unless the comment beside it says
// otherwise. The package is pure: it starts nothing and reads no files.
package codex

// Package grok is the dialect of Grok's agent over the Agent Client Protocol
// (grok agent stdio, npm @xai-official/grok).
//
// Grok's own engine decides whether anything is asked at all; what our callback
// answers decides only then. A Verdict keeps the two apart. The native settings
// are the program's arguments, the session's _meta and the callback's answer:
// Grok has no argument for a rule that works over the protocol, so a policy's
// rules can't be written, and what isn't kept is a gap.
//
// Unless a comment says otherwise, a fact was measured on Grok 1.0.41 over
// agent stdio with a scripted model, 2026-11-30.
package grok

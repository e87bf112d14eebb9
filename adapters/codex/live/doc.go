// Package live drives the real Codex 0.171.0 offline: `codex app-server` over
// stdio, a scripted model on loopback, and folders of its own.
//
// It owns how a tool call is put to the binary and how what it did is told; what
// a decision means is the dialect's. Commands really run here, some of them
// outside of Codex's sandbox: only those of case files and of Fresh, which touch
// nothing but the folders of a case.
package live

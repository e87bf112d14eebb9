// Package live drives the real Claude Code binary offline: stream-json over
// stdio, a scripted model on loopback, and folders of its own.
//
// It owns how a tool call is put to the binary and how what it did is told from
// what it sent; what a decision means is the dialect's. Nothing that the binary
// runs reaches the machine: its shell is a stub that does nothing, its PATH holds
// stubs, and the files of a case lie in a temporary folder.
//
// Facts were measured on 2.1.332 and 2.1.197 on 2026-11-30.
package live

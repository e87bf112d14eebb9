// Package live drives the real Grok 1.0.41 offline: the Agent Client Protocol
// over stdio, a scripted model on loopback, and folders of its own.
//
// It owns how a tool call is put to the binary and how what it did is told; what
// a decision means is the dialect's. The binary's own PATH is empty, and its login
// shell finds no program, so that nothing a call says touches the machine.
package live

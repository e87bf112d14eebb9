// Package broker owns the live boundary: what an agent asks a person, what the
// person decides, and the native steps that a decision comes to, in words that
// no provider owns.
//
// A provider has two halves of it. Its [Translator] is pure: it reads the
// provider's requests and writes decisions as ordered operations. Its [Session]
// lives: it applies rules, runs a prompt and performs operations. Whoever brings
// requests to somebody is a [Person].
package broker

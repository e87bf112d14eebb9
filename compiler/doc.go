// Package compiler owns the way from a policy to native settings and back:
// [Lower] makes the Intent of one cell, a [Dialect] writes it as native bytes
// and reads those bytes back into meaning, and [Compile] compares the two and
// keeps every gap. What is said about a provider is computed from the bytes
// that it will receive, never from the Intent.
package compiler

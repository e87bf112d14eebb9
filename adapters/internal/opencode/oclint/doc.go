// Package oclint owns what is wrong with rules of OpenCode that read well: rules
// that a later one hides, names that no tool asks under, patterns that can't match
// what a tool asks with, grants that are wider than they look, and patterns that
// hold the agent up. Both generations have the same evaluator and the same
// pattern language; a [Generation] says what they have apart.
//
// What tools ask with was measured on 1.18.33 (2026-11-30), and read in the source
// of 2.0 on the same day.
package oclint

// Package lint owns what is wrong with a policy, or with native settings, that
// reads well: rules that never decide, patterns that never match, grants that are
// wider than they look. A [Finding] says where, why and what to write instead.
//
// What is wrong with native settings is a dialect's own affair: one that knows is a
// [Linter]. [Cells] traces what it finds in the cells of a policy back to the
// policy's lines, [File] judges what people have. A policy as it stands is judged by
// package policylint.
package lint

// Package audit owns the security reviewer's report: what every cell of a policy
// does with each kind of action, who decides it and what enforces it, what the
// providers can't express, what changed, and what proves it. [Build] computes it
// from native bytes; a report is data, and is written as HTML, Markdown, JSON or
// SARIF. A [Finding] stands for one cause, with every cell that it concerns and an
// Action that shows it: evaluated again, the Action comes to what the report says.
package audit

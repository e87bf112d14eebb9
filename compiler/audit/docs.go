package audit

import (
	"fmt"
	"strings"
)

// Docs writes docs/audit.md: what is looked for, and the JSON that a report is
// written in.
func Docs() string {
	var b strings.Builder
	b.WriteString(`# What the audit reports

` + "`modegate audit`" + ` and ` + "`GET /v1/audit`" + ` report what a policy comes to. This page is written by
` + "`go test ./compiler/audit -update`" + `; don't edit it.

Everything is computed from the native settings of every cell, in the session that the report names:
` + "`" + MadeUpEnv.Workspace + "` and `" + MadeUpEnv.Home + "`" + ` are made up where none is given. A finding stands for one cause. Its
witness is an Action as ` + "`eval --action`" + ` takes it, and comes to what the report says. What the policy
acknowledges keeps its severity, and is shown behind those of the same severity that nobody has accepted.

| kind | | what it is | why it matters | what to do |
|---|---|---|---|---|
`)
	for _, d := range catalogue {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.ID, d.Severity, d.Short, d.Why, d.Instead)
	}
	b.WriteString(`
What ` + "`check`" + ` finds in the policy is reported under the linter's own ids: see [LINTS.md](../LINTS.md).

## JSON

` + "`-o json`" + ` writes one object; [server/openapi.json](../server/openapi.json) has its schema, as ` + "`Audit`" + `.

| field | |
|---|---|
| ` + "`policy`, `files`" + ` | the policy's name and digest, and its layers, base first |
| ` + "`modegate`" + ` | the version that made the report |
| ` + "`env`" + ` | the session that everything is judged in |
| ` + "`evidence`" + ` | the dates of the oldest evidence and of the newest |
| ` + "`summary`" + ` | how many ` + "`errors`, `warnings` and `notes`" + ` there are, and how many are ` + "`acknowledged`" + ` |
| ` + "`findings`" + ` | as below, the worst first |
| ` + "`samples`, `matrix`" + ` | the Actions of the matrix, and for each cell the answers in their order: effect, confinement, decider, enforcer, what the policy wants, and the gap where the two part |
| ` + "`gaps`" + ` | what can't be expressed: each gap with the cells by what it comes to there, and the finding about it |
| ` + "`acknowledgements`" + ` | what the policy accepts, and whether some cell shows it |
| ` + "`changes`" + ` | with ` + "`--since`" + `, what ` + "`diff -o json`" + ` writes; else null |
| ` + "`providers`" + ` | the version that is judged, and each claim with its proof and the runs of the real program |

A finding:

| field | |
|---|---|
| ` + "`id`" + ` | the kind, a dot and what it is about: the same in every report on the policy |
| ` + "`kind`, `severity`, `title`" + ` | of the table above |
| ` + "`providers`, `cells`" + ` | those that it concerns |
| ` + "`shown`" + ` | the worst cell: ` + "`cell`" + `, ` + "`version`" + `, ` + "`witness`" + `, what it ` + "`does`" + ` where the policy speaks of that and not of its words, ` + "`env`" + ` where the session isn't the report's, what the ` + "`policy`" + ` wants, and the Verdict's ` + "`effect`, `confinement`, `decider`, `enforcer`, `native`, `reason`, `rule`, `differs`" + `; null where no Action shows it |
| ` + "`reason`, `source`" + ` | why, and the policy's line |
| ` + "`gaps`, `related`" + ` | the gaps that it is about, and other findings about them |
| ` + "`acknowledged`" + ` | the policy's reason and line, null when it doesn't accept it |
| ` + "`instead`" + ` | what to do about it |
| ` + "`proof`" + ` | what proves what is said of the provider |

` + "`-o sarif`" + ` writes the findings as SARIF 2.1.0: the id is the fingerprint ` + "`" + fingerprint + "`" + `, and what the policy
acknowledges is suppressed.
`)
	return b.String()
}

package lint

import (
	"fmt"
	"strings"
)

// Page writes LINTS.md: everything that is looked for, and the JSON that findings
// are written in.
func Page() string {
	var b strings.Builder
	b.WriteString(`# What check looks for

` + "`modegate check`" + ` judges policies and native settings. An *error* is a rule or a setting that doesn't do
what it says, a *warning* one that most likely isn't what was meant, a *note* is worth a look. This page
is written by ` + "`go test ./compiler/lint -update`" + `; don't edit it.

A policy is judged as it stands, and then in the native settings of every chosen cell. What is found
there is reported at the line of the policy that the settings stem from, once, with the cells that show
it. A finding about settings in which a policy's rule isn't kept is a note where the policy acknowledges
that gap, or where the provider is the stricter of the two.

| id | | what it is | what goes wrong | instead |
|---|---|---|---|---|
`)
	for _, d := range Catalogue() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.ID, d.Severity, d.Short, d.Why, d.Instead)
	}
	b.WriteString(`
## JSON

` + "`check -o json`" + ` writes one object:

| field | |
|---|---|
| ` + "`checked`" + ` | the policies and files in the order given: ` + "`name`" + `; ` + "`provider`" + ` of native settings; ` + "`cells`" + `, how many cells of a policy were compiled |
| ` + "`findings`" + ` | as below, those of one subject together, in order of place |
| ` + "`summary`" + ` | how many ` + "`errors`, `warnings` and `notes`" + ` there are |

A finding:

| field | |
|---|---|
| ` + "`rule`" + ` | an id of the table above |
| ` + "`severity`" + ` | ` + "`error`, `warning` or `note`" + ` |
| ` + "`file`, `line`, `column`" + ` | where it is, 1-based, in characters; ` + "`id`" + ` is the policy rule's |
| ` + "`pointer`" + ` | JSON Pointer into native settings, where a file of those was judged |
| ` + "`message`, `instead`" + ` | what is wrong and why; what to write instead, ` + "`\"\"`" + ` where the message says it |
| ` + "`related`" + ` | other places that have to do with it, each with a ` + "`message`" + ` |
| ` + "`providers`, `cells`" + ` | whose settings show it, and provider/mode/interaction of each; empty when it is the policy's own |

` + "`-o sarif`" + ` writes the same as SARIF 2.1.0: ` + "`rule`" + ` is the ruleId, ` + "`instead`, `providers` and `cells`" + ` are properties.
`)
	return b.String()
}

package oclint

import (
	"fmt"

	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler/lint"
)

// How many wildcards a text may be shared out among. OpenCode makes a backtracking
// regular expression of a pattern, so that the time for a text that doesn't match
// grows with its length to the power of this number. TestStall of
// adapters/opencode/live has shown it on 1.18.33 (2026-11-30): 5 and 90 characters,
// 4 and 190, 3 and 700 took a hundred times as long as any other pattern.
const (
	slow  = 3 // holds up for minutes with ten thousand characters
	stuck = 4 // with hundreds
)

// stalls finds patterns that hold OpenCode up. The texts of file tools are paths,
// which aren't long.
func (j *judge) stalls(i int) []lint.Finding {
	r := j.list.rules[i]
	n := wildcard.Compile(r.resource).Ways()
	short := r.action == "read" || r.action == "edit" || r.action == "external_directory" || j.whole(r.action)
	if n < slow || short && n <= stuck {
		return nil
	}
	f := r.find("stall", fmt.Sprintf("stalls OpenCode: it tries every way to share a text out among %d wildcards, and a long one holds the whole server up (measured on 1.18.33, 2026-11-30)", n),
		"leave out all wildcards but one or two")
	if n < stuck {
		f.Severity = lint.Warning
	}
	return []lint.Finding{f}
}

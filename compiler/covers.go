package compiler

import (
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// Covers reports whether a rule speaks of everything that an earlier one of its
// kind speaks of, so that it alone decides. It sees the plain cases: the same
// pattern, a command's longer prefix, a folder that holds the other.
func (r Rule) Covers(earlier Rule) bool {
	if r.Kind != earlier.Kind {
		return false
	}
	if r.Match == Everything || r.Match == earlier.Match {
		return true
	}
	if r.Match == PlanFiles || earlier.Match == PlanFiles {
		return false
	}
	switch r.Kind {
	case evaluator.Command:
		prefix, open := strings.CutSuffix(r.Match, " *")
		return open && (earlier.Match == prefix || strings.HasPrefix(earlier.Match, prefix+" "))
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
		folder, open := strings.CutSuffix(r.Match, "/**")
		return open && !strings.ContainsAny(folder, "*?") && strings.HasPrefix(earlier.Match, folder+"/")
	}
	prefix, open := strings.CutSuffix(r.Match, "*")
	return open && !strings.Contains(prefix, "*") && strings.HasPrefix(earlier.Match, prefix)
}

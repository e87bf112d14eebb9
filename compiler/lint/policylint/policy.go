package policylint

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/policies"
)

// Policy judges a policy as it stands, in words that no provider owns.
func Policy(p *policies.Policy) []lint.Finding {
	v := survey(p)
	var out []lint.Finding
	for _, r := range v.rules {
		found := patternFindings(r.Rule.Rule)
		if found == nil && r.matchesNothing() {
			found = []lint.Finding{lint.New("never-matches", r.Source,
				fmt.Sprintf("rule %s never matches: to the shell %q is something else than a command with these words", r.ID, r.Match),
				"write the words of the command alone, without what the shell takes away")}
		}
		out = append(out, found...)
	}
	out = append(out, v.dead()...)
	out = append(out, v.launchers()...)
	out = append(out, v.otherTools()...)
	out = append(out, v.labels()...)
	out = append(out, unspecified(p)...)
	out = append(out, acknowledged(p)...)
	return lint.Merge(out)
}

// All judges a policy as it stands and in its cells. What is said of a line of the
// policy isn't said again of the settings that it comes to.
func All(p *policies.Policy, cells []lint.Cell) []lint.Finding {
	own := Policy(p)
	out := slices.Clone(own)
	for _, f := range lint.Cells(cells) {
		said := slices.ContainsFunc(own, func(o lint.Finding) bool {
			return o.Source == f.Source && (o.Rule == f.Rule || o.Rule == "never-matches" && f.Rule == "path-form")
		})
		overridden := slices.ContainsFunc(f.Related, func(r lint.Related) bool { return slices.Index(p.Files, r.File) > slices.Index(p.Files, f.File) })
		if !said && !(f.Rule == lint.DeadRule && overridden) { // to override the layers below is what layers are for
			out = append(out, f)
		}
	}
	return lint.Merge(out)
}

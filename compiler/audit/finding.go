package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// finding begins a finding of a kind.
func (b *builder) finding(kind, id, title string) Finding {
	d := describe(kind)
	return Finding{ID: id, Kind: kind, Severity: d.Severity, Title: title, Instead: d.Instead}
}

func (b *builder) add(f Finding) { b.report.Findings = append(b.report.Findings, f) }

// instance is one cell that shows a finding.
type instance struct {
	cell  *audited
	shown *Shown
}

// group collects the cells of one finding.
type group struct {
	key   string
	cases []instance
}

// groups collects instances by what they are about, in the order in which they
// come.
type groups struct{ list []*group }

func (g *groups) add(key string, c *audited, s *Shown) {
	i := slices.IndexFunc(g.list, func(o *group) bool { return o.key == key })
	if i < 0 {
		i = len(g.list)
		g.list = append(g.list, &group{key: key})
	}
	g.list[i].cases = append(g.list[i].cases, instance{c, s})
}

// worst is the first of the loosest outcomes.
func (g *group) worst() *Shown {
	return slices.MaxFunc(g.cases, func(a, b instance) int { return a.shown.looseness() - b.shown.looseness() }).shown
}

// fill completes a finding with a group's cells and the worst of them.
func (f Finding) fill(g *group) Finding {
	for _, c := range g.cases {
		if name := c.cell.String(); !slices.Contains(f.Cells, name) {
			f.Cells = append(f.Cells, name)
		}
		if !slices.Contains(f.Providers, c.cell.Provider) {
			f.Providers = append(f.Providers, c.cell.Provider)
		}
	}
	f.Shown = g.worst()
	if f.Reason == "" {
		f.Reason = f.Shown.Reason
	}
	if f.Source == nil && f.Shown.Policy != nil {
		at := f.Shown.Policy.Source
		f.Source = &at
	}
	return f
}

// finish puts the findings in order and says what is the same for all of them.
func (b *builder) finish() {
	r := b.report
	order := map[string]int{}
	for i, d := range Catalogue() {
		order[d.ID] = i
	}
	accepted := func(f Finding) int {
		if f.Acknowledged != nil {
			return 1
		}
		return 0
	}
	provider := func(f Finding) int {
		if len(f.Providers) == 0 {
			return -1
		}
		return slices.Index(evaluator.Providers(), f.Providers[0])
	}
	slices.SortStableFunc(r.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), accepted(x)-accepted(y), order[x.Kind]-order[y.Kind], provider(x)-provider(y), strings.Compare(x.ID, y.ID))
	})
	ids := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.ID = slug(f.ID)
		if ids[f.ID]++; ids[f.ID] > 1 {
			f.ID = fmt.Sprintf("%s.%d", f.ID, ids[f.ID])
		}
		f.Proof = b.proof(f)
		r.Summary.count(*f)
	}
	for i := range r.Gaps {
		r.Gaps[i].Finding = slug(r.Gaps[i].Finding)
	}
	relate(r.Findings)
}

func (s *Summary) count(f Finding) {
	c := &s.Counts
	if f.Acknowledged != nil {
		c = &s.Acknowledged
	}
	switch f.Severity {
	case lint.Error:
		c.Errors++
	case lint.Warning:
		c.Warnings++
	default:
		c.Notes++
	}
}

// proof is what proves a finding: what is claimed of the provider that shows it.
func (b *builder) proof(f *Finding) []evaluator.Proof {
	var out []evaluator.Proof
	for _, p := range b.report.Providers {
		if f.Shown == nil || p.Name != f.Shown.Provider {
			continue
		}
		for _, c := range p.Claims {
			out = append(out, c.Proof)
		}
	}
	return out
}

// relate links findings about the same gaps.
func relate(list []Finding) {
	for i := range list {
		for j := range list {
			if i != j && slices.ContainsFunc(list[i].Gaps, func(id string) bool { return slices.Contains(list[j].Gaps, id) }) {
				list[i].Related = append(list[i].Related, list[j].ID)
			}
		}
	}
}

// slug makes an id of a text: it is a fragment of an address, too.
func slug(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			b.WriteRune(r)
			dash = r == '-'
		} else if !dash {
			b.WriteByte('-')
			dash = true
		}
	}
	const longest = 120
	out := b.String()
	return strings.Trim(out[:min(len(out), longest)], "-")
}

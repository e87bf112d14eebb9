package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// page is a report as people read it: what Markdown and HTML have in common.
type page struct {
	Report *Report
	labels map[string]string // of gaps, by id
}

func newPage(r *Report) *page {
	p := &page{Report: r, labels: map[string]string{}}
	for _, g := range r.Gaps {
		if p.labels[g.ID] == "" {
			p.labels[g.ID] = "G" + strconv.Itoa(len(p.labels)+1)
		}
	}
	return p
}

// Label is a gap's short name in this page.
func (p *page) Label(gap string) string {
	if l := p.labels[gap]; l != "" {
		return l
	}
	return gap
}

const (
	checkAgain = "Every witness can be evaluated again, and comes to what stands here. With the witness in w.json, and a session of its own in env.json with --env:"
	matrixNote = "Of each cell: what happens, who decides it / what enforces it, and the gap where that isn't what the policy says."
)

// Again is the command line that evaluates a witness again.
func (p *page) Again() string {
	env := p.Report.Env
	return "modegate eval --action w.json -p PROVIDER -m MODE -i INTERACTION --policy POLICY --workspace " + shellPath(env.Workspace) + " --home " + shellPath(env.Home)
}

// shellPath is a path as a shell takes it, and a word that stands for one where it
// would need quotes.
func shellPath(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "PATH"
}

// EvidenceText says between which dates the evidence was taken.
func (p *page) EvidenceText() string {
	e := p.Report.Evidence
	switch {
	case e.From == "":
		return "none: everything is unverified"
	case e.From == e.To:
		return "of " + e.To
	}
	return fmt.Sprintf("of %s to %s", e.From, e.To)
}

// String counts in words.
func (s Summary) String() string {
	count := func(n int, word string) string {
		if n == 1 {
			return "1 " + word
		}
		return fmt.Sprintf("%d %ss", n, word)
	}
	counts := func(c Counts) string {
		return fmt.Sprintf("%s, %s, %s", count(c.Errors, "error"), count(c.Warnings, "warning"), count(c.Notes, "note"))
	}
	return counts(s.Counts) + "; acknowledged: " + counts(s.Acknowledged)
}

// Behind says in one line what stands behind a provider.
func (p Provider) Behind() string {
	if len(p.Claims) == 0 {
		return "nothing"
	}
	var out []string
	for _, status := range []evaluator.Status{evaluator.Verified, evaluator.Recorded, evaluator.Documented, evaluator.Unverified} {
		var claims []string
		for _, c := range p.Claims {
			if c.Status == status {
				claims = append(claims, c.Claim)
			}
		}
		if claims != nil {
			out = append(out, fmt.Sprintf("%s: %s", status, strings.Join(claims, ", ")))
		}
	}
	return strings.Join(out, "; ")
}

// row is one line of a provider's evidence.
type row struct {
	Claim                            string
	Status                           evaluator.Status
	By, Date, Part, Binary           string
	Cases, Agreements, Disagreements string
}

// Rows lists a provider's claims, those with runs run by run.
func (p Provider) Rows() []row {
	var out []row
	for _, c := range p.Claims {
		if len(c.Runs) == 0 {
			out = append(out, row{Claim: c.Claim, Status: c.Status, By: c.By, Date: c.Date})
		}
		for _, r := range c.Runs {
			out = append(out, row{
				c.Claim, r.Status, r.By, r.Date, r.Part, strings.TrimPrefix(r.Binary, "sha256:"),
				strconv.Itoa(r.Cases), strconv.Itoa(r.Agreements), strconv.Itoa(r.Disagreements),
			})
		}
	}
	return out
}

// matrixTable is the matrix of one provider.
type matrixTable struct {
	Provider evaluator.Provider
	Version  string
	Cells    []Cell
}

// Tables cuts the matrix by provider.
func (p *page) Tables() []matrixTable {
	var out []matrixTable
	for _, c := range p.Report.Matrix {
		if len(out) == 0 || out[len(out)-1].Provider != c.Provider {
			out = append(out, matrixTable{Provider: c.Provider, Version: c.Version})
		}
		t := &out[len(out)-1]
		t.Cells = append(t.Cells, c)
	}
	return out
}

// Text is an answer's effect with its confinement.
func (a Answer) Text() string { return effectText(a.Effect, a.Confinement) }

// gapRow is a gap in a provider's table.
type gapRow struct {
	Gap
	First bool // of those with its id
}

// gapTable are the gaps of one provider.
type gapTable struct {
	Provider evaluator.Provider
	Gaps     []gapRow
}

// GapTables cuts the gaps by provider.
func (p *page) GapTables() []gapTable {
	var out []gapTable
	for _, one := range p.Report.Providers {
		t := gapTable{Provider: one.Name}
		seen := map[string]bool{}
		for _, g := range p.Report.Gaps {
			if g.Provider == one.Name {
				t.Gaps = append(t.Gaps, gapRow{g, !seen[g.ID]})
				seen[g.ID] = true
			}
		}
		out = append(out, t)
	}
	return out
}

// GotText says what a gap comes to, and where.
func (g Gap) GotText() string {
	var out []string
	for _, got := range g.Got {
		out = append(out, fmt.Sprintf("%s in %s", got.Effect, strings.Join(shortCells(got.Cells), ", ")))
	}
	return strings.Join(out, "; ")
}

// Unseen lists what the policy accepts and no audited cell shows.
func (p *page) Unseen() []Acknowledgement {
	return slices.DeleteFunc(slices.Clone(p.Report.Acknowledgements), func(a Acknowledgement) bool { return a.Seen })
}

// shortCells names cells without their provider, where they all have the same.
func shortCells(cells []string) []string {
	provider, _, _ := strings.Cut(cells[0], "/")
	var out []string
	for _, c := range cells {
		short, ok := strings.CutPrefix(c, provider+"/")
		if !ok {
			return cells
		}
		out = append(out, short)
	}
	return out
}

// intends is what the policy says of the witness, in one line.
func (s *Shown) intends() string {
	switch {
	case s.Policy == nil:
		return "says nothing of it"
	case s.Does != nil:
		return fmt.Sprintf("says %s of what it does, %s, at %s", s.Policy.Effect, jsonText(s.Does), placeText(s.Policy.Source))
	}
	return fmt.Sprintf("says %s, at %s", s.Policy.Effect, placeText(s.Policy.Source))
}

// says is what an Action comes to, in one line.
func (s *Shown) says() string {
	out := fmt.Sprintf("%s, decided by %s, enforced by %s", s.outcomeText(), s.Decider, s.Enforcer)
	if s.Native.Effect != s.Effect {
		out += fmt.Sprintf("; by itself it says %s, and our callback answers", s.Native.Effect)
	}
	return out
}

func placeText(at evaluator.Source) string {
	if at.File == "" {
		return cmp.Or(at.ID, "no file")
	}
	s := at.File
	if at.Line > 0 {
		s += fmt.Sprintf(":%d:%d", at.Line, at.Column)
	}
	if at.ID != "" {
		s += " (" + at.ID + ")"
	}
	return s
}

func proofTexts(list []evaluator.Proof) string {
	var out []string
	for _, p := range list {
		out = append(out, proofText(p))
	}
	return strings.Join(out, "; ")
}

// actionText is an Action for people: its kind and what it is about.
func actionText(a evaluator.Action) string {
	parts := []string{string(a.Kind)}
	for _, s := range []string{a.Command, a.Path, a.To, a.URL, a.Query, a.Server, a.Tool, a.Agent, a.Text, string(a.Request)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if a.Cwd != "" {
		parts = append(parts, "in "+a.Cwd)
	}
	return strings.Join(parts, " ")
}

// jsonText is a value as the command line takes it.
func jsonText(v any) string {
	out, err := strictjson.Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

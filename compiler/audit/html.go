package audit

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

//go:embed report.html
var reportHTML string

//go:embed report.css
var reportCSS string

// ContentSecurityPolicy lets the page use its own style, and nothing else: the page
// has it in its head, and a server sends it as well.
func ContentSecurityPolicy() string {
	sum := sha256.Sum256([]byte(reportCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

var htmlPage = template.Must(template.New("report").Funcs(template.FuncMap{
	"plain":  plainText,
	"json":   func(v any) string { return plainText(jsonText(v)) },
	"place":  func(at evaluator.Source) string { return plainText(placeText(at)) },
	"proofs": proofTexts,
	"short":  shortCells,
	"slug":   slug,
	"join":   strings.Join,
	"action": func(a evaluator.Action) string { return plainText(actionText(a)) },
	"add":    func(a, b int) int { return a + b },
}).Parse(reportHTML))

// HTML writes the report as one page that loads nothing and runs nothing.
func (r *Report) HTML(w io.Writer) error {
	var b bytes.Buffer
	err := htmlPage.Execute(&b, struct {
		*page
		Style template.CSS // our own, embedded
		CSP   string
		Note  string
		Check string
	}{newPage(r), template.CSS(reportCSS), ContentSecurityPolicy(), matrixNote, checkAgain})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// plainText takes out what could hide or turn around other text.
func plainText(s string) string { return diag.Plain(s) }

// Known tells whether the report has a gap.
func (p *page) Known(gap string) bool {
	return slices.ContainsFunc(p.Report.Gaps, func(g Gap) bool { return g.ID == gap })
}

// Word is a finding's severity, and whether it is accepted.
func (f Finding) Word() string {
	if f.Acknowledged != nil {
		return f.Severity.String() + ", acknowledged"
	}
	return f.Severity.String()
}

// Says is what the witness comes to.
func (s *Shown) Says() string { return s.says() }

// Intends is what the policy says of the witness.
func (s *Shown) Intends() string { return s.intends() }

// changeRow is a change with every cell that has it.
type changeRow struct {
	Direction, Witness, Old, New string
	Widens                       bool
	Cells                        []string
}

// ChangeRows joins changes that read alike, those by which more may happen first.
func (p *page) ChangeRows() []changeRow {
	var out []changeRow
	for _, c := range p.Report.Changes.Changes {
		one := changeRow{string(c.Direction), jsonText(c.Witness), answerText(c.Old), answerText(c.New), c.Widens, nil}
		cell := fmt.Sprintf("%s/%s/%s", c.Provider, c.Mode, c.Interaction)
		i := slices.IndexFunc(out, func(o changeRow) bool {
			return o.Direction == one.Direction && o.Witness == one.Witness && o.Old == one.Old && o.New == one.New
		})
		if i < 0 {
			i = len(out)
			out = append(out, one)
		}
		out[i].Cells = append(out[i].Cells, cell)
	}
	slices.SortStableFunc(out, func(a, b changeRow) int {
		switch {
		case a.Widens == b.Widens:
			return 0
		case a.Widens:
			return -1
		}
		return 1
	})
	return out
}

func answerText(a diff.Answer) string {
	return fmt.Sprintf("%s, decided by %s, enforced by %s", effectText(a.Effect, a.Confinement), a.Decider, a.Enforcer)
}

package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/markdown"
)

// Markdown writes the report for a repository or a pull request.
func (r *Report) Markdown(w io.Writer) error {
	p := newPage(r)
	var b strings.Builder
	p.head(&b)
	p.findings(&b)
	p.matrix(&b)
	p.gaps(&b)
	if err := p.changes(&b); err != nil {
		return err
	}
	p.evidence(&b)
	_, err := io.WriteString(w, diag.Plain(b.String()))
	return err
}

func (p *page) head(b *strings.Builder) {
	r := p.Report
	fmt.Fprintf(b, "# Audit of the policy %s\n\n", text(r.Policy.Name))
	row := func(name, value string) { fmt.Fprintf(b, "| %s | %s |\n", name, value) }
	b.WriteString("| | |\n|---|---|\n")
	row("policy", code(r.Policy.Digest))
	row("files", text(strings.Join(r.Files, ", ")))
	row("modegate", text(r.Modegate))
	row("evidence", text(p.EvidenceText()))
	row("session", code(jsonText(r.Env)))
	row("findings", text(r.Summary.String()))
	b.WriteString("\n| provider | version | cells | what stands behind it |\n|---|---|--:|---|\n")
	for _, one := range r.Providers {
		fmt.Fprintf(b, "| [%s](#evidence-%s) | %s | %d | %s |\n", text(string(one.Name)), one.Name, text(one.Version), one.Cells, text(one.Behind()))
	}
	b.WriteString("\n" + text(checkAgain) + "\n\n```\n" + p.Again() + "\n```\n")
}

func (p *page) findings(b *strings.Builder) {
	b.WriteString("\n## Findings\n\n")
	if len(p.Report.Findings) == 0 {
		b.WriteString("Nothing was found.\n")
		return
	}
	b.WriteString("| | severity | finding | cells |\n|--:|---|---|--:|\n")
	for i, f := range p.Report.Findings {
		fmt.Fprintf(b, "| %d | %s | [%s](#%s) | %d |\n", i+1, severity(f), text(f.Title), f.ID, len(f.Cells))
	}
	for i, f := range p.Report.Findings {
		p.finding(b, i+1, f)
	}
}

func severity(f Finding) string {
	s := f.Severity.String()
	if f.Severity == lint.Error {
		s = "**" + s + "**"
	}
	if f.Acknowledged != nil {
		s += ", acknowledged"
	}
	return s
}

func (p *page) finding(b *strings.Builder, n int, f Finding) {
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n### %d. %s\n\n", f.ID, n, text(f.Title))
	line := func(name, value string) { fmt.Fprintf(b, "- **%s**: %s\n", name, value) }
	line("id", code(f.ID)+", "+severity(f))
	if s := f.Shown; s != nil {
		line("witness", code(jsonText(s.Witness))+" in "+text(s.Cell)+", version "+text(s.Version))
		if s.Env != nil {
			line("session", code(jsonText(*s.Env)))
		}
		line("the policy", text(s.intends()))
		line("the provider", text(s.says()))
		if s.Rule != nil {
			from := ""
			if s.Rule.Source != nil {
				from = text(", from " + placeText(*s.Rule.Source))
			}
			line("rule", text(fmt.Sprintf("%s %d", s.Rule.Layer, s.Rule.Index))+" "+code(string(s.Rule.Native))+from)
		}
	}
	line("why", text(f.Reason))
	if f.Source != nil {
		line("place", text(placeText(*f.Source)))
	}
	if a := f.Acknowledged; a != nil {
		line("acknowledged", text(fmt.Sprintf("%s (%s)", a.Reason, placeText(a.Source))))
	}
	if f.Gaps != nil {
		line("gaps", p.gapLinks(f.Gaps))
	}
	line("what to do", text(f.Instead))
	if f.Proof != nil {
		line("proof", text(proofTexts(f.Proof)))
	}
	if len(f.Cells) > 0 {
		line("cells", text(strings.Join(shortCells(f.Cells), "; ")))
	}
	if f.Related != nil {
		var links []string
		for _, id := range f.Related {
			links = append(links, fmt.Sprintf("[%s](#%s)", text(id), id))
		}
		line("see also", strings.Join(links, ", "))
	}
}

func (p *page) gapLinks(ids []string) string {
	var out []string
	for _, id := range ids {
		if !slices.ContainsFunc(p.Report.Gaps, func(g Gap) bool { return g.ID == id }) {
			out = append(out, code(id))
			continue
		}
		out = append(out, fmt.Sprintf("[%s](#gap-%s)", text(id), slug(id)))
	}
	return strings.Join(out, ", ")
}

func (p *page) matrix(b *strings.Builder) {
	b.WriteString("\n## The matrix\n\n" + matrixNote + "\n")
	for _, t := range p.Tables() {
		fmt.Fprintf(b, "\n### %s %s\n\n| what the agent does |", text(string(t.Provider)), text(t.Version))
		for _, c := range t.Cells {
			fmt.Fprintf(b, " %s, %s |", text(string(c.Mode)), text(string(c.Interaction)))
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(t.Cells)) + "\n")
		for i, s := range p.Report.Samples {
			fmt.Fprintf(b, "| %s |", code(actionText(s.Action)))
			for _, c := range t.Cells {
				a := c.Answers[i]
				fmt.Fprintf(b, " **%s**<br>%s / %s", text(a.Text()), text(string(a.Decider)), text(string(a.Enforcer)))
				if a.Gap != "" {
					fmt.Fprintf(b, "<br>%s [%s](#gap-%s)", text(string(a.Policy.Direction)), p.Label(a.Gap), slug(a.Gap))
				}
				b.WriteString(" |")
			}
			b.WriteByte('\n')
		}
	}
}

func (p *page) gaps(b *strings.Builder) {
	b.WriteString("\n## What can't be expressed\n")
	for _, t := range p.GapTables() {
		fmt.Fprintf(b, "\n### Gaps of %s\n\n", text(string(t.Provider)))
		if len(t.Gaps) == 0 {
			b.WriteString("None.\n")
			continue
		}
		b.WriteString("| | gap | direction | policy | provider | acknowledged | why |\n|---|---|---|---|---|---|---|\n")
		for _, g := range t.Gaps {
			anchor := ""
			if g.First {
				anchor = fmt.Sprintf("<a id=\"gap-%s\"></a>", slug(g.ID))
			}
			yes := "no"
			if g.Acknowledged != nil {
				yes = "yes: " + text(g.Acknowledged.Reason)
			} else if g.Direction == evaluator.Wider {
				yes = "**no**"
			}
			fmt.Fprintf(b, "| %s%s | [%s](#%s) | %s | %s | %s | %s | %s |\n", anchor, p.Label(g.ID), text(g.ID), g.Finding, text(string(g.Direction)),
				g.Want, text(g.GotText()), yes, text(g.Reason))
		}
	}
	if unseen := p.Unseen(); len(unseen) > 0 {
		b.WriteString("\nAcknowledged by the policy, and not seen in the audited cells:\n\n")
		for _, a := range unseen {
			fmt.Fprintf(b, "- %s (%s): %s\n", code(a.ID), text(placeText(a.Source)), text(a.Reason))
		}
	}
}

func (p *page) changes(b *strings.Builder) error {
	if p.Report.Changes == nil {
		return nil
	}
	b.WriteString("\n## What changed\n\n")
	return p.Report.Changes.Markdown(b)
}

func (p *page) evidence(b *strings.Builder) {
	b.WriteString("\n## What proves it\n")
	for _, one := range p.Report.Providers {
		fmt.Fprintf(b, "\n<a id=\"evidence-%s\"></a>\n### Evidence on %s %s\n\n", one.Name, text(string(one.Name)), text(one.Version))
		if len(one.Claims) == 0 {
			b.WriteString("None: everything that is said of it is unverified.\n")
			continue
		}
		b.WriteString("| claim | status | by | date | part | cases | agreements | disagreements | SHA-256 |\n|---|---|---|---|---|--:|--:|--:|---|\n")
		for _, row := range one.Rows() {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", text(row.Claim), text(string(row.Status)), text(row.By), text(row.Date),
				text(row.Part), row.Cases, row.Agreements, row.Disagreements, text(row.Binary))
		}
	}
}

func text(s string) string { return markdown.Text(s) }
func code(s string) string { return markdown.Code(s) }

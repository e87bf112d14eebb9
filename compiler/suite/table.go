package suite

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/modegate/modegate/evaluator"
)

// Table writes the report for people: every row, then what failed and why, the
// coverage, what no test ran for, and the counts.
func (r *Report) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, o := range r.Policies {
		for _, s := range o.Suites {
			if s.Rows() > 0 {
				fmt.Fprintf(t, "%s: policy %s\n", s.File, o.Policy.Name)
				s.table(t)
				fmt.Fprintln(t)
			}
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	for _, o := range r.Policies {
		for _, s := range o.Suites {
			s.failures(&b)
		}
		if o.Coverage != nil {
			fmt.Fprintf(&b, "coverage of policy %s\n%s\n", o.Policy.Name, o.Coverage.text())
		}
	}
	for _, path := range r.Untested {
		fmt.Fprintf(&b, "no test ran for %s\n", path)
	}
	fmt.Fprintln(&b, r.Counts)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Counts) String() string {
	s := fmt.Sprintf("%d passed, %d failed", c.Passed, c.Failed)
	if c.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", c.Skipped)
	}
	return s
}

// table writes a line for each row; a test's name stands in its first.
func (s Results) table(w io.Writer) {
	fmt.Fprintln(w, "  RESULT\tTEST\tPROVIDER\tMODE\tINTERACTION\tEFFECT\tENFORCER")
	for i, r := range s.Results {
		name := r.Test
		if i > 0 && s.Results[i-1].Test == name {
			name = ""
		}
		word := map[Status]string{Passed: "pass", Failed: "FAIL", Skipped: "skip"}[r.Status]
		effect, enforcer := "skipped: "+r.Skip, "-"
		if r.Got != nil {
			effect, enforcer = outcome(r.Got), string(r.Got.Enforcer)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n", word, name, r.Provider.Name, r.Mode, r.Interaction, effect, enforcer)
	}
}

func (s Results) failures(b *strings.Builder) {
	for _, r := range s.Results {
		if r.Status == Failed {
			fmt.Fprintf(b, "FAIL  %s (%s)\n%s\n", r.Test, r.Cell(), r.Text())
		}
	}
}

// text writes the coverage: the shares, every rule with its rows by provider, and
// what no row has shown.
func (c *Coverage) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  cells  %s\n  rules  %s, each on every provider that it is for\n", c.Cells, c.Rules)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	providers := c.providers()
	fmt.Fprintf(t, "  RULE\tPLACE\t%s\n", strings.Join(providers, "\t"))
	for _, each := range c.Each {
		fmt.Fprintf(t, "  %s\t%s", each.Rule.ID, place(each.Rule))
		for _, p := range providers {
			fmt.Fprintf(t, "\t%s", each.on(p))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // into memory
	for _, each := range c.Each {
		if missing := each.missing(); len(missing) > 0 {
			fmt.Fprintf(&b, "  not covered: rule %s (%s) on %s\n", each.Rule.ID, place(each.Rule), strings.Join(missing, ", "))
		}
	}
	for _, cell := range c.MissingCells {
		fmt.Fprintf(&b, "  not covered: cell %s\n", cell)
	}
	return b.String()
}

// providers are those of the rules, in report order.
func (c *Coverage) providers() []string {
	var out []string
	for _, p := range evaluator.Providers() {
		for _, each := range c.Each {
			if each.on(string(p)) != notFor {
				out = append(out, string(p))
				break
			}
		}
	}
	return out
}

const notFor = "-"

// on is the number of rows on a provider, - when the rule isn't for it.
func (r RuleCoverage) on(provider string) string {
	for _, rows := range r.Providers {
		if string(rows.Provider) == provider {
			return strconv.Itoa(max(rows.Governed, rows.Decided))
		}
	}
	return notFor
}

func place(at evaluator.Source) string { return fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column) }

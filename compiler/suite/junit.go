package suite

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The JUnit form that CI systems read: a testsuite for each suite, a testcase for
// each row.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Skipped *junitMessage `xml:"skipped"`
		Failure *junitMessage `xml:"failure"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report as JUnit XML. Characters that XML can't hold are
// replaced. Coverage isn't part of the form.
func (r *Report) JUnit(w io.Writer) error {
	out := junitReport{Name: "modegate", Tests: r.Rows(), Failures: r.Failed, Skipped: r.Skipped}
	for _, o := range r.Policies {
		for _, s := range o.Suites {
			one := junitSuite{Name: s.File, Tests: s.Rows(), Failures: s.Failed, Skipped: s.Skipped}
			for _, row := range s.Results {
				one.Cases = append(one.Cases, row.junit(o.Policy.Name))
			}
			out.Suites = append(out.Suites, one)
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r Result) junit(policy string) junitCase {
	c := junitCase{
		Name: fmt.Sprintf("%s (%s)", r.Test, r.Cell()), Class: policy + "." + string(r.Provider.Name),
		File: r.Source.File, Line: r.Source.Line,
	}
	switch r.Status {
	case Skipped:
		c.Skipped = &junitMessage{Message: r.Skip}
	case Failed:
		var missed []string
		for _, m := range r.Failure.Missed {
			missed = append(missed, fmt.Sprintf("expected %s %s, got %s", m.Field, strings.Join(m.Want, " or "), m.Got))
		}
		c.Failure = &junitMessage{Message: strings.Join(missed, "; "), Type: "expectation", Text: "\n" + r.Text()}
	}
	return c
}

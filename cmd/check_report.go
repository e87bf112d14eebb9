package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/sarif"
	"github.com/modegate/modegate/internal/strictjson"
)

// checkReport is what a check came to.
type checkReport struct {
	Checked  []subject      `json:"checked"`
	Findings []lint.Finding `json:"findings"`
	Summary  summary        `json:"summary"`

	files diag.Files
}

// subject is one policy or one file of native settings that was checked.
type subject struct {
	Name     string             `json:"name"`
	Provider evaluator.Provider `json:"provider,omitzero"` // of native settings
	Cells    int                `json:"cells"`             // of a policy: how many were compiled

	found []lint.Finding
}

// refused keeps what is wrong with a policy that can't be read.
func (r *checkReport) refused(s subject, err error) {
	found := lint.Invalid("invalid", "", err)
	for _, f := range found {
		if r.files[f.File] == nil {
			if data, err := os.ReadFile(f.File); err == nil {
				r.files.Add(f.File, data)
			}
		}
	}
	r.add(s, found)
}

// summary counts findings.
type summary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

// add keeps what was found in one subject.
func (r *checkReport) add(s subject, found []lint.Finding) {
	s.found = lint.Merge(found)
	r.Checked = append(r.Checked, s)
	r.Findings = append(r.Findings, s.found...)
	r.Summary.count(s.found)
}

func (s *summary) count(list []lint.Finding) {
	for _, f := range list {
		switch f.Severity {
		case lint.Error:
			s.Errors++
		case lint.Warning:
			s.Warnings++
		default:
			s.Notes++
		}
	}
}

// String counts in words, leaving out what there is none of.
func (s summary) String() string {
	var out []string
	for _, c := range []struct {
		n    int
		word string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Notes, "note"}} {
		if c.n > 0 {
			out = append(out, plural(c.n, c.word))
		}
	}
	if out == nil {
		return "nothing found"
	}
	return strings.Join(out, ", ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (r *checkReport) print(w io.Writer, format string) error {
	var data []byte
	var err error
	switch format {
	case "json":
		data, err = strictjson.Indent(r)
		data = append(data, '\n')
	case "sarif":
		data, err = r.sarif().Encode()
		data = append(data, '\n')
	default:
		data = []byte(r.text())
	}
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// text writes the findings one under the other, each with its line and a caret,
// and a closing line for each subject.
func (r *checkReport) text() string {
	var b strings.Builder
	for _, s := range r.Checked {
		for _, f := range s.found {
			b.WriteString(r.findingText(f))
		}
		var counts summary
		counts.count(s.found)
		what := ""
		if s.Provider == "" && s.Cells > 0 {
			what = " in " + plural(s.Cells, "cell")
		}
		fmt.Fprintf(&b, "%s: %s%s\n", s.Name, counts, what)
	}
	return b.String()
}

func (r *checkReport) findingText(f lint.Finding) string {
	shown := r.files.Show(diag.List{{
		File: f.File, Line: f.Line, Column: f.Column,
		Message: fmt.Sprintf("%s: %s [%s]", f.Severity, f.Message, f.Rule),
	}})
	out := shown[0].String() + "\n"
	if f.Instead != "" {
		out += "  instead: " + f.Instead + "\n"
	}
	for _, other := range f.Related {
		at := diag.Problem{File: other.File, Line: other.Line, Column: other.Column, Message: other.Message}
		out += "  see " + at.String() + "\n"
	}
	if len(f.Cells) > 0 {
		out += "  in " + cellsText(f.Cells) + "\n"
	}
	return out
}

// cellsText names a few cells, and how many others there are.
func cellsText(cells []string) string {
	const few = 3
	if len(cells) <= few {
		return strings.Join(cells, ", ")
	}
	return fmt.Sprintf("%s and %d more cells", strings.Join(cells[:few-1], ", "), len(cells)-few+1)
}

// sarif writes the findings as one run.
func (r *checkReport) sarif() sarif.Run {
	run := sarif.Run{Tool: sarif.Tool{Name: "modegate", InformationURI: "https://github.com/modegate/modegate"}}
	index := map[string]int{}
	for i, d := range lint.Catalogue() {
		index[d.ID] = i
		run.Tool.Rules = append(run.Tool.Rules, sarif.Rule{
			ID: d.ID, Short: sarif.Text{Text: d.Short}, Full: sarif.Text{Text: d.Why}, Help: sarif.Text{Text: d.Why + " " + d.Instead},
			Defaults: sarif.Config{Level: d.Severity.String()},
		})
	}
	for _, f := range r.Findings {
		message := f.Message
		if f.Instead != "" {
			message += ". Instead: " + f.Instead
		}
		one := sarif.Result{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: f.Severity.String(), Message: sarif.Text{Text: message},
			Locations:  []sarif.Location{r.location(f.Source, "")},
			Properties: map[string]any{"instead": f.Instead, "providers": f.Providers, "cells": f.Cells},
		}
		for _, other := range f.Related {
			one.Related = append(one.Related, r.location(other.Source, other.Message))
		}
		run.Results = append(run.Results, one)
	}
	return run
}

func (r *checkReport) location(at evaluator.Source, message string) sarif.Location {
	shown := r.files.Show(diag.List{{File: at.File, Line: at.Line, Column: at.Column}})[0]
	return sarif.Location{File: shown.File, Line: shown.Line, Column: shown.Column, Snippet: shown.Text, Message: message}
}

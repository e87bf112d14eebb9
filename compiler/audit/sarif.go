package audit

import (
	"fmt"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/sarif"
)

// fingerprint is the name under which a result has its finding's id.
const fingerprint = "modegateFinding/v1"

// sarif writes the findings as one run. What the policy acknowledges is suppressed.
func (r *Report) sarif() sarif.Run {
	run := sarif.Run{Tool: sarif.Tool{Name: "modegate audit", InformationURI: "https://github.com/modegate/modegate"}}
	index := map[string]int{}
	for i, d := range Catalogue() {
		index[d.ID] = i
		run.Tool.Rules = append(run.Tool.Rules, sarif.Rule{
			ID: d.ID, Short: sarif.Text{Text: d.Short}, Full: sarif.Text{Text: d.Why}, Help: sarif.Text{Text: d.Why + " " + d.Instead},
			Defaults: sarif.Config{Level: d.Severity.String()},
		})
	}
	for _, f := range r.Findings {
		one := sarif.Result{
			RuleID: f.Kind, RuleIndex: index[f.Kind], Level: f.Severity.String(), Message: sarif.Text{Text: f.message()},
			Locations:    []sarif.Location{r.location(f.Source)},
			Fingerprints: map[string]string{fingerprint: f.ID},
			Properties:   map[string]any{"id": f.ID, "providers": f.Providers, "cells": f.Cells, "gaps": f.Gaps, "shown": f.Shown, "instead": f.Instead, "proof": f.Proof},
		}
		if f.Acknowledged != nil {
			one.Suppressions = []sarif.Suppression{{Kind: sarif.InSource, Status: sarif.Accepted, Justification: f.Acknowledged.Reason}}
		}
		run.Results = append(run.Results, one)
	}
	return run
}

func (f Finding) message() string {
	s := fmt.Sprintf("%s. %s", f.Title, f.Reason)
	if f.Shown != nil {
		s += fmt.Sprintf(". Witness: %s in %s", jsonText(f.Shown.Witness), f.Shown.Cell)
	}
	return s + ". Instead: " + f.Instead
}

// location is a place in the policy: the beginning of its last file for what has
// none.
func (r *Report) location(at *evaluator.Source) sarif.Location {
	p := diag.Problem{File: r.Files[len(r.Files)-1], Line: 1, Column: 1}
	if at != nil && at.File != "" {
		p.File, p.Line, p.Column = at.File, at.Line, at.Column
	}
	shown := diag.Files{p.File: r.lines(p.File)}.Show(diag.List{p})[0]
	return sarif.Location{File: shown.File, Line: shown.Line, Column: shown.Column, Snippet: shown.Text}
}

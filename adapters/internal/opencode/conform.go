package opencode

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// caseRow is a row of the evaluator's corpora, or of the home shortcuts'.
type caseRow struct {
	Rules     []evaluator.AgentRule `json:"rules"`
	Saved     []evaluator.Grant     `json:"saved"`
	Action    string                `json:"action"`
	Resources []string              `json:"resources"`
	Effect    evaluator.Effect      `json:"effect"`

	In  *string `json:"in"`
	Out string  `json:"out"`
}

// home stands for the home folder in the corpora.
const home = "<home>"

// Conform judges a row: the effect of rules and saved grants on a request, or
// what a home shortcut becomes. What isn't an input or an answer is dropped.
func Conform(row jsontext.Value, denyIsFinal bool) (compiler.Judged, error) {
	var c caseRow
	if err := json.Unmarshal(row, &c); err != nil {
		return compiler.Judged{}, err
	}
	if c.In != nil {
		got := ExpandHome(c.Action, *c.In, home)
		return compiler.Judged{
			Passed: got == c.Out, Got: got, Want: c.Out,
			Case: fmt.Sprintf("%s %q", c.Action, *c.In),
		}, nil
	}
	if c.Effect == evaluator.Unknown || c.Resources == nil {
		return compiler.Judged{}, errors.New("a case needs action, resources and effect")
	}
	rules := make([]lastmatch.Rule, len(c.Rules))
	for i, r := range c.Rules {
		rules[i] = lastmatch.Rule(r)
	}
	if err := CheckRules(rules); err != nil {
		return compiler.Judged{}, fmt.Errorf("rules: %w", err)
	}
	got := NewRules(rules, nil, c.Saved, denyIsFinal).Effect(c.Action, c.Resources)
	return compiler.Judged{
		Passed: got == c.Effect, Got: got.String(), Want: c.Effect.String(),
		Unsafe: compiler.Looser(c.Effect, got),
		Case:   fmt.Sprintf("%s %q under %d rules and %d grants", c.Action, c.Resources, len(c.Rules), len(c.Saved)),
	}, nil
}

package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// Sample is one Action of the matrix.
type Sample struct {
	ID     string           `json:"id"`
	Action evaluator.Action `json:"action"`
}

// Samples lists an Action of each kind, inside of the workspace and outside of it
// where that makes a difference, and one command that changes files.
func Samples() []Sample {
	return []Sample{
		{"command", evaluator.Action{Kind: evaluator.Command, Command: "npm test"}},
		{"command-changes", evaluator.Action{Kind: evaluator.Command, Command: "touch a.txt"}},
		{"command-outside", evaluator.Action{Kind: evaluator.Command, Command: "npm test", Cwd: "/elsewhere"}},
		{"file-read", evaluator.Action{Kind: evaluator.FileRead, Path: "src/a.go"}},
		{"file-read-outside", evaluator.Action{Kind: evaluator.FileRead, Path: "/elsewhere/a.go"}},
		{"file-change", evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go"}},
		{"file-change-outside", evaluator.Action{Kind: evaluator.FileChange, Path: "/elsewhere/a.go"}},
		{"web-fetch", evaluator.Action{Kind: evaluator.WebFetch, URL: "https://example.test/"}},
		{"web-search", evaluator.Action{Kind: evaluator.WebSearch, Query: "example"}},
		{"mcp-tool", evaluator.Action{Kind: evaluator.MCPTool, Server: "example", Tool: "write"}},
		{"subagent", evaluator.Action{Kind: evaluator.Subagent, Agent: "general"}},
		{"question", evaluator.Action{Kind: evaluator.Question, Text: "Which one?"}},
	}
}

func sampleList() []evaluator.Action {
	var out []evaluator.Action
	for _, s := range Samples() {
		out = append(out, s.Action)
	}
	return out
}

// changing is the sample of a command that changes files.
const changing = "command-changes"

// matrix answers the samples in every cell.
func (b *builder) matrix(context.Context) error {
	for _, c := range b.cells {
		set := c.compiled.RuleSet
		one := Cell{
			Name: c.String(), Provider: c.Provider, Version: c.version, Mode: c.Mode, Interaction: c.Interaction,
			Digest: set.Digest, Assumed: set.Assumed,
		}
		for _, s := range b.report.Samples {
			shown, err := c.show(s.Action, nil)
			if err != nil {
				return err
			}
			a := Answer{shown.Effect, shown.Confinement, shown.Decider, shown.Enforcer, shown.Policy, ""}
			if shown.Policy != nil && shown.Policy.Direction != "" {
				a.Gap = c.gapOf(s.Action)
			}
			one.Answers = append(one.Answers, a)
		}
		b.report.Matrix = append(b.report.Matrix, one)
	}
	return nil
}

// samples finds what the samples show beside gaps: the default mode, commands that
// write in plan, what no rule speaks of, and what only an instruction enforces.
func (b *builder) samples(context.Context) error {
	var open, plan, silent, unknown, told groups
	for _, c := range b.cells {
		for _, s := range b.report.Samples {
			shown, err := c.show(s.Action, nil)
			if err != nil {
				return err
			}
			kind := string(s.Action.Kind)
			if c.Mode == defaultMode && c.Interaction == evaluator.Default && s.ID == changing && shown.runs() {
				open.add(string(c.Mode), c, shown)
			}
			if c.Interaction == evaluator.Plan && s.ID == changing && shown.runs() && shown.Confinement != evaluator.ReadOnly {
				plan.add(kind, c, shown)
			}
			if shown.Policy == nil && shown.runs() && c.Mode != evaluator.FullAccess && s.Action.Kind != evaluator.Question {
				silent.add(kind, c, shown)
			}
			if shown.Policy == nil && shown.Effect == evaluator.Unknown {
				unknown.add(fmt.Sprintf("%s.%s", c.Provider, kind), c, shown)
			}
			if shown.Enforcer == evaluator.EnforcedByInstruction {
				told.add(string(c.Provider), c, shown)
			}
		}
	}
	b.sampled(kindDefault, open, func(g *group, s *Shown) string {
		return fmt.Sprintf("The default mode is %s, in which commands change files without asking on %s", defaultMode, providersOf(g))
	})
	b.sampled(kindPlan, plan, func(g *group, _ *Shown) string {
		return "In plan, commands change files without asking on " + providersOf(g)
	})
	b.sampled(kindUnspoken, silent, func(g *group, s *Shown) string {
		return fmt.Sprintf("The policy doesn't speak of %s, and it happens without asking on %s", s.Witness.Kind, providersOf(g))
	})
	b.sampled(kindUnknown, unknown, func(_ *group, s *Shown) string {
		return fmt.Sprintf("%s on %s: what happens can't be predicted", s.Witness.Kind, s.Provider)
	})
	b.sampled(kindInstruct, told, func(_ *group, s *Shown) string {
		return fmt.Sprintf("On %s, %s is only an instruction to the model", s.Provider, s.Interaction)
	})
	return nil
}

// defaultMode is the runtime mode of a session whose mode nobody has chosen.
const defaultMode = evaluator.FullAccess

func (b *builder) sampled(kind string, found groups, title func(*group, *Shown) string) {
	for _, g := range found.list {
		f := b.finding(kind, kind+"."+g.key, title(g, g.worst()))
		if f = f.fill(g); kind == kindUnspoken && (f.Shown.Witness.Kind == evaluator.FileRead || f.Shown.Witness.Kind == evaluator.WebSearch) {
			f.Severity = lint.Note
		}
		b.add(f)
	}
}

// providersOf names the providers that show something.
func providersOf(g *group) string {
	var names []string
	for _, c := range g.cases {
		if name := string(c.cell.Provider); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

package cmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/modegate/modegate/evaluator"
)

// printVerdicts writes Verdicts for people: one in full, several as a
// table, or each in full where they are explained.
func printVerdicts(w io.Writer, actions []evaluator.Action, verdicts []evaluator.Verdict, explain bool) error {
	if len(verdicts) == 1 {
		_, err := io.WriteString(w, verdictText(verdicts[0]))
		return err
	}
	if explain {
		return printEach(w, actions, verdicts)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	each := len(verdicts) / max(len(actions), 1)
	for i, v := range verdicts {
		if i%each == 0 {
			fmt.Fprintf(t, "%s\n", actionText(actions[i/each]))
			fmt.Fprintln(t, "  PROVIDER\tVERSION\tMODE\tINTERACTION\tEFFECT\tDECIDER\tENFORCER")
		}
		effect := v.Effect.String()
		if v.Effect == evaluator.Allow && v.Confinement != evaluator.Unconfined {
			effect += " (" + v.Confinement.String() + ")"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n", v.Provider.Name, v.Provider.Version, v.Mode, v.Interaction, effect, v.Decider, v.Enforcer)
	}
	return t.Flush()
}

// printEach prints every Verdict in full, below its Action and cell: a table has no
// room for the rules that were looked at.
func printEach(w io.Writer, actions []evaluator.Action, verdicts []evaluator.Verdict) error {
	var b strings.Builder
	each := len(verdicts) / max(len(actions), 1)
	for i, v := range verdicts {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s (%s, %s, %s)\n%s", actionText(actions[i/each]), v.Provider.Name, v.Mode, v.Interaction, verdictText(v))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func actionText(a evaluator.Action) string {
	parts := []string{string(a.Kind)}
	for _, s := range []string{a.Command, a.Path, a.To, a.URL, a.Query, a.Server, a.Tool, a.Agent, a.Text, string(a.Request)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// verdictText writes one Verdict in full.
func verdictText(v evaluator.Verdict) string {
	var b strings.Builder
	effect := v.Effect.String()
	if v.Effect == evaluator.Allow && v.Confinement != evaluator.Unconfined {
		effect += " (" + v.Confinement.String() + " sandbox)"
	}
	fmt.Fprintf(&b, "%s\n", effect)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-10s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("why", "%s", v.Reason)
	line("decides", "%s, enforced by %s", v.Decider, v.Enforcer)
	if v.Native.Effect != v.Effect {
		line("provider", "says %s by itself; our callback answers", v.Native.Effect)
	}
	if v.Rule != nil {
		line("rule", "%s", ruleText(*v.Rule))
	}
	if len(v.Parts) > 1 {
		for _, p := range v.Parts {
			line("part", "%s  %s", p.Effect, p.Request)
		}
	}
	for _, d := range v.Differs {
		line("differs", "%s answers %s: %s", d.Version, d.Effect, d.Reason)
	}
	for _, g := range v.Gaps {
		line("gap", "%s (%s): the policy wants %s, the provider does %s: %s", g.ID, g.Direction, g.Want, g.Got, g.Reason)
	}
	for _, a := range v.Assumed {
		line("assumed", "%s", a)
	}
	line("provider", "%s %s", v.Provider.Name, v.Provider.Version)
	for _, p := range v.Proof {
		line("proof", "%s", proofText(p))
	}
	traceText(&b, v.Trace)
	return b.String()
}

func ruleText(r evaluator.RuleRef) string {
	s := fmt.Sprintf("%s %d: %s", r.Layer, r.Index, r.Native)
	if r.Source != nil && r.Source.Line > 0 {
		s += fmt.Sprintf("  from %s:%d:%d", r.Source.File, r.Source.Line, r.Source.Column)
	}
	if r.Source != nil && r.Source.ID != "" {
		s += " (" + r.Source.ID + ")"
	}
	return s
}

func proofText(p evaluator.Proof) string {
	s := fmt.Sprintf("%s: %s", p.Claim, p.Status)
	if p.By != "" {
		s += " by " + p.By
	}
	if p.Date != "" {
		s += " on " + p.Date
	}
	return s
}

func traceText(b *strings.Builder, steps []evaluator.Step) {
	for i, s := range steps {
		if i == 0 || s.Part != steps[i-1].Part || s.Resource != steps[i-1].Resource {
			fmt.Fprintf(b, "\n  part %d  %q\n", s.Part, s.Resource)
		}
		mark := " "
		switch {
		case s.Decided:
			mark = ">"
		case s.Matched:
			mark = "+"
		}
		fmt.Fprintf(b, "  %s %s  %s\n", mark, ruleText(evaluator.RuleRef{Layer: s.Layer, Index: s.Index, Native: s.Native, Source: s.Source}), s.Reason)
	}
}
